"""MahaboSampler with Optuna itself."""

from __future__ import annotations

import os
import pickle
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

import mahabo
from mahabo.optuna import MahaboSampler

pytestmark = pytest.mark.usefixtures("private")
optuna.logging.set_verbosity(optuna.logging.ERROR)


def mixed(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x / m", -5, 5)
    rate = trial.suggest_float("rate", 1e-5, 1, log=True)
    part = trial.suggest_float("part", 0, 1, step=0.1)
    layers = trial.suggest_int("layers", 1, 9, step=2)
    width = trial.suggest_int("width", 8, 512, log=True)
    kind = trial.suggest_categorical("kind", ["a", None, 3])
    one = trial.suggest_float("one", 2, 2)
    assert type(x) is float and type(layers) is int and layers % 2 == 1 and 8 <= width <= 512 and one == 2
    assert min(abs(part - k / 10) for k in range(11)) < 1e-9
    return (x - 1) ** 2 + abs(rate - 0.01) + (part - 0.3) ** 2 + (layers - 5) ** 2 + (kind is not None)


def test_define_by_run() -> None:
    study = optuna.create_study(sampler=MahaboSampler(seed=1))
    study.optimize(mixed, n_trials=60)
    assert study.best_value < 1.5
    assert all(t.state == optuna.trial.TrialState.COMPLETE for t in study.trials)


def test_a_fixed_space_from_the_first_trial_on() -> None:
    space = {"x": FloatDistribution(-5, 5), "n": IntDistribution(0, 9), "k": CategoricalDistribution([True, False])}
    sampler = MahaboSampler(space, seed=3)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    for _ in range(30):
        trial = study.ask(space)
        study.tell(trial, -((trial.params["x"] - 1) ** 2) + trial.params["n"] + trial.params["k"])
    assert study.best_value > 8
    sampler.close()


def test_spaces_that_depend_on_values() -> None:
    def objective(trial: optuna.Trial) -> float:
        kind = trial.suggest_categorical("kind", ["line", "curve"])
        x = trial.suggest_float("x", -1, 1)
        bend = trial.suggest_float("bend", 0, 1) if kind == "curve" else 1.0
        return x**2 + bend

    study = optuna.create_study(sampler=MahaboSampler(seed=1))
    study.optimize(objective, n_trials=40)
    assert study.best_params["kind"] == "curve" and study.best_value < 0.5


def test_failed_pruned_and_enqueued() -> None:
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", -1, 1)
        if trial.number == 5:
            raise RuntimeError("no licence")
        if trial.number == 6:
            raise optuna.TrialPruned
        if trial.number == 7:
            return float("nan")
        return abs(x)

    study = optuna.create_study(sampler=MahaboSampler(seed=2))
    study.enqueue_trial({"x": 0.25})
    study.optimize(objective, n_trials=15, catch=(RuntimeError,))
    study.enqueue_trial({"x": 0.0})
    study.optimize(objective, n_trials=3)
    assert study.trials[0].params["x"] == 0.25 and study.trials[15].params["x"] == 0.0 and study.best_value == 0
    copy = next(iter(study.sampler._copies.values()))  # type: ignore[attr-defined]
    states = copy._study.info().states
    assert states["failed"] == 3 and states["complete"] == 15
    best = copy._study.best()
    assert best is not None and best.value == 0.0


def test_threads() -> None:
    together = threading.Barrier(4)

    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", -1, 1)
        if trial.number < 8:
            together.wait(30)
        return x * x

    study = optuna.create_study(sampler=MahaboSampler({"x": FloatDistribution(-1, 1)}))
    study.optimize(objective, n_trials=24, n_jobs=4)
    assert len({t.params["x"] for t in study.trials}) == 24 and study.best_value < 0.01


def test_storage(tmp_path: Path) -> None:
    """A second process, with a sampler of its own, learns from what the first did."""
    url = f"sqlite:///{tmp_path / 'optuna.db'}"
    first = optuna.create_study(study_name="rig", storage=url, sampler=MahaboSampler(seed=1))
    first.optimize(mixed, n_trials=12)
    running = first.ask()
    mixed(running)
    sampler = pickle.loads(pickle.dumps(first.sampler))
    second = optuna.load_study(study_name="rig", storage=url, sampler=sampler)
    second.optimize(mixed, n_trials=5)
    copy = next(iter(sampler._copies.values()))
    assert copy._study.info().states == {"complete": 17, "running": 1}
    first.tell(running, 3.0)
    second.optimize(mixed, n_trials=1)
    assert copy._study.info().states == {"complete": 19}


def test_several_objectives() -> None:
    """The front of two parabolas is found, and the copy knows both values of every trial."""
    sampler = MahaboSampler({"x": FloatDistribution(-2, 4), "y": FloatDistribution(-2, 2)}, seed=1)
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=sampler)

    def objective(t: optuna.Trial) -> tuple[float, float]:
        x, y = t.suggest_float("x", -2, 4), t.suggest_float("y", -2, 2)
        return x**2 + y**2, -((x - 2) ** 2) - y**2

    study.optimize(objective, n_trials=30)
    assert len(study.best_trials) > 8
    front = next(iter(sampler._copies.values()))._study.front()
    assert {tuple(p.outcomes.values()) for p in front.points} == {tuple(t.values) for t in study.best_trials}


