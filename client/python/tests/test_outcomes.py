"""Studies with several outcomes on a real server."""

from __future__ import annotations

from typing import Any, Callable, Dict

import pytest

import mahabo

OUTCOMES = {"mass": "minimize", "range": "maximize", "stress": {"at_most": 10}, "temp": "record"}


def test_outcomes(client: mahabo.Client) -> None:
    study = client.create_study("beam", {"x": {"float": [0, 1]}}, outcomes=OUTCOMES, method="sobol")
    one, two, three = study.ask(3)
    one.tell({"mass": 1.5})
    assert one.state == "running" and one.outcomes == {"mass": 1.5} and one.value is None
    one.tell({"range": 2, "stress": (11, 0.5)})
    assert one.state == "complete" and one.value == 1.5 and one.stds == {"stress": 0.5}
    best = study.best()
    assert best is not None and best.violations == {"stress": 1}
    least = study.front().least
    assert least is not None and least.number == 1
    study.tell({2: {"mass": 1, "range": 1, "stress": 1}, 3: {"mass": 2, "range": 3, "stress": 1}})
    front = study.front()
    assert [p.number for p in front.points] == [2, 3] and front.knee is not None and front.least is None
    assert front.objectives == ["mass", "range"] and front.hypervolume > 0 and front.kept == {"stress": 2}
    one.correct({"stress": 9})
    assert len(study.front().points) == 3
    row = study.records()[0]
    assert row["mass"] == 1.5 and row["stress.std"] == 0.5 and "value" not in row
    with pytest.raises(mahabo.Problem, match="did you mean"):
        two.correct({"mas": 1})
    client.delete_study("beam")


def test_minimize(tmp_path: Any, binary: Any) -> None:
    def f(p: Dict[str, Any]) -> Dict[str, Any]:
        return {"a": p["x"] ** 2, "b": ((p["x"] - 1) ** 2, 0.1), "c": p["x"]}

    result = mahabo.minimize(
        f,
        {"x": {"float": [-2, 2]}},
        evals=12,
        outcomes={"a": "minimize", "b": "minimize", "c": {"at_least": 0}},
        method="random",
        path=tmp_path / "a.db",
        progress=False,
    )
    assert result.front is not None and result.front.points and "front of" in str(result)
    assert all(p.outcomes["c"] >= 0 for p in result.front.points)


@pytest.mark.parametrize("value", [1.0, (1.0, 0.1), {"a": 1}, {"a": 1, "b0": 1}], ids=["number", "pair", "one", "part of an array"])
def test_missing_outcomes(private: None, value: Any) -> None:
    outcomes = {"a": "minimize", "b[0:1]": {"at_most": 1}, "c": "record"}
    with pytest.raises(mahabo.NoneWorked, match="all of the first 10 trials failed, .*outcome 'b[01]' is missing"):
        mahabo.minimize(lambda p: value, {"x": {"float": [0, 1]}}, 20, outcomes=outcomes, method="random", progress=False)


def test_one_objective_takes_a_number(client: mahabo.Client) -> None:
    study = client.create_study("alone", {"x": {"float": [0, 1]}}, outcomes={"a": "minimize", "c": "record"}, method="sobol")
    best = study.minimize(lambda p: (2.0, 0.5), evals=1)
    assert best is not None and best.outcomes["a"] == 2 and study.trial(1).stds == {"a": 0.5}


def test_what_the_server_refuses_fails_one_trial(client: mahabo.Client) -> None:
    def costs(name: str, value: Any, stop: bool = False) -> Callable[[Any], Any]:
        def returned(trial: Any) -> Any:
            setattr(trial, name, value)
            if stop:
                raise mahabo.Stopped
            return {"m": 1, "k": 1}

        return returned

    wrong: list[tuple[Callable[[Any], Any], str]] = [
        (lambda t: {"m": 1, "k": 1, "warn": 1}, "warn"),
        (lambda t: {"m": (1, -1.0), "k": 1}, "std is -1.0"),
        (lambda t: {"m": (1, 2, 3), "k": 1}, "'m' is (1, 2, 3): give a number, or a pair of the value and its std"),
        (costs("cost", -1), "trial.cost is -1"),
        (costs("cost", "a"), "trial.cost is 'a'"),
        (costs("cost", -1, stop=True), "trial.cost is -1"),
        (costs("seconds", float("nan")), "trial.seconds is nan"),
    ]
    study = client.create_study("refused", {"x": {"float": [0, 1]}}, outcomes={"m": "minimize", "k": {"at_least": 0}}, method="sobol")
    told: list[mahabo.Trial] = []

    def objective(p: Dict[str, Any], trial: Any) -> Any:
        return wrong[trial.number - 1][0](trial) if trial.number <= len(wrong) else {"m": 1, "k": 1}

    study.minimize(objective, evals=len(wrong) + 1, callback=told.append)
    assert [t.state for t in told] == ["failed"] * len(wrong) + ["complete"]
    for trial, (_, says) in zip(told, wrong):
        assert says in trial.reason


def test_one_std_for_several_outcomes(client: mahabo.Client) -> None:
    study = client.create_study("one-std", {"x": {"float": [0, 1]}}, outcomes=OUTCOMES, method="sobol")
    (trial,) = study.ask(1)
    for tell in (trial.tell, trial.correct):
        with pytest.raises(TypeError, match=r"give pairs \(value, std\)"):
            tell({"mass": 1, "range": 2}, std=0.3)
    assert study.trial(1).outcomes == {}
