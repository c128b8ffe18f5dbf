"""Parameters as Python objects."""

from __future__ import annotations

import sys
from typing import Any, Callable

import pytest

import mahabo
from mahabo.space import Space


def test_every_kind(client: mahabo.Client) -> None:
    study = client.create_study(
        "objects",
        [
            mahabo.Float("x", -1, 1, unit="m"),
            mahabo.Float("half", 0, 2, step=0.5),
            mahabo.Log("rate", 1e-4, 1, description="of learning"),
            mahabo.Int("n", 1, 5),
            mahabo.Int("even", 0, 10, step=2),
            mahabo.LogInt("width", 16, 4096),
            mahabo.Ordinal("batch", [16, 32, 64]),
            mahabo.Choice("solver", [None, int, "rk4", 3]),
            mahabo.Bool("damped"),
            mahabo.Fixed("gravity", 10.0),
        ],
        method="sobol",
    )
    assert study.space["parameters"]["x"] == {"float": [-1, 1], "unit": "m"}
    point = {
        "x": 0.0, "half": 1.0, "rate": 0.5, "n": 3, "even": 4, "width": 64, "batch": 32,
        "solver": int, "damped": True, "gravity": 10.0,
    }  # fmt: skip
    study.enqueue(point)
    (trial,) = study.ask(1)
    assert trial.params == point and {k: type(v) for k, v in trial.params.items()} == {k: type(v) for k, v in point.items()}
    solvers = {t.params["solver"] for t in study.ask(40)}
    assert solvers == {None, int, "rk4", 3}
    (held,) = study.ask(1, fixed={"solver": None, "even": 10})
    assert held.params["solver"] is None and held.params["even"] == 10
    assert study.records()[0]["solver"] == "int"  # as the file has it
    assert client.study("objects").trial(1).params["solver"] == "int"


def test_arrays_without_numpy(client: mahabo.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    parameters = [mahabo.Float("w", -1, 1, shape=(2, 3)), mahabo.Choice("act", [None, "relu"], shape=2), mahabo.Int("n", 0, 9)]
    study = client.create_study("arrays", parameters, method="sobol")
    point: dict[str, Any] = {"w": [[0.0, 0.1, 0.2], [0.3, 0.4, 0.5]], "act": ["relu", None], "n": 4}
    study.enqueue(point)
    (trial,) = study.ask(1)
    assert trial.params == point
    trial.tell(1.0)
    row = study.records()[0]
    assert row["w4"] == 0.4 and row["act1"] == "None"
    with pytest.raises(ValueError, match="'w' does not have the shape"):
        study.enqueue({**point, "w": [0.0] * 6})


def test_wrong_parameters() -> None:
    cases: list[tuple[Callable[[], Any], str]] = [
        (lambda: Space([mahabo.Float("x", 0, 1), mahabo.Int("x", 0, 1)]), "a name of its own"),
        (lambda: Space(["x"]), "is no parameter"),  # type: ignore[list-item]
        (lambda: mahabo.Choice("c", [1, "1"]), "have to differ"),
        (lambda: mahabo.Float("x", 0, 1, step=0), "has to be positive"),
        (lambda: mahabo.Float("x", 0, 1, shape=(2, 0)), "at least 1"),
    ]
    for wrong, says in cases:
        with pytest.raises((TypeError, ValueError), match=says):
            wrong()


def test_steps_end_within_the_bounds() -> None:
    levels = mahabo.Float("x", 0, 1, step=0.1).kind["ordinal"]
    assert levels == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert mahabo.Int("n", 1, 10, step=4).kind["ordinal"] == [1, 5, 9]
