"""What the BoTorch peers share: data in the unit cube, and the closed loop of BoTorch's tutorials.

Everything is maximised here, as BoTorch does.
"""

from __future__ import annotations

import os
import warnings

from protocol import Observation, Task

import torch
from botorch.exceptions import InputDataWarning
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf

warnings.simplefilter("ignore", InputDataWarning)

# Where large computations run, for programs that say so: PEERS_DEVICE=cuda takes a GPU. All else is on the CPU.
DEVICE = torch.device(os.environ.get("PEERS_DEVICE", "cpu"))

# Of the tutorials "Closed-loop batch, constrained BO" and "SAASBO".
RESTARTS = 10
RAW_SAMPLES = 512
MC_SAMPLES = 256


class Loop:
    """Keeps the data; a subclass proposes n points of the cube by propose(n)."""

    def __init__(self, task: Task):
        torch.manual_seed(task.seed)
        torch.set_default_dtype(torch.double)
        self.task, self.space = task, task.space
        self.points: list[list[float]] = []
        self.y: list[list[float]] = []  # negated: to be maximised
        self.limits: list[list[float]] = []  # kept when <= 0

    def encode(self, params: dict) -> list[float]:
        return self.space.encode_cube(params)

    def decode(self, x) -> dict:
        return self.space.decode_cube(x)

    def bounds(self) -> torch.Tensor:
        return torch.stack([torch.zeros(self.space.width), torch.ones(self.space.width)])

    def tell(self, observations: list[Observation]) -> None:
        for o in observations:
            if not o.failed:
                self.points.append(self.encode(o.params))
                self.y.append([-v for v in o.y])
                self.limits.append(list(o.limits))

    def ask(self, n: int) -> list[dict]:
        if len(self.points) < 2:
            columns = self.space.width
            sobol = torch.quasirandom.SobolEngine(columns, scramble=True, seed=self.task.seed)
            return [self.space.decode_cube(x) for x in sobol.draw(len(self.points) + n, dtype=torch.double)[-n:]]
        return [self.decode(x) for x in self.propose(n).tolist()]

    def propose(self, n: int) -> torch.Tensor:
        raise NotImplementedError

    def data(self) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.tensor(self.points), torch.tensor(self.y)

    def maximize(self, acquisition, n: int, device="cpu", **options) -> torch.Tensor:
        candidates, _ = optimize_acqf(
            acquisition, bounds=self.bounds().to(device), q=n, num_restarts=RESTARTS, raw_samples=RAW_SAMPLES,
            options={"batch_limit": 5, "maxiter": 200}, **options,
        )
        return candidates.detach().cpu()


def cube_gp(x: torch.Tensor, y: torch.Tensor) -> SingleTaskGP:
    """BoTorch's default model; its priors expect inputs of the unit cube, and it standardises outputs."""
    return SingleTaskGP(x, y)
