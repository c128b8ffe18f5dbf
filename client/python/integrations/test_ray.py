"""MahaboSearch with Ray Tune itself."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path
from typing import Any, Iterator

import pytest
import ray
from ray import tune
from ray.tune.search import ConcurrencyLimiter

import mahabo
from mahabo.ray import MahaboSearch

pytestmark = pytest.mark.usefixtures("private")
SPACE = {
    "lr": tune.loguniform(1e-4, 1),
    "net": {"layers": tune.randint(1, 9), "kind": tune.choice(["a", None, 3]), "width": tune.qrandint(16, 64, 16)},
    "seed": 7,
}


def loss(config: dict[str, Any]) -> float:
    net = config["net"]
    assert config["seed"] == 7 and 1 <= net["layers"] <= 8 and net["width"] in (16, 32, 48, 64)
    return abs(config["lr"] - 0.01) + (net["layers"] - 5) ** 2 + (net["kind"] is not None)


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}  # the workers import this file
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": paths})
    yield
    ray.shutdown()


def test_tuner(cluster: None, tmp_path: Path) -> None:
    def train(config: dict[str, Any]) -> dict[str, float]:
        return {"loss": loss(config)}

    start = [{"lr": 0.5, "net": {"layers": 2, "kind": None, "width": 32}, "seed": 7}]
    search = ConcurrencyLimiter(MahaboSearch(points_to_evaluate=start), max_concurrent=2)
    tuner = tune.Tuner(
        train,
        param_space=SPACE,
        tune_config=tune.TuneConfig(search_alg=search, metric="loss", mode="min", num_samples=6),
        run_config=tune.RunConfig(storage_path=str(tmp_path), verbose=0),
    )
    results = tuner.fit()
    assert len(results) == 6 and not results.errors
    configs = [r.config for r in results]
    assert start[0] in configs
    best = results.get_best_result()
    assert best.metrics is not None and best.metrics["loss"] == min(loss(c) for c in configs)


def test_save_and_restore(tmp_path: Path) -> None:
    first = MahaboSearch(SPACE, "loss", "min", seed=1)
    for i in range(6):
        first.on_trial_complete(f"t{i}", {"loss": loss(first.suggest(f"t{i}"))})  # type: ignore[arg-type]
    first.on_trial_complete("none", {"loss": 1.0})  # not one of it
    running = first.suggest("running")
    first.suggest("broken")
    first.on_trial_complete("broken", error=True)
    first.save(str(tmp_path / "state"))
    second = MahaboSearch(SPACE, "loss", "min", seed=1)
    second.restore(str(tmp_path / "state"))
    for other in (second, pickle.loads(pickle.dumps(first))):
        study = other._started()
        assert study.info().states == {"complete": 6, "failed": 1, "running": 1}
        other.on_trial_complete("running", {"loss": loss(running)})  # type: ignore[arg-type]
        assert study.info().states == {"complete": 7, "failed": 1}


def test_parameters_and_points_evaluated_before() -> None:
    points = [{"x": 0.5}, {"x": 0.25}]
    search = MahaboSearch([mahabo.Float("x", 0, 1)], "score", "max", points_to_evaluate=points, evaluated_rewards=[3.0])
    assert search.suggest("a") == {"x": 0.25}
    best = search._started().best()
    assert best is not None and best.value == 3.0
    finite = MahaboSearch([mahabo.Int("n", 1, 2)], "score", "max")
    assert {finite.suggest("a")["n"], finite.suggest("b")["n"]} == {1, 2}  # type: ignore[index]
    assert finite.suggest("c") == MahaboSearch.FINISHED


def test_mistakes() -> None:
    with pytest.raises(ValueError, match="grid_search"):
        MahaboSearch({"x": tune.grid_search([1, 2])})
    with pytest.raises(ValueError, match="knows uniform"):
        MahaboSearch({"x": tune.randn()})
    with pytest.raises(ValueError, match="metric and mode"):
        MahaboSearch([mahabo.Float("x", 0, 1)]).suggest("a")
