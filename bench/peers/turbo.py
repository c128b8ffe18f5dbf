"""TuRBO-1 and TuRBO-m (Eriksson et al., "Scalable Global Optimization via Local Bayesian Optimization", 2019).

Written after the paper and its supplement; the authors' package is in no package index. Every region
starts with a design of `init` points, the first one with the points that are told, the others with
Latin hypercubes out of the budget. Parameters that are not real are relaxed: choices of three labels
or more to one-hot columns; a point is rounded before it is evaluated.

    --regions 5   five regions at a time, which share a batch (default 1)

Models are fitted and drawn from on the device that PEERS_DEVICE names.
"""

from __future__ import annotations

import argparse
import math
import os
from collections import deque

from protocol import Observation, Pending, Task, serve

import gpytorch
import numpy as np
import torch
from gpytorch.constraints import Interval
from scipy.stats import qmc

LENGTH_INIT, LENGTH_MIN, LENGTH_MAX = 0.8, 0.5**7, 1.6
SUCCESSES = 3  # in a row, before a region grows
FIT_STEPS, FIT_RATE = 50, 0.1
DEVICE = torch.device(os.environ.get("PEERS_DEVICE", "cpu"))


class GP(gpytorch.models.ExactGP):
    """Matern 5/2 with one length-scale per column, within the bounds of the paper's supplement."""

    def __init__(self, x, y):
        likelihood = gpytorch.likelihoods.GaussianLikelihood(noise_constraint=Interval(5e-4, 0.2))
        super().__init__(x, y, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        base = gpytorch.kernels.MaternKernel(
            nu=2.5, ard_num_dims=x.shape[1], lengthscale_constraint=Interval(0.005, 2.0)
        )
        self.kernel = gpytorch.kernels.ScaleKernel(base, outputscale_constraint=Interval(0.05, 20.0))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


def fit(x: torch.Tensor, y: torch.Tensor) -> GP:
    x, y = x.to(DEVICE), y.to(DEVICE)
    model = GP(x, y).to(DEVICE)
    model.kernel.outputscale = 1.0
    model.kernel.base_kernel.lengthscale = 0.5
    model.likelihood.noise = 0.005
    model.train()
    mll = gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model)
    optimizer = torch.optim.Adam(model.parameters(), lr=FIT_RATE)
    for _ in range(FIT_STEPS):
        optimizer.zero_grad()
        loss = -mll(model(x), y)
        loss.backward()
        optimizer.step()
    return model.eval()


