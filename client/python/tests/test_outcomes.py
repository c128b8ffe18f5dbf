"""Studies with several outcomes on a real server."""

from __future__ import annotations

from typing import Any, Dict

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
    with pytest.raises(mahabo.NoneWorked, match="outcome 'b' is missing"):
        mahabo.minimize(lambda p: {"a": 1}, {"x": {"float": [0, 1]}}, 3, outcomes={"a": "minimize", "b": {"at_most": 1}}, method="random", progress=False)
