"""SMAC3.

Follows the page "Facades" of its documentation: BlackBoxFacade (Gaussian process) for few real
parameters, HyperparameterOptimizationFacade (random forest) for all else; and the examples "Ask-and-tell"
and "Warmstarting": points are told as trials, and the facade makes no design of its own.

    --facade auto|blackbox|hpo   (auto: blackbox for up to 20 real parameters)
"""

from __future__ import annotations

import argparse
import tempfile

from protocol import Observation, Pending, Task, same_hashes, serve

if __name__ == "__main__":
    same_hashes()

import ConfigSpace as cs
from smac import BlackBoxFacade, HyperparameterOptimizationFacade, Scenario
from smac.runhistory import StatusType
from smac.runhistory.dataclasses import TrialInfo, TrialValue

FEW = 20


def hyperparameter(p):
    if p.continuous:
        return cs.UniformFloatHyperparameter(p.name, p.low, p.high, log=p.kind == "log")
    if p.kind in ("int", "logint"):
        return cs.UniformIntegerHyperparameter(p.name, int(p.low), int(p.high), log=p.kind == "logint")
    if p.kind == "ordinal":
        return cs.OrdinalHyperparameter(p.name, p.values)
    return cs.CategoricalHyperparameter(p.name, p.values)


class SMAC:
    def __init__(self, task: Task, facade: str):
        self.space = task.space
        self.configs = cs.ConfigurationSpace(seed=task.seed % 2**32)
        self.configs.add([hyperparameter(p) for p in task.space.params])
        self.folder = tempfile.TemporaryDirectory()
        # Trials are counted here by the caller: SMAC only sizes its design by them.
        scenario = Scenario(
            self.configs, deterministic=True, n_trials=max(task.budget, 1), seed=task.seed % 2**31,
            output_directory=self.folder.name,
        )
        if facade == "auto":
            facade = "blackbox" if task.space.continuous and len(task.space.params) <= FEW else "hpo"
        kind = BlackBoxFacade if facade == "blackbox" else HyperparameterOptimizationFacade
        design = None
        if task.initial:
            initial = [self.config(p) for p in task.initial]
            design = kind.get_initial_design(scenario, n_configs=0, additional_configs=initial)
        self.smac = kind(
            scenario, lambda config, seed=0: 0.0, initial_design=design, overwrite=True, logging_level=30,
        )
        self.pending = Pending(task.space)

    def config(self, params: dict) -> cs.Configuration:
        return cs.Configuration(self.configs, values={name: params[name] for name in self.space.names})

    def ask(self, n: int) -> list[dict]:
        answer = []
        for _ in range(n):
            info = self.smac.ask()
            params = {p.name: plain(p, info.config[p.name]) for p in self.space.params}
            answer.append(self.pending.put(params, info))
        return answer

    def tell(self, observations: list[Observation]) -> None:
        for o in observations:
            info = self.pending.take(o.params) or TrialInfo(self.config(o.params), seed=0)
            if o.failed:
                self.smac.tell(info, TrialValue(cost=float("inf"), status=StatusType.CRASHED), save=False)
            else:
                self.smac.tell(info, TrialValue(cost=o.y[0]), save=False)


def plain(p, value):
    """ConfigSpace's values as the space has them."""
    if p.continuous:
        return float(value)
    if p.kind in ("int", "logint"):
        return int(value)
    return p.values[list(p.values).index(value)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facade", choices=("auto", "blackbox", "hpo"), default="auto")
    arguments = parser.parse_args()
    serve(lambda task: SMAC(task.single(), arguments.facade))
