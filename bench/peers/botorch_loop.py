"""What the BoTorch peers share: data in the unit cube, and the closed loop of BoTorch's tutorials.

Everything is maximised here, as BoTorch does.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
import warnings

from protocol import Observation, Task

import torch
from botorch.exceptions import InputDataWarning
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf

warnings.simplefilter("ignore", InputDataWarning)

# Where large computations run, for programs that say so: PEERS_DEVICE=cuda takes a GPU. All else is on the CPU.
DEVICE = torch.device(os.environ.get("PEERS_DEVICE", "cpu"))

# PEERS_LOG=FILE: where to say what a batch took; a search that reached its limit was cut.
LOG = os.environ.get("PEERS_LOG")

# Of the tutorials "Closed-loop batch, constrained BO" and "SAASBO".
RESTARTS = 10
RAW_SAMPLES = 512
MC_SAMPLES = 256


class Loop:
    """Keeps the data; a subclass proposes n points of the cube by propose(n)."""

    def __init__(self, task: Task, seconds: float | None = None):
        torch.manual_seed(task.seed)
        torch.set_default_dtype(torch.double)
        self.task, self.space = task, task.space
        self.points: list[list[float]] = []
        self.y: list[list[float]] = []  # negated: to be maximised
        self.limits: list[list[float]] = []  # kept when <= 0
        self.seconds, self.began = seconds, time.monotonic()  # that a trial should take, with searches that end early
        self.beside = 0.0  # seconds that the last batch took beside its search
        self.search_limit: float | None = None  # seconds for the search of this batch

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
        now = time.monotonic()
        if self.seconds is not None:
            left = max(1, math.ceil((self.task.budget - len(self.points)) / n))
            self.search_limit = max(0.2, (self.seconds - (now - self.began)) / left - self.beside)
        points = self.propose(n)
        took = time.monotonic() - now
        self.beside = max(0.0, took - (self.search_limit or 0))
        if LOG:
            with open(LOG, "a") as f:
                f.write(json.dumps({"told": len(self.points), "asked": n, "seconds": took, "search_limit": self.search_limit}) + "\n")
        return [self.decode(x) for x in points.tolist()]

    def propose(self, n: int) -> torch.Tensor:
        raise NotImplementedError

    def data(self) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.tensor(self.points), torch.tensor(self.y)

    def maximize(self, acquisition, n: int, device="cpu", batches: dict | None = None, **options) -> torch.Tensor:
        """batches: options that say how many starts go together."""
        candidates, _ = optimize_acqf(
            acquisition, bounds=self.bounds().to(device), q=n, num_restarts=RESTARTS, raw_samples=RAW_SAMPLES,
            options={**(batches or {"batch_limit": 5}), "maxiter": 200}, timeout_sec=self.search_limit, **options,
        )
        return candidates.detach().cpu()


def trial_seconds() -> float | None:
    """The option --trial-seconds T: searches end early, so that a trial takes about T seconds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--trial-seconds", type=float, help="end searches early, so that a trial takes about this long")
    return parser.parse_args().trial_seconds


def cube_gp(x: torch.Tensor, y: torch.Tensor) -> SingleTaskGP:
    """BoTorch's default model; its priors expect inputs of the unit cube, and it standardises outputs."""
    return SingleTaskGP(x, y)
