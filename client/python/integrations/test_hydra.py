"""The sweeper with Hydra itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

import mahabo

pytestmark = pytest.mark.usefixtures("private")
SOURCE = Path(mahabo.__file__).parents[1]

PROGRAM = """
import hydra
from omegaconf import OmegaConf

@hydra.main(version_base=None, config_path=None, config_name=None)
def train(c):
    with open(c.log, "a") as f:
        f.write(f"{c.lr} {c.layers} {c.kind} {c.width}\\n")
    assert type(c.lr) is float and type(c.layers) is int and type(c.width) is int
    if c.kind == "bad":
        raise RuntimeError("no licence")
    return abs(c.lr - 0.01) + (c.layers - 5) ** 2

train()
"""


def sweep(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(PROGRAM)
    command = [
        sys.executable, "train.py", "--multirun", "hydra/sweeper=mahabo", f"hydra.sweep.dir={folder / 'out'}", f"+log={folder / 'log'}",
        "+lr=tag(log, interval(1e-4, 1))", "+layers=range(1, 9)", "+width=int(interval(8, 64))", *arguments,
    ]  # fmt: skip
    environment: dict[str, Any] = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_sweep(tmp_path: Path) -> None:
    settings = [f"hydra.sweeper.path={tmp_path / 'rig.db'}", "+kind=good,fine", "hydra.sweeper.batch=2"]
    ran = sweep(tmp_path, *settings, "hydra.sweeper.evals=6")
    assert ran.returncode == 0, ran.stderr
    assert len((tmp_path / "log").read_text().splitlines()) == 6
    best = OmegaConf.load(tmp_path / "out" / "optimization_results.yaml")
    assert best["name"] == "mahabo" and set(best["best_evaluated_params"]) == {"+lr", "+layers", "+kind", "+width"}  # type: ignore[call-overload]
    ran = sweep(tmp_path, *settings, "hydra.sweeper.evals=8")
    assert ran.returncode == 0, ran.stderr
    assert len((tmp_path / "log").read_text().splitlines()) == 8  # two more


def test_failing_jobs(tmp_path: Path) -> None:
    ran = sweep(tmp_path, "+kind=bad", "hydra.sweeper.evals=2")
    assert ran.returncode != 0 and "none of 2 jobs has a value" in ran.stderr and "no licence" in ran.stdout + ran.stderr
    ran = sweep(tmp_path, "+kind=good", "hydra.sweeper.direction=up")
    assert ran.returncode != 0 and "minimize or maximize" in ran.stderr
