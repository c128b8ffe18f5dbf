"""The examples, and the folder for OptunaHub."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mahabo.optuna

pytestmark = pytest.mark.usefixtures("private")
HERE = Path(__file__).parents[1]


@pytest.mark.parametrize("name", sorted(p.name for p in (HERE / "examples").glob("*.py")))
def test_example(name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(HERE / "src")}
    flags = ["--multirun", f"hydra.sweep.dir={tmp_path / 'out'}"] if name == "with_hydra.py" else []
    command = [sys.executable, str(HERE / "examples" / name), *flags]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    if name == "first.py":
        assert ran.stdout.startswith("study: minimized to ") and (tmp_path / "values.svg").stat().st_size > 1000
    elif name == "with_hydra.py":
        assert "best value" in ran.stdout + ran.stderr and (tmp_path / "out" / "optimization_results.yaml").exists()
    else:
        assert "best value" in ran.stdout


def test_optunahub() -> None:
    folder = HERE / "optunahub" / "samplers" / "mahabo"
    assert {"README.md", "LICENSE", "__init__.py", "example.py"} <= {p.name for p in folder.iterdir()}
    spec = importlib.util.spec_from_file_location("hub", folder / "__init__.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.MahaboSampler is mahabo.optuna.MahaboSampler
    head = (folder / "README.md").read_text().split("---")[1]
    assert all(f"{key}:" in head for key in ("author", "title", "description", "tags", "optuna_versions", "license"))
