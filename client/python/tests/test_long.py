"""Trials that take long: reports, stopping, checkpoints, cost."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import objectives
import pytest
from serving import SPACE

import mahabo

LINE = [mahabo.Float("x", 0, 1)]


def learn(params: dict[str, Any], trial: Any) -> float:
    """Train in nine steps, from the last checkpoint on."""
    value = 1.0
    for step in range(1, 10):
        value = params["x"] + 1 / step
        if trial.report(step, value):
            raise mahabo.Stopped
    trial.cost = 2.0
    return value


def test_by_hand(client: mahabo.Client) -> None:
    study = client.create_study("long-hand", LINE, method="sobol", stop="asha:first=2,after=1", max_cost=9)
    assert study.info().stop == "asha:first=2,after=1"
    one, two = study.ask(2)
    assert not one.report(1, 3.0) and not one.report(2, 2.0)
    one.tell(1.0, cost=5)
    assert not two.report(1, 9.0) and not two.should_stop
    assert two.report(2, 8.0) and two.should_stop
    two.heartbeat()
    assert two.should_stop
    two.stopped()
    assert (two.state, two.value, two.counts_as, two.should_stop) == ("stopped", None, 1.0, False)
    assert two.last is not None and (two.last.step, two.last.value) == (2, 8.0)
    assert two.reason.startswith("asha")
    assert [r.value for r in two.reports()] == [9.0, 8.0]
    assert [r.step for r in study.reports([1, 2], most=1)[1]] == [2]
    assert study.info().spent >= 5 and study.trial(1).cost == 5
    two.retry()
    assert study.trial(2).state == "waiting"
    assert [t.number for t in study.trials("stopped")] == []


def test_outcomes_are_reported(client: mahabo.Client) -> None:
    study = client.create_study("long-outcomes", LINE, outcomes={"loss": "minimize", "size": {"at_most": 3}})
    (trial,) = study.ask(1)
    assert not trial.report(0, {"loss": 1.0, "size": 2.0})
    assert trial.reports()[0].outcomes == {"loss": 1.0, "size": 2.0}
    with pytest.raises(mahabo.Problem, match="loss"):
        trial.report(1, {"size": 2.0})
    with pytest.raises(ValueError):
        trial.report(1, float("nan"))


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_objective_with_a_trial(client: mahabo.Client, workers: str) -> None:
    study = client.create_study("long-" + workers, LINE, method="sobol", stop="asha:first=3,after=2")
    best = study.minimize(objectives.learn if workers == "processes" else learn, evals=10, parallel=2, workers=workers)
    states = study.info().states
    assert best is not None and states["stopped"] > 0 and states["stopped"] + states["complete"] == 10
    for trial in study.trials("stopped"):
        assert trial.reason.startswith("asha: place") and len(trial.reports()) >= 3
    assert all(t.cost == 2 for t in study.trials("complete"))


def test_coroutine_with_a_trial(client: mahabo.Client) -> None:
    async def objective(params: dict[str, Any], trial: mahabo.Trial) -> float:
        if await trial.report_async(1, params["x"]):
            raise mahabo.Stopped
        return float(params["x"])

    study = client.create_study("long-async", LINE, method="sobol", stop="asha:first=1,after=2")
    study.minimize(objective, evals=8)
    assert study.info().states["stopped"] > 0


def test_old_objectives_see_no_change(study: mahabo.Study) -> None:
    def scaled(params: dict[str, Any], factor: float = 2.0) -> float:
        assert factor == 2.0
        return factor * float(params["x"])

    study.minimize(scaled, evals=2)
    assert study.info().states == {"complete": 2}
    assert study.reports([1, 2]) == {}
    assert study.trial(1).cost == 0 and study.trial(1).last is None


def test_checkpoints(tmp_path: Path) -> None:
    def objective(params: dict[str, Any], trial: mahabo.Trial) -> float:
        assert trial.checkpoint is not None
        file = trial.checkpoint / "step"
        seen.append(int(file.read_text()) if file.exists() else 0)
        file.write_text("7")
        if len(seen) == 1:
            raise RuntimeError("power cut")
        return float(params["x"])

    seen: list[int] = []
    path, points = tmp_path / "a.db", tmp_path / "points"
    mahabo.minimize(objective, LINE, evals=2, path=path, method="sobol", progress=False, checkpoints=points)
    mahabo.minimize(objective, LINE, evals=3, path=path, method="sobol", progress=False, checkpoints=points, stop=None)
    assert seen == [0, 0, 0] and (points / "2" / "step").read_text() == "7"


def test_budgets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def objective(params: dict[str, Any], trial: mahabo.Trial) -> float:
        trial.cost = 2.0
        return float(params["x"])

    result = mahabo.minimize(objective, LINE, evals=50, method="sobol", max_cost=9)
    assert len(result.table) == 5 and "cost of all trials is 10" in capsys.readouterr().err
    start = time.monotonic()
    result = mahabo.minimize(lambda p: time.sleep(0.1) or p["x"], LINE, evals=500, method="sobol", hours=1 / 3600)
    assert len(result.table) < 50 and time.monotonic() - start < 30


def test_wrong_rule(client: mahabo.Client) -> None:
    with pytest.raises(mahabo.Problem, match="there is no rule"):
        client.create_study("long-wrong", SPACE, stop="halve")
