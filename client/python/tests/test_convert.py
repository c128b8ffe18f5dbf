"""Numbers on their way to a study and back."""

from __future__ import annotations

from typing import Any

import pytest
from serving import Server

import mahabo


class Scalar:
    """What numpy's scalars look like; numpy itself need not be there."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def item(self) -> Any:
        return self._value


KINDS = {
    "x": {"float": [0, 4]},
    "w[0:1]": {"float": [0, 4]},
    "rate": {"log": [1, 100]},
    "n": {"int": [1, 5]},
    "mixed": {"ordinal": [0.5, 1, 2]},
    "whole": {"ordinal": [16, 32]},
}
POINT = {"x": 2, "w0": 1, "w1": 3, "rate": 10, "n": 3, "mixed": 1, "whole": 16}
TYPES = {"x": float, "w0": float, "w1": float, "rate": float, "n": int, "mixed": float, "whole": int}


def test_parameters_have_the_type_of_their_kind(client: mahabo.Client) -> None:
    study = client.create_study("kinds", KINDS, method="sobol")
    study.enqueue(POINT)
    (trial,) = study.ask(1)
    assert trial.params == POINT and {k: type(v) for k, v in trial.params.items()} == TYPES
    trial.tell(3)
    best = study.best()
    assert best is not None and {k: type(v) for k, v in best.params.items()} == TYPES
    assert (type(best.value), type(trial.value), type(study.trial(1).params["x"])) == (float, float, float)
    stored = study.info().best
    assert stored is not None and type(stored.params["x"]) is float


def test_scalars_of_numpy(client: mahabo.Client) -> None:
    bounds = {"x": {"float": [Scalar(-1), Scalar(1.0)]}, "n": {"int": [Scalar(1), Scalar(5)]}}
    study = client.create_study("scalars", bounds, method="sobol")
    study.enqueue({"x": Scalar(0.5), "n": Scalar(2)})
    (trial,) = study.ask(1)
    assert trial.params == {"x": 0.5, "n": 2}
    trial.tell(Scalar(1.5))  # type: ignore[arg-type]
    (other,) = study.ask(1, fixed={"n": Scalar(4)})
    assert other.params["n"] == 4
    study.tell({other.number: Scalar(0.25)})  # type: ignore[dict-item]
    assert [t.value for t in study.trials()] == [1.5, 0.25]


@pytest.mark.parametrize(
    ("value", "says"),
    [(None, "the value is None"), ([1.0, 2.0], "list"), (float("nan"), "trial.fail(reason) or trial.infeasible(reason)")],
    ids=["none", "list", "nan"],
)
def test_values_that_are_none(study: mahabo.Study, value: Any, says: str) -> None:
    (trial,) = study.ask(1)
    with pytest.raises((TypeError, ValueError)) as caught:
        trial.tell(value)
    assert says in str(caught.value)
    with pytest.raises((TypeError, ValueError)) as caught:
        study.tell({trial.number: value})
    assert says in str(caught.value)
    assert study.trial(1).state == "running"


def test_an_ask_says_who_chose(study: mahabo.Study) -> None:
    (trial,) = study.ask(1)
    assert trial.model == mahabo.Model("sobol")


def test_improvised_points_are_a_warning(binary: str, tmp_path: Any) -> None:
    server = Server(binary, tmp_path, "--patience", "1ns")
    try:
        study = mahabo.connect(server.url).create_study("hasty", {"w[0:99]": {"float": [-1, 1]}}, init=2)
        with pytest.warns(mahabo.ImprovisedWarning, match="not those of adaptive: .*not ready"):
            for _ in range(20):
                (trial,) = study.ask(1)
                assert trial.model is not None
                if trial.model.fallback:
                    break
                trial.tell(sum(v * v for v in trial.params.values()))
    finally:
        server.stop()