class Region:
    """One trust region: its data since its last restart, and the box it searches."""

    def __init__(self, dim: int, patience: int):
        self.dim, self.patience = dim, patience  # evaluations without success before it shrinks
        self.restart()

    def restart(self):
        self.x: list[list[float]] = []
        self.y: list[float] = []
        self.length, self.successes, self.failures = LENGTH_INIT, 0, 0
        self.missing = 0  # points of its design that are not told
        self.model = None

    @property
    def ready(self) -> bool:
        return self.missing <= 0 and len(self.y) >= 2

    def add(self, x, y, judged: bool):
        """Takes observations; judged: they were chosen by the model, and tell how well it does."""
        if judged and self.y and y:
            best = min(self.y)
            if min(y) < best - 1e-3 * abs(best):
                self.successes, self.failures = self.successes + 1, 0
            else:
                self.successes, self.failures = 0, self.failures + len(y)
            if self.successes == SUCCESSES:
                self.length, self.successes = min(2 * self.length, LENGTH_MAX), 0
            elif self.failures >= self.patience:
                self.length, self.failures = self.length / 2, 0
        self.x += x
        self.y += y
        self.model = None

    def sample(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Candidates, and n draws of the posterior at each, on the scale of the values."""
        y = np.array(self.y)
        middle, spread = np.median(y), y.std()
        spread = spread if spread > 1e-6 else 1.0
        if self.model is None:
            self.model = fit(torch.tensor(self.x), torch.tensor((y - middle) / spread))
        weights = self.model.kernel.base_kernel.lengthscale.detach().cpu().numpy().ravel()
        weights = weights / weights.mean()
        weights = weights / np.prod(weights ** (1.0 / len(weights)))
        centre = np.array(self.x[int(y.argmin())])
        low = np.clip(centre - weights * self.length / 2, 0, 1)
        high = np.clip(centre + weights * self.length / 2, 0, 1)
        count = min(100 * self.dim, 5000)
        sobol = torch.quasirandom.SobolEngine(self.dim, scramble=True, seed=int(rng.integers(1 << 31)))
        moved = low + (high - low) * sobol.draw(count, dtype=torch.double).numpy()
        # In many dimensions about twenty coordinates of the centre change.
        change = rng.random((count, self.dim)) <= min(20 / self.dim, 1)
        none = ~change.any(axis=1)
        change[none, rng.integers(self.dim, size=none.sum())] = True
        candidates = np.where(change, moved, centre)
        with torch.no_grad(), gpytorch.settings.max_cholesky_size(2000):
            draws = self.model.likelihood(self.model(torch.tensor(candidates, device=DEVICE))).sample(torch.Size([n]))
        return candidates, middle + spread * draws.cpu().numpy().T


class Turbo:
    def __init__(self, task: Task, regions: int):
        torch.manual_seed(task.seed)
        torch.set_default_dtype(torch.double)
        self.task, self.space, self.dim = task, task.space, task.space.width
        self.rng = np.random.default_rng(task.seed)
        # TuRBO-1 counts rounds, ceil(max(4, D) / batch); TuRBO-m evaluations.
        patience = max(5, self.dim)
        if regions == 1:
            patience = task.batch * math.ceil(max(4, self.dim) / task.batch)
        self.regions = [Region(self.dim, patience) for _ in range(regions)]
        self.pending = Pending(task.space)
        self.design: deque = deque()  # (region, point) to be evaluated before a model is made
        self.regions[0].missing = len(task.initial)
        for region in self.regions[0 if not task.initial else 1 :]:
            self.plan(region)

    def plan(self, region: Region):
        """A new design for a region, in whole batches."""
        count = self.task.batch * math.ceil(max(self.task.init, 2) / self.task.batch)
        region.missing = count
        for x in qmc.LatinHypercube(self.dim, rng=self.rng).random(count):
            self.design.append((region, x))

    def ask(self, n: int) -> list[dict]:
        chosen = [self.design.popleft() for _ in range(min(n, len(self.design)))]
        answer = [self.put(x, region, True) for region, x in chosen]
        rest = n - len(answer)
        ready = [r for r in self.regions if r.ready]
        if rest and not ready:
            return answer + [self.put(self.rng.random(self.dim), self.regions[0], True) for _ in range(rest)]
        if rest:
            answer += [self.put(x, region, False) for region, x in self.thompson(ready, rest)]
        return answer

    def put(self, x, region: Region, designed: bool) -> dict:
        return self.pending.put(self.space.decode_cube(x), (region, designed))

    def thompson(self, ready: list[Region], n: int):
        """Draw k takes the candidate of all regions at which it is lowest."""
        drawn = [region.sample(n, self.rng) for region in ready]
        for k in range(n):
            i = min(range(len(ready)), key=lambda i: drawn[i][1][:, k].min())
            j = int(drawn[i][1][:, k].argmin())
            drawn[i][1][j, :] = np.inf  # once
            yield ready[i], drawn[i][0][j]

    def tell(self, observations: list[Observation]):
        told: dict[tuple[int, bool], list[Observation]] = {}
        for o in observations:
            region, designed = self.pending.take(o.params) or (self.regions[0], True)
            told.setdefault((self.regions.index(region), designed), []).append(o)
        for (at, designed), group in told.items():
            region = self.regions[at]
            good = [o for o in group if not o.failed]
            region.missing -= len(group) if designed else 0
            region.add([self.space.encode_cube(o.params) for o in good], [o.y[0] for o in good], not designed)
        for region in self.regions:
            if region.length < LENGTH_MIN:
                region.restart()
                self.plan(region)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--regions", type=int, default=1)
    arguments = parser.parse_args()
    serve(lambda task: Turbo(task.single(), arguments.regions))
