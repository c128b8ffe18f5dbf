"""CMA-ES by pycma.

Follows the documentation of cma.CMAEvolutionStrategy: ask and tell, sigma0 a quarter of the ranges, the
default population rounded up to whole batches, `integer_variables` for what is not real (choices of three
labels or more are one-hot columns, of which the largest wins), and a restart with twice the population
when stop() says so. The start is the best point told before the first ask.
"""

from __future__ import annotations

import math
import warnings
from collections import deque

from protocol import Observation, Pending, Task, serve

import cma
import numpy as np

warnings.filterwarnings("ignore", module="cma")

SIGMA = 0.25


class CMAES:
    def __init__(self, task: Task):
        self.task, self.space = task, task.space
        self.rng = np.random.default_rng(task.seed)
        self.best: Observation | None = None
        self.es = None
        self.pending = Pending(task.space)
        self.queue: deque = deque()  # points of the generation that are not asked for yet
        self.open = 0  # points of the generation that are not told
        self.told: list = []  # (point, value) of the generation
        # Values of a discrete parameter lie at 0, 1, ..., count-1, real columns in [0, 1].
        counts = []
        for p in task.space.params:
            counts += [1] * p.count if p.categorical else [1 if p.continuous else p.count]
        self.integers = [i for i, c in enumerate(counts) if c > 1]
        self.scale = np.array(counts, float)
        self.shift = np.where(self.scale > 1, 0.5, 0.0)

    def start(self) -> None:
        dim = self.space.width
        size = 2 * self.es.popsize if self.es else 4 + int(3 * math.log(dim))
        cube = self.rng.random(dim)
        if self.es is None and self.best is not None:
            cube = np.array(self.space.encode_cube(self.best.params))
        options = {
            "bounds": [list(-self.shift), list(self.scale - self.shift)],
            "CMA_stds": list(self.scale),
            "popsize": self.task.batch * math.ceil(size / self.task.batch),
            "seed": int(self.rng.integers(1, 2**31)),
            "verbose": -9,
        }
        if self.integers:
            options["integer_variables"] = self.integers
        # A point on the border has no derivative in pycma's transformation of the box.
        self.es = cma.CMAEvolutionStrategy(np.clip(cube, 1e-3, 1 - 1e-3) * self.scale - self.shift, SIGMA, options)

    def ask(self, n: int) -> list[dict]:
        if not self.queue and not self.open:
            if self.es is None or self.es.stop():
                self.start()
            self.queue.extend(self.es.ask())
        if len(self.queue) < n:
            self.queue.extend(self.es.ask(n - len(self.queue)))
        answer = []
        for _ in range(n):
            x = self.queue.popleft()
            cube = (np.asarray(x) + self.shift) / self.scale
            answer.append(self.pending.put(self.space.decode_cube(cube), x))
        self.open += n
        return answer

    def tell(self, observations: list[Observation]) -> None:
        for o in observations:
            if not o.failed and (self.best is None or o.y < self.best.y):
                self.best = o
            x = self.pending.take(o.params)
            if x is not None:
                # NaN: pycma takes it as "not evaluated", the worst of the generation.
                self.told.append((x, math.nan if o.failed else o.y[0]))
                self.open -= 1
        if self.told and not self.open and not self.queue:
            if not all(math.isnan(value) for _, value in self.told):
                worst = max(value for _, value in self.told if not math.isnan(value))
                self.es.tell([x for x, _ in self.told], [worst if math.isnan(v) else v for _, v in self.told])
            self.told = []


if __name__ == "__main__":
    serve(lambda task: CMAES(task.single()))
