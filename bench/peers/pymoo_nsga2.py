"""NSGA-II by pymoo, for several objectives and limits.

Follows "Getting Started": a population of 40, 10 offspring a generation (rounded up to whole batches), SBX crossover and
polynomial mutation; and the page "Ask and Tell". Told points are the first of the first population. Parameters that are
not real are relaxed, as in turbo.py.
"""

from __future__ import annotations

import math
from collections import deque

from protocol import Observation, Pending, Task, serve

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import Problem
from pymoo.core.termination import NoTermination
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM

POPULATION, OFFSPRING = 40, 10
FAILED = 1e30  # what a point that could not be evaluated gets in every outcome


class NSGA2Peer:
    def __init__(self, task: Task):
        self.task, self.space = task, task.space
        self.rng = np.random.default_rng(task.seed)
        self.early: list[Observation] = []  # told before the first generation
        self.algorithm = None
        self.pending = Pending(task.space)
        self.queue: deque = deque()
        self.open = 0

    def start(self) -> None:
        batch, dim = self.task.batch, self.space.width
        told = np.array([self.space.encode_cube(o.params) for o in self.early]).reshape(-1, dim)
        extra = batch * math.ceil(max(POPULATION - len(told), 0) / batch)
        points = np.vstack([told, self.rng.random((extra, dim))])
        self.algorithm = NSGA2(
            pop_size=len(points), n_offsprings=batch * math.ceil(OFFSPRING / batch), sampling=points,
            crossover=SBX(prob=0.9, eta=15), mutation=PM(eta=20), eliminate_duplicates=True,
        )
        problem = Problem(
            n_var=dim, n_obj=len(self.task.objectives), n_ieq_constr=len(self.task.limits), xl=0.0, xu=1.0
        )
        self.algorithm.setup(problem, termination=NoTermination(), seed=int(self.rng.integers(2**31)), verbose=False)

    def generate(self) -> None:
        """Queues the next population; of the first one, what is told needs no evaluation."""
        first = self.algorithm is None
        if first:
            self.start()
        self.population = self.algorithm.ask()
        known = {tuple(self.space.encode_cube(o.params)): o for o in self.early} if first else {}
        for individual in self.population:
            o = known.get(tuple(individual.X))
            if o is None:
                self.queue.append(individual)
            else:
                self.settle(individual, o)
        self.open = len(self.queue)

    def ask(self, n: int) -> list[dict]:
        answer = []
        while len(answer) < n:
            if not self.queue and not self.open:
                self.generate()
            if self.queue:
                individual = self.queue.popleft()
                answer.append(self.pending.put(self.space.decode_cube(individual.X), individual))
            else:  # a generation that is not told, or smaller than its size, cannot fill a batch
                answer.append(self.space.decode_cube(self.rng.random(self.space.width)))
        return answer

    def tell(self, observations: list[Observation]) -> None:
        for o in observations:
            individual = self.pending.take(o.params)
            if individual is not None:
                self.settle(individual, o)
                self.open -= 1
            elif self.algorithm is None:
                self.early.append(o)
        if self.algorithm is not None and not self.open and not self.queue:
            self.algorithm.tell(infills=self.population)

    def settle(self, individual, o: Observation) -> None:
        y, limits = ((FAILED,) * len(self.task.objectives), (FAILED,) * len(self.task.limits)) if o.failed else (o.y, o.limits)
        individual.set("F", np.array(y, float))
        individual.set("G", np.array(limits, float))
        individual.set("H", np.array([]))
        individual.evaluated.update({"F", "G", "H"})


if __name__ == "__main__":
    serve(NSGA2Peer)
