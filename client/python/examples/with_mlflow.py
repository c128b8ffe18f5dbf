"""Every trial is a run of MLflow."""

import mlflow

import mahabo
from mahabo.mlflow import MLflowCallback

mlflow.set_tracking_uri("sqlite:///runs.db")
mlflow.set_experiment("rig")
with mlflow.start_run():
    result = mahabo.minimize(
        lambda p: abs(p["rate"] - 0.01), [mahabo.Log("rate", 1e-5, 0.1)], evals=12, callback=MLflowCallback(metric="loss")
    )
print("best value", result.value, "with", result.params)
