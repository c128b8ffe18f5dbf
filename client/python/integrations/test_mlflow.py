"""MLflowCallback with MLflow itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlflow
import pytest

import mahabo
from mahabo.mlflow import MLflowCallback

pytestmark = pytest.mark.usefixtures("private")


def objective(p: dict[str, Any]) -> Any:
    if p["n"] == 3:
        raise RuntimeError("no licence")
    return p["x"] ** 2 + sum(p["w"]), 0.5


def test_runs(tmp_path: Path) -> None:
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    space = [mahabo.Float("x", -1, 1), mahabo.Float("w", 0, 1, shape=120), mahabo.Int("n", 1, 3)]
    experiment = mlflow.set_experiment("rig").experiment_id
    with mlflow.start_run() as parent:
        result = mahabo.minimize(objective, space, evals=9, parallel=3, method="sobol", callback=MLflowCallback(metric="loss"))
    runs = mlflow.MlflowClient().search_runs([experiment], f"tags.`mlflow.parentRunId` = '{parent.info.run_id}'")
    assert len(runs) == 9
    rows = {row["number"]: row for row in result.table}
    for run in runs:
        row = rows[int(run.data.tags["mahabo.trial"])]
        assert run.info.status == ("FINISHED" if row["state"] == "complete" else "FAILED")
        assert len(run.data.params) == 122 and float(run.data.params["w119"]) == row["w119"]
        if row["value"] is None:
            assert "no licence" in run.data.tags["mahabo.reason"] and not run.data.metrics
        else:
            assert run.data.metrics == {"loss": row["value"], "loss_std": 0.5}
    mahabo.minimize(lambda p: p["x"], [mahabo.Float("x", 0, 1)], evals=2, callback=MLflowCallback(experiment="other"))
    other = mlflow.MlflowClient().get_experiment_by_name("other")
    assert other is not None and len(mlflow.MlflowClient().search_runs([other.experiment_id])) == 2
