"""Studies that learn from former ones."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import mahabo


def test_former(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    space = [mahabo.Float("a", 0, 10), mahabo.Float("w", -1, 1, shape=2)]

    def old(p: dict) -> float:
        return (p["a"] - 4) ** 2 + sum(v * v for v in p["w"])

    mahabo.minimize(old, space, evals=15, path=file, study="old", method="sobol", progress=False)
    wider = [mahabo.Float("a", 1, 12), mahabo.Float("w", -2, 2, shape=2), mahabo.Float("c", 0, 1)]
    result = mahabo.minimize(lambda p: 50 + 3 * old(p), wider, evals=6, path=file, study="new", former=["old"], progress=False)
    assert result.table[0]["value"] < 100  # it began with the best point of the former study
    notebook = [({"a": float(i), "w": [0.1 * i, 0.0]}, float(i)) for i in range(10)]
    result = mahabo.minimize(lambda p: p["a"], wider, evals=2, path=file, study="third", former={"notebook": notebook}, progress=False)
    assert result.table[0]["a"] == 1  # 0 is below the bounds
    with pytest.raises(mahabo.Problem, match="there is no study nowhere"):
        mahabo.minimize(old, space, evals=1, path=file, study="x", former=["nowhere"], progress=False)
    with pytest.raises(TypeError, match="give a list of names"):
        mahabo.minimize(old, space, evals=1, path=file, study="x", former="old", progress=False)


def test_former_file(tmp_path: Path) -> None:
    space = [mahabo.Float("a", 0, 10)]
    where: dict = {"path": tmp_path / "a.db", "evals": 1, "progress": False}
    lab = tmp_path / "lab.csv"
    lab.write_text("a;note;value\n" + "".join(f"{i + 3};;{i},5\n" for i in range(10)))
    result = mahabo.minimize(lambda p: p["a"], space, study="lab", former={"lab": lab}, **where)
    assert result.table[0]["a"] == 3
    lab.write_text("temperature,value\n1,2\n")
    with pytest.raises(mahabo.Problem, match="lab: no column is a parameter"):
        mahabo.minimize(lambda p: p["a"], space, study="x", former={"lab": str(lab)}, **where)
    lab.write_bytes("a,value,\u00b5m\n1,2,3\n".encode("latin-1"))
    with pytest.raises(ValueError, match="lab.csv is not UTF-8"):
        mahabo.minimize(lambda p: p["a"], space, study="x", former={"lab": lab}, **where)
    result = mahabo.minimize(lambda p: p["a"], space, study="dicts", former={"lab": [{"a": 9 - i, "value": -i} for i in range(6)]}, **where)
    assert result.table[0]["a"] == 4


def test_former_frame(tmp_path: Path) -> None:
    class Frame:
        """What pandas.DataFrame looks like; pandas itself need not be there."""

        def to_dict(self, orient: str) -> list[dict]:
            assert orient == "records"
            return [*rows, {"a": 1.0, "w": [0, 0], "glass": True, "value": math.nan}]

    space = [mahabo.Float("a", 0, 10), mahabo.Float("w", -1, 1, shape=2), mahabo.Choice("glass", [True, False])]
    rows = [{"a": 4.0 + i, "w": [0.5, -0.5], "glass": False, "value": 1.0 * i} for i in range(6)]
    result = mahabo.minimize(lambda p: p["a"], space, evals=1, path=tmp_path / "a.db", study="lab", former={"lab": Frame()}, progress=False)
    first = result.table[0]
    assert (first["a"], first["w0"], first["w1"], first["glass"]) == (4, 0.5, -0.5, "False")
