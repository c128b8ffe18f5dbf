"""The tasks of check.py: the functions that the documents of the peers use as examples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable

_A = ((10, 3, 17, 3.5, 1.7, 8), (0.05, 10, 17, 0.1, 8, 14), (3, 3.5, 1.7, 10, 17, 8), (17, 8, 0.05, 10, 0.1, 14))
_P = (
    (0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886), (0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991),
    (0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650), (0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381),
)


def hartmann6(x):
    return -sum(
        c * math.exp(-sum(a * (v - p) ** 2 for a, p, v in zip(aa, pp, x)))
        for c, aa, pp in zip((1.0, 1.2, 3.0, 3.2), _A, _P)
    )


def branin(x):
    """Of the first two coordinates."""
    a, b = x[0], x[1]
    return (b - 5.1 / (4 * math.pi**2) * a * a + 5 / math.pi * a - 6) ** 2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a) + 10


def ackley(x):
    n = len(x)
    return (
        20 + math.e - 20 * math.exp(-0.2 * math.sqrt(sum(v * v for v in x) / n))
        - math.exp(sum(math.cos(2 * math.pi * v) for v in x) / n)
    )


def rosenbrock(x):
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))


@dataclass(frozen=True)
class Task:
    """A function over a box, what its lowest value is, and how a peer is run on it."""

    f: Callable
    bounds: tuple[tuple[float, float], ...]
    minimum: float
    init: int  # random points before the peer begins, the same for the reference
    evals: int
    batch: int
    seeds: int = 3

    @property
    def space(self) -> dict:
        return {"parameters": {f"x{i}": {"float": list(b)} for i, b in enumerate(self.bounds)}}

    def initial(self, source) -> list[list[float]]:
        return [[a + (b - a) * source.random() for a, b in self.bounds] for _ in range(self.init)]


BRANIN30 = ((-5.0, 10.0), (0.0, 15.0)) + ((0.0, 1.0),) * 28

TASKS = {
    "botorch-vanilla": Task(hartmann6, ((0.0, 1.0),) * 6, -3.32237, 10, 20, 5),
    "botorch-saas": Task(branin, BRANIN30, 0.397887, 10, 10, 5),
    "botorch-turbo": Task(ackley, ((-5.0, 10.0),) * 10, 0.0, 20, 60, 4),
    "turbo-1": Task(ackley, ((-5.0, 10.0),) * 10, 0.0, 20, 60, 4),
    "turbo-5": Task(ackley, ((-5.0, 10.0),) * 10, 0.0, 10, 100, 10),
    "optuna-gp": Task(lambda x: (x[0] - 2) ** 2, ((-10.0, 10.0),), 0.0, 0, 20, 1),
    "optuna-tpe": Task(lambda x: (x[0] - 2) ** 2, ((-10.0, 10.0),), 0.0, 0, 50, 1, 5),
    "cmaes": Task(rosenbrock, ((-3.0, 3.0),) * 6, 0.0, 0, 1000, 10, 5),
    "smac": Task(rosenbrock, ((-5.0, 10.0), (-5.0, 10.0)), 0.0, 0, 20, 1, 2),
    "nevergrad": Task(lambda x: sum((v - 0.5) ** 2 for v in x), ((-1.0, 1.0),) * 2, 0.0, 0, 100, 2, 5),
    "hebo": Task(lambda x: (x[0] - 0.37) ** 2, ((-10.0, 10.0),), 0.0, 0, 20, 4),
}
