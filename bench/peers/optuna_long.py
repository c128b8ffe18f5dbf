"""Optuna's TPESampler with one of its pruners, for evaluations that report while they run.

    optuna_long.py none|median|asha|hyperband

Samplers and pruners have their defaults, but that TPE is multivariate as in optuna_tpe.py, and that hyperband is told
the number of steps, which it needs. A pruned trial is told as such, with what it had reported.
"""

import sys

from protocol import Observation, serve

import optuna
from optuna.samplers import TPESampler

from optuna_study import Study

STEPS = 81  # of an evaluation

PRUNERS = {
    "none": lambda: optuna.pruners.NopPruner(),
    "median": lambda: optuna.pruners.MedianPruner(),
    "asha": lambda: optuna.pruners.SuccessiveHalvingPruner(),
    "hyperband": lambda: optuna.pruners.HyperbandPruner(max_resource=STEPS),
}


class Long(Study):
    """A study that hears of reports. Points of the initial design are enqueued when they are first heard of."""

    reports = True

    def __init__(self, task, pruner):
        super().__init__(task, TPESampler(seed=task.seed % 2**32, multivariate=True))
        self.study.pruner = pruner
        self.running = None  # trial that is being evaluated, and its parameters

    def report(self, params: dict, step: int, value: float) -> bool:
        if self.running is None or self.running[0] != params:
            trial = self.pending.take(params) or self.enqueue(params)
            self.running = (params, trial)
        trial = self.running[1]
        trial.report(value, step)
        return trial.should_prune()

    def enqueue(self, params: dict):
        internal = {name: params[name] for name in self.distributions}
        for name, levels in self.levels.items():
            internal[name] = levels.index(internal[name])
        self.study.enqueue_trial(internal)
        return self.study.ask(self.distributions)

    def tell(self, observations: list[Observation]) -> None:
        for o in observations:
            if self.running is None or self.running[0] != o.params:
                super().tell([o])
                continue
            trial, self.running = self.running[1], None
            if o.stopped:
                self.study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            elif o.failed:
                self.study.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                self.study.tell(trial, list(o.y))


def build(task):
    return Long(task.single(), PRUNERS[sys.argv[1]]())


if __name__ == "__main__":
    serve(build)
