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


def test_parameters_of_a_study_that_exists(client: mahabo.Client) -> None:
    space = [mahabo.Float("x", 0, 1, unit="m"), mahabo.Int("w", 0, 5, shape=(2, 2)), mahabo.Choice("c", [None, 3]), mahabo.Float("h", 0, 2, step=1)]
    made = client.create_study("given", space, method="sobol")
    flat = {"x": {"float": [0, 1], "unit": "m"}, "w[0:1]": {"int": [0, 5]}, "w2": {"int": [0, 5]}, "w3": {"int": [0, 5]}, "c": {"choice": ["None", "3"]}, "h": {"ordinal": [0, 1, 2]}}
    for same in (space, [space[0], *space[:0:-1]], [mahabo.Float("x", 0.0, 1.0, unit="m"), *space[1:]], flat, made.space["parameters"], None, {}):
        assert client.study("given", same).ask(1)[0].params.keys() >= {"x", "c"}
    wrong: list[tuple[Any, str]] = [
        (space[:3], "'h' is missing"),
        ([*space, mahabo.Bool("b")], "'b' is not one of its own"),
        ([mahabo.Float("x", 0, 5), *space[1:]], r"'x' is {'float': \[0, 5\]} instead of {'float': \[0, 1\], 'unit': 'm'}"),
        ([*space[:2], mahabo.Choice("c", [None, 4]), space[3]], "'c' is"),
        ([space[0], mahabo.Int("w", 0, 5, shape=5), *space[2:]], "'w4' is not one of its own"),
        ({**flat, "x": {"log": [0.1, 1]}}, "'x' is {'log'"),
    ]
    for parameters, says in wrong:
        with pytest.raises(mahabo.StudyDiffers, match=f"has other parameters.*{says}"):
            client.study("given", parameters)


def test_another_client_changes_the_parameters(client: mahabo.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    space = [mahabo.Float("x", 0, 1), mahabo.Choice("c", [None, 3])]
    old = client.create_study("moves", space, method="sobol")
    texts = client.study("moves")
    client.study("moves").change([*space, mahabo.Float("y", 0, 4), mahabo.Fixed("z", 1.0)])
    old.enqueue({"x": 1.0, "c": 3, "y": 2.0, "z": 1.0})
    (trial,) = old.ask(1)
    assert trial.params == {"x": 1.0, "c": 3, "y": 2.0, "z": 1.0} and type(trial.params["y"]) is float
    assert old.records()[0]["y"] == 2.0 and "y" in old.space["parameters"]
    assert type(texts.trial(1).params["y"]) is float and texts.trial(1).params["c"] == "3"
    client.study("moves").change([space[0], mahabo.Choice("c", [None, 3, "new"]), mahabo.Float("y", 0, 4), mahabo.Fixed("z", 1.0)])
    old.enqueue({"x": 1.0, "c": "new", "y": 2.0})
    assert [t.params["c"] for t in old.trials()] == [3, "new"]
    monkeypatch.setattr(old._space, "_read", lambda: pytest.fail("read again without need"))
    assert len(list(old.trials())) == 2
    assert old.space["parameters"]["c"] == {"choice": ["None", "3", "new"]}


def test_the_tree_of_a_space_file(client: mahabo.Client) -> None:
    tree = {"parameters": {"x": {"float": [0, 1]}, "y": {"float": [0, 1]}}, "constraints": ["x + y <= 1"], "outcomes": {"m": "maximize", "k": {"at_most": 1}}}
    study = client.create_study("tree", tree, constraints=["x >= 0.2"])
    assert study.space == {**tree, "constraints": ["x + y <= 1", "x >= 0.2"]} and study.goal == "maximize"
    assert client.study("tree", tree).name == "tree"
    tree["constraints"] = ["x + y <= 0.5"]
    assert study.change(tree)["changed"] and study.space == tree
    with pytest.raises(mahabo.Problem, match="the outcomes of a study do not change"):
        study.change({**tree, "outcomes": {"m": "minimize"}})
    odd = client.create_study("odd", {"parameters": {"float": [0, 1]}, "constraints": {"int": [0, 3]}})
    assert set(odd.ask(1)[0].params) == {"parameters", "constraints"}
    with pytest.raises(ValueError, match="section 'bounds': .* parameters, constraints and outcomes"):
        client.create_study("tree2", {**tree, "bounds": {}})


def test_minimize_with_the_tree_of_a_space_file(private: None) -> None:
    tree = {"parameters": {"x": {"float": [0, 1]}}, "constraints": ["x <= 0.5"], "outcomes": {"m": "minimize", "k": {"at_most": 1}}}
    result = mahabo.minimize(lambda p: {"m": p["x"], "k": 0}, tree, evals=4, method="random", progress=False)
    assert result.front is not None and all(row["x"] <= 0.5 for row in result.table)


def test_wrong_parameters() -> None:
    cases: list[tuple[Callable[[], Any], str]] = [
        (lambda: Space([mahabo.Float("x", 0, 1), mahabo.Int("x", 0, 1)]), "a name of its own"),
        (lambda: Space(["x"]), "is no parameter"),  # type: ignore[list-item]
        (lambda: mahabo.Choice("c", [1, "1"]), "have to differ"),
        (lambda: mahabo.Float("x", 0, 1, step=0), "has to be positive"),
        (lambda: mahabo.Float("x", 0, 1, shape=(2, 0)), "at least 1"),
        (lambda: mahabo.Float("x[0:3]", 0, 1), "'x\\[0:3\\]' is a name of an array: write 'x' with shape=4"),
        (lambda: mahabo.Float(3, 0, 1), "name is 3: it has to be a text"),  # type: ignore[arg-type]
        (lambda: mahabo.Float("x", 0, 1, shape=2.5), "shape of 'x' is 2.5: it has to be a whole number"),  # type: ignore[arg-type]
        (lambda: mahabo.Float("x", 0, 1, shape=(2, "3")), "shape of 'x' is '3': it has to be a whole number"),  # type: ignore[arg-type]
        (lambda: Space(None), "the parameters are None: give a list, .* or a dict"),  # type: ignore[arg-type]
    ]
    for wrong, says in cases:
        with pytest.raises((TypeError, ValueError), match=says):
            wrong()


def test_shapes_of_numpy() -> None:
    class Whole:
        def __index__(self) -> int:
            return 2

    assert mahabo.Float("x", 0, 1, shape=Whole()).shape == (2,)  # type: ignore[arg-type]
    assert mahabo.Float("x", 0, 1, shape=(Whole(), 3)).shape == (2, 3)  # type: ignore[arg-type]


def test_steps_end_within_the_bounds() -> None:
    levels = mahabo.Float("x", 0, 1, step=0.1).kind["ordinal"]
    assert levels == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert mahabo.Int("n", 1, 10, step=4).kind["ordinal"] == [1, 5, 9]
