"""SCBO: TuRBO-1 with limits (Eriksson and Poloczek, "Scalable Constrained Bayesian Optimization", 2021).

Follows BoTorch's tutorial of that name: one GP per outcome, constrained Thompson sampling among candidates of the trust region
around the best point (of the least violation while none keeps every limit), restarts with a design of `init` points.
With --transform the models see what they see in the paper, which the tutorial leaves out: limits by sign(c) log(1 + |c|), the
objective by a Gaussian copula (normal quantiles of its ranks). Parameters that are not real are relaxed, as in turbo.py.
Samples are drawn on the device that PEERS_DEVICE names, models are fitted on the CPU.
"""

from __future__ import annotations

import math
import sys

from protocol import Observation, serve

import torch
from botorch.fit import fit_gpytorch_mll
from botorch.generation.sampling import ConstrainedMaxPosteriorSampling
from botorch.models import ModelListGP, SingleTaskGP
from gpytorch.mlls import ExactMarginalLogLikelihood

from botorch_loop import DEVICE, Loop, cube_gp

LENGTH_INIT, LENGTH_MIN, LENGTH_MAX = 0.8, 0.5**7, 1.6
SUCCESSES = 10  # of the paper; TuRBO has 3
TRANSFORM = "--transform" in sys.argv[1:]


class SCBO(Loop):
    def __init__(self, task):
        if len(task.objectives) != 1:
            raise ValueError("this method takes one objective")
        super().__init__(task)
        self.patience = math.ceil(max(4 / task.batch, task.space.width / task.batch))
        self.restart(0)

    def restart(self, design: int) -> None:
        self.points, self.y, self.limits = [], [], []
        self.length, self.successes, self.failures = LENGTH_INIT, 0, 0
        self.design = design  # points still to be drawn
        self.best: Observation | None = None
        self.judged = False  # the last points were chosen by a model

    def ask(self, n):
        if self.length < LENGTH_MIN:
            self.restart(self.task.batch * math.ceil(max(self.task.init, 2) / self.task.batch))
        self.judged = False
        if self.design > 0:
            self.design -= n
            return [self.decode(x) for x in torch.rand(n, self.space.width).tolist()]
        self.judged = len(self.points) >= 2
        return super().ask(n)

    def tell(self, observations):
        good = [o for o in observations if not o.failed]
        lowest = min(good, key=rank, default=None)
        if self.judged and lowest and self.best:
            if better(lowest, self.best):
                self.successes, self.failures = self.successes + 1, 0
            else:
                self.successes, self.failures = 0, self.failures + 1
            if self.successes == SUCCESSES:
                self.length, self.successes = min(2 * self.length, LENGTH_MAX), 0
            elif self.failures == self.patience:
                self.length, self.failures = self.length / 2, 0
        if lowest and (self.best is None or rank(lowest) < rank(self.best)):
            self.best = lowest
        super().tell(observations)

    def propose(self, n):
        x, y = self.data()
        limits = torch.tensor(self.limits).reshape(len(x), -1)
        if TRANSFORM:
            y, limits = quantiles(y), torch.sign(limits) * torch.log1p(torch.abs(limits))
        model = fitted(x, y)
        candidates = self.candidates()
        constraints = None
        if limits.shape[1]:
            constraints = ModelListGP(*(fitted(x, limits[:, [k]]) for k in range(limits.shape[1])))
            constraints.to(DEVICE)
        with torch.no_grad():
            sampling = ConstrainedMaxPosteriorSampling(model.to(DEVICE), constraint_model=constraints, replacement=False)
            return sampling(candidates.to(DEVICE), num_samples=n).cpu()

    def candidates(self, weights=1.0):
        """Points of the region, whose sides have these weights."""
        dim = self.space.width
        centre = torch.tensor(self.encode(self.best.params))
        low = torch.clamp(centre - weights * self.length / 2, 0, 1)
        high = torch.clamp(centre + weights * self.length / 2, 0, 1)
        count = min(5000, max(2000, 200 * dim))
        seed = int(torch.randint(1 << 31, (1,)))
        moved = low + (high - low) * torch.quasirandom.SobolEngine(dim, scramble=True, seed=seed).draw(count, dtype=torch.double)
        change = torch.rand(count, dim) <= min(20 / dim, 1)
        none = torch.where(~change.any(dim=1))[0]
        change[none, torch.randint(dim, (len(none),))] = True
        return torch.where(change, moved, centre)


def quantiles(y):
    """Those of a normal distribution at the ranks of the values."""
    ranks = torch.argsort(torch.argsort(y[:, 0])).double()
    return torch.special.ndtri((ranks + 0.5) / len(y)).unsqueeze(-1)


def fitted(x, y) -> SingleTaskGP:
    model = cube_gp(x, y)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def rank(o: Observation) -> tuple[float, float]:
    """By violation, then by value."""
    return o.violation, o.y[0]


def better(a: Observation, b: Observation) -> bool:
    """Keeps the limits where b does not, or is lower by a thousandth; else violates less."""
    if a.violation == 0 and b.violation == 0:
        return a.y[0] < b.y[0] - 1e-3 * abs(b.y[0])
    return a.violation < b.violation


if __name__ == "__main__":
    serve(SCBO)
