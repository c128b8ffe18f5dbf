"""numpy's numbers and arrays."""

from __future__ import annotations

from typing import Any

import numpy

import mahabo


def test_numbers(client: mahabo.Client) -> None:
    study = client.create_study("numbers", {"x": {"float": numpy.array([-1, 1])}, "b": {"bool": [False, True]}}, method="sobol")
    study.enqueue({"x": numpy.float32(0.5), "b": numpy.bool_(True)})
    seen: list[Any] = []

    def objective(p: dict[str, Any]) -> Any:
        seen.append(p)
        return numpy.array([p["x"]])

    best = study.minimize(objective, evals=2)
    assert seen[0] == {"x": 0.5, "b": True} and best is not None and type(best.value) is float


def test_whole_numbers_keep_arrays_real(client: mahabo.Client) -> None:
    study = client.create_study("real", {"x": {"float": [0, 4]}}, method="sobol")
    study.enqueue({"x": 2})
    (trial,) = study.ask(1)
    values = numpy.array([trial.params["x"]])
    values -= 0.5  # an array of ints refuses this
    assert values[0] == 1.5


def test_arrays(client: mahabo.Client) -> None:
    parameters = [mahabo.Float("w", -1, 1, shape=(2, 3)), mahabo.Choice("act", [None, "relu"], shape=2), mahabo.Int("n", 0, 9)]
    study = client.create_study("arrays", parameters, method="sobol")
    point: dict[str, Any] = {"w": numpy.linspace(-1, 1, 6).reshape(2, 3), "act": ["relu", None], "n": 4}
    study.enqueue(point)
    (trial,) = study.ask(1)
    assert trial.params["w"].dtype == float and (trial.params["w"] == point["w"]).all()
    assert trial.params["act"].tolist() == ["relu", None] and trial.params["n"] == 4
    (second,) = study.enqueue(trial.params)
    assert (second.params["w"] == point["w"]).all()
