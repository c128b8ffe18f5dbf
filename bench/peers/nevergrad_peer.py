"""Nevergrad's NGOpt, the optimiser its documentation recommends as a default.

Follows the guide "How to perform optimization": a parametrization by kind, the budget and the number of
workers (the batch) known from the start, ask and tell, and points that were not asked for told as
children of the parametrization.
"""

from __future__ import annotations

import warnings

from protocol import Observation, Pending, Task, serve

import nevergrad as ng

warnings.filterwarnings("ignore", module="nevergrad")


def parameter(p):
    if p.kind == "float":
        return ng.p.Scalar(lower=p.low, upper=p.high)
    if p.kind == "int":
        return ng.p.Scalar(lower=p.low, upper=p.high).set_integer_casting()
    if p.kind == "log":
        return ng.p.Log(lower=p.low, upper=p.high)
    if p.kind == "logint":
        return ng.p.Log(lower=p.low, upper=p.high).set_integer_casting()
    if p.kind == "ordinal":
        return ng.p.TransitionChoice(p.values)
    return ng.p.Choice(p.values)


class NGOpt:
    def __init__(self, task: Task):
        self.space = task.space
        parametrization = ng.p.Dict(**{p.name: parameter(p) for p in task.space.params})
        parametrization.random_state.seed(task.seed % 2**32)
        self.optimizer = ng.optimizers.NGOpt(
            parametrization, budget=task.budget or None, num_workers=task.batch
        )
        self.pending = Pending(task.space)
        self.ints = {p.name for p in task.space.params if p.kind in ("int", "logint")}

    def ask(self, n: int) -> list[dict]:
        answer = []
        for _ in range(n):
            candidate = self.optimizer.ask()
            params = {k: int(v) if k in self.ints else v for k, v in candidate.value.items()}
            answer.append(self.pending.put(params, candidate))
        return answer

    def tell(self, observations: list[Observation]) -> None:
        for o in observations:
            candidate = self.pending.take(o.params)
            if o.failed:
                continue
            if candidate is None:
                values = {name: o.params[name] for name in self.space.names}
                candidate = self.optimizer.parametrization.spawn_child(new_value=values)
            self.optimizer.tell(candidate, o.y[0])


if __name__ == "__main__":
    serve(lambda task: NGOpt(task.single()))
