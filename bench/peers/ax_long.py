"""Ax with its early stopping, for evaluations that report while they run.

    ax_long.py none|percentile

The client chooses its method itself, as its documents recommend. `percentile` is the strategy that it takes when none is set, with its
defaults: after five complete trials and step 10 it ends what is in the worse half at a step. A trial that is ended is marked so, with
what it had reported. A report takes Ax about a twentieth of a second: it hears of every sixth step, and of the last.
"""

from __future__ import annotations

import sys

import logging

from protocol import Observation, serve

from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.early_stopping.strategies import PercentileEarlyStoppingStrategy

for name in list(logging.root.manager.loggerDict):
    if name.startswith("ax"):
        logging.getLogger(name).setLevel(logging.ERROR)

STRATEGIES = {
    "none": lambda: None,
    "percentile": lambda: PercentileEarlyStoppingStrategy(),
}
EVERY = 6  # steps from one report to the next
STEPS = 81  # of an evaluation


def parameter(p):
    """The configuration of a parameter."""
    if p.continuous or p.kind in ("int", "logint"):
        return RangeParameterConfig(
            name=p.name, bounds=(p.low, p.high), parameter_type="float" if p.continuous else "int",
            scaling="log" if p.kind in ("log", "logint") else "linear",
        )  # fmt: skip
    kind = {"bool": "bool", "choice": "str"}.get(p.kind, "float")
    return ChoiceParameterConfig(name=p.name, values=list(p.values), parameter_type=kind, is_ordered=p.kind == "ordinal")


class Long:
    """An experiment that hears of reports. Points of the initial design are attached when they are first heard of."""

    reports = True

    def __init__(self, task, strategy):
        self.space = task.space
        self.outcome = task.objectives[0].name
        self.strategy = strategy
        self.client = Client(random_seed=task.seed % 2**31)
        self.client.configure_experiment(parameters=[parameter(p) for p in task.space.params])
        self.client.configure_optimization(objective=f"-{self.outcome}")
        self.client.configure_generation_strategy(initialization_budget=task.init)
        if strategy is not None:
            self.client.set_early_stopping_strategy(strategy)
        self.open = {}  # index by parameters

    def ask(self, n: int) -> list[dict]:
        answer = []
        for index, params in self.client.get_next_trials(max_trials=n).items():
            answer.append(dict(params))
            self.open[self.key(params)] = index
        return answer

    def report(self, params: dict, step: int, value: float) -> bool:
        if step % EVERY and step != STEPS or self.strategy is None and step != STEPS:
            return False
        index = self.index(params)
        self.client.attach_data(trial_index=index, raw_data={self.outcome: value}, progression=step)
        return self.strategy is not None and self.client.should_stop_trial_early(trial_index=index)

    def tell(self, observations: list[Observation]) -> None:
        for o in observations:
            index = self.index(o.params)
            if o.stopped:  # by the strategy, or as the last one, for which no steps were left
                self.client.mark_trial_early_stopped(trial_index=index)
            elif o.failed:
                self.client.mark_trial_failed(trial_index=index)
            else:  # its last report is its value
                self.client.complete_trial(trial_index=index)
            del self.open[self.key(o.params)]

    def index(self, params: dict) -> int:
        at = self.key(params)
        if at not in self.open:
            self.open[at] = self.client.attach_trial(parameters={name: params[name] for name in self.space.names})
        return self.open[at]

    def key(self, params: dict) -> tuple:
        return tuple(params[name] for name in self.space.names)


def build(task):
    return Long(task.single(), STRATEGIES[sys.argv[1]]())


if __name__ == "__main__":
    serve(build)
