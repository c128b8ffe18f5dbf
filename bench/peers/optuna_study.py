"""What the Optuna peers share: the ask-and-tell interface with define-and-run distributions.

Points that were not asked for are enqueued, asked for and told.
"""

from __future__ import annotations

from protocol import Observation, Pending, Task

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

optuna.logging.set_verbosity(optuna.logging.WARNING)


def distribution(p):
    """The distribution of a parameter. Optuna has no ordinal: it gets the place in the list."""
    if p.continuous:
        return FloatDistribution(p.low, p.high, log=p.kind == "log")
    if p.kind in ("int", "logint"):
        return IntDistribution(int(p.low), int(p.high), log=p.kind == "logint")
    if p.kind == "ordinal":
        return IntDistribution(0, p.count - 1)
    return CategoricalDistribution(p.values)


class Study:
    def __init__(self, task: Task, sampler: optuna.samplers.BaseSampler):
        self.task, self.space = task, task.space
        self.distributions = {p.name: distribution(p) for p in task.space.params}
        self.levels = {p.name: list(p.values) for p in task.space.params if p.kind == "ordinal"}
        self.study = optuna.create_study(sampler=sampler, directions=["minimize"] * len(task.objectives))
        self.pending = Pending(task.space)

    def ask(self, n: int) -> list[dict]:
        answer = []
        for _ in range(n):
            trial = self.study.ask(self.distributions)
            params = {name: self.levels[name][v] if name in self.levels else v for name, v in trial.params.items()}
            answer.append(self.pending.put(params, trial))
        return answer

    def tell(self, observations: list[Observation]) -> None:
        for o in observations:
            trial = self.pending.take(o.params)
            if trial is None:
                self.add(o)
                continue
            for outcome, value in zip(self.task.limits, o.limits):
                trial.set_constraint(outcome.name, value)
            if o.failed:
                self.study.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                self.study.tell(trial, list(o.y))

    def add(self, o: Observation) -> None:
        """Adds a point that was not asked for."""
        if o.failed:
            return
        params = {name: o.params[name] for name in self.distributions}
        for name, levels in self.levels.items():
            params[name] = levels.index(params[name])
        self.study.enqueue_trial(params)
        trial = self.study.ask(self.distributions)
        for outcome, value in zip(self.task.limits, o.limits):
            trial.set_constraint(outcome.name, value)
        self.study.tell(trial, list(o.y))
