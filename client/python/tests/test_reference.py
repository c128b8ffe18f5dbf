"""docs/PYTHON.md is that of the present docstrings."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import mahabo


def test_reference() -> None:
    spec = importlib.util.spec_from_file_location("reference", Path(__file__).parents[1] / "reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = module.reference()
    assert module.TARGET.read_text(encoding="utf-8") == text, "run python client/python/reference.py"
    missing = {name for name in mahabo.__all__ if f"### {name}\n" not in text} - {"Value"}
    assert not missing
