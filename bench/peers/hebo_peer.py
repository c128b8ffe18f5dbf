"""HEBO.

Follows the README of the package: a DesignSpace by kind, suggest(n_suggestions=batch) and observe, all
settings default; told points are observed before the first suggestion.
"""

from __future__ import annotations

import warnings

from protocol import Observation, Task, serve

import numpy as np
import pandas as pd
import torch
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO

warnings.simplefilter("ignore")


def declare(p) -> dict:
    """A parameter of DesignSpace; ordinal levels by their place, labels as texts."""
    if p.kind == "float":
        return {"name": p.name, "type": "num", "lb": p.low, "ub": p.high}
    if p.kind == "log":
        return {"name": p.name, "type": "pow", "lb": p.low, "ub": p.high, "base": 10}
    if p.kind == "int":
        return {"name": p.name, "type": "int", "lb": int(p.low), "ub": int(p.high)}
    if p.kind == "logint":
        return {"name": p.name, "type": "pow_int", "lb": int(p.low), "ub": int(p.high), "base": 10}
    if p.kind == "ordinal":
        return {"name": p.name, "type": "int", "lb": 0, "ub": p.count - 1}
    if p.kind == "bool":
        return {"name": p.name, "type": "bool"}
    return {"name": p.name, "type": "cat", "categories": list(p.values)}


class Hebo:
    def __init__(self, task: Task):
        np.random.seed(task.seed % 2**32)
        torch.manual_seed(task.seed)
        self.space = task.space
        self.optimizer = HEBO(
            DesignSpace().parse([declare(p) for p in task.space.params]), scramble_seed=task.seed % 2**31
        )

    def ask(self, n: int) -> list[dict]:
        rows = self.optimizer.suggest(n_suggestions=n)
        return [{p.name: native(p, rows[p.name].iloc[i]) for p in self.space.params} for i in range(n)]

    def tell(self, observations: list[Observation]) -> None:
        good = [o for o in observations if not o.failed]
        if not good:
            return
        rows = [
            {p.name: p.values.index(o.params[p.name]) if p.kind == "ordinal" else o.params[p.name]
             for p in self.space.params}
            for o in good
        ]
        self.optimizer.observe(pd.DataFrame(rows), np.array([[o.y[0]] for o in good]))


def native(p, value):
    if p.continuous:
        return min(max(float(value), p.low), p.high)
    if p.kind in ("int", "logint"):
        return min(max(int(value), int(p.low)), int(p.high))
    if p.kind == "ordinal":
        return p.values[int(value)]
    return bool(value) if p.kind == "bool" else str(value)


if __name__ == "__main__":
    serve(lambda task: Hebo(task.single()))
