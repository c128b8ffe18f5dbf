"""Trials as runs of MLflow.

    mahabo.minimize(f, space, evals=50, callback=mahabo.mlflow.MLflowCallback())
"""

from __future__ import annotations

from typing import Any

import mlflow
from mlflow.entities import Metric, Param, RunTag
from mlflow.tracking import MlflowClient

from .trial import Trial

_BATCH = 100  # parameters that MLflow takes at once


class MLflowCallback:
    """Records every trial as a run, within the run that is active when it is made, if there is one.

    experiment is the name of the experiment, else it is the one that mlflow has. metric is how
    the value is called.
    """

    def __init__(self, *, metric: str = "value", experiment: str | None = None, tracking_uri: str | None = None) -> None:
        self._metric = metric
        self._client = MlflowClient(tracking_uri)
        active = mlflow.active_run()
        self._parent = active.info.run_id if active else None
        if experiment is not None:
            found = self._client.get_experiment_by_name(experiment)
            self._experiment: str = found.experiment_id if found else self._client.create_experiment(experiment)
        elif active:
            self._experiment = active.info.experiment_id
        else:
            default = mlflow.tracking.fluent._get_experiment_id()
            self._experiment = default

    def __call__(self, trial: Trial) -> None:
        """Record a trial. Threads may call it at once: it does not use the active run."""
        tags: dict[str, Any] = {"mahabo.study": trial.study.name, "mahabo.trial": str(trial.number), "mahabo.state": trial.state}
        if self._parent is not None:
            tags["mlflow.parentRunId"] = self._parent
        run = self._client.create_run(self._experiment, tags=tags, run_name=f"{trial.study.name}-{trial.number}").info
        flat = trial.study.flat(trial.params)
        params = [Param(name, str(value)) for name, value in flat.items()]
        time = run.start_time
        metrics = [] if trial.value is None else [Metric(self._metric, trial.value, time, 0)]
        if trial.std:
            metrics.append(Metric(f"{self._metric}_std", trial.std, time, 0))
        reason = [RunTag("mahabo.reason", trial.reason)] if trial.reason else []
        self._client.log_batch(run.run_id, metrics=metrics, params=params[:_BATCH], tags=reason)
        for i in range(_BATCH, len(params), _BATCH):
            self._client.log_batch(run.run_id, params=params[i : i + _BATCH])
        self._client.set_terminated(run.run_id, "FINISHED" if trial.state == "complete" else "FAILED")