def test_constraints() -> None:
    """A limit that excludes the minimum is kept."""
    sampler = MahaboSampler(seed=1, constraints_func=lambda t: [1.0 - t.params["x"] - t.params["y"]])
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda t: t.suggest_float("x", -2, 2) ** 2 + t.suggest_float("y", -2, 2) ** 2, n_trials=40)
    best = study.best_trial
    assert sum(best.params.values()) >= 1.0
    assert best.value is not None and best.value < 0.55
    assert next(iter(sampler._copies.values()))._study.info().states["complete"] == 40


def test_it_is_imported_when_it_is_used() -> None:
    program = "import sys, mahabo; assert 'optuna' not in sys.modules; mahabo.optuna.MahaboSampler; assert not hasattr(mahabo, 'nothing')"
    environment = {**os.environ, "PYTHONPATH": str(Path(mahabo.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


def test_a_finite_space() -> None:
    study = optuna.create_study(sampler=MahaboSampler({"n": IntDistribution(1, 4)}))
    study.optimize(lambda t: t.suggest_int("n", 1, 4), n_trials=8)
    assert {t.params["n"] for t in study.trials[:4]} == {1, 2, 3, 4}


def quadratic(values: Any) -> float:
    return sum((v - 0.3) ** 2 * (1 + i % 5) for i, v in enumerate(values))


def test_as_good_as_minimize() -> None:
    """Ten pairs of runs: neither way is better than the other beyond what seeds make."""
    names = [f"x{i}" for i in range(20)]
    space = {n: FloatDistribution(-1.0, 1.0) for n in names}
    logs = []
    for seed in range(10):
        study = optuna.create_study(sampler=MahaboSampler(space, seed=seed))
        study.optimize(lambda t: quadratic([t.suggest_float(n, -1, 1) for n in names]), n_trials=60)
        study.sampler.close()  # type: ignore[attr-defined]
        own = mahabo.minimize(lambda p: quadratic(p.values()), {n: {"float": [-1, 1]} for n in names}, evals=60, seed=seed)
        assert own.value is not None
        logs.append((study.best_value, own.value))
    a, b = (statistics.median(column) for column in zip(*logs))
    print("medians: optuna", a, "minimize", b)
    assert a < 2 * b + 1e-3 and b < 2 * a + 1e-3


def test_overhead() -> None:
    space = {f"x{i}": FloatDistribution(-1.0, 1.0) for i in range(10)}
    study = optuna.create_study(sampler=MahaboSampler(space, method="sobol"))
    objective = lambda t: sum(t.suggest_float(n, -1, 1) for n in space)  # noqa: E731
    study.optimize(objective, n_trials=5)
    start = time.process_time()
    study.optimize(objective, n_trials=100)
    per_trial = (time.process_time() - start) / 100
    print(f"{1000 * per_trial:.2f} ms of this process for a trial")
    assert per_trial < 0.01
