"""How far a run is, where someone looks on."""

from __future__ import annotations

import io
import sys
import types
from typing import Any

import objectives
import pytest

import mahabo

pytestmark = pytest.mark.usefixtures("private")
SPACE = {"x": {"float": [-1, 1]}}


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def failing(p: dict[str, Any]) -> float:
    if p["x"] < -0.5:
        raise RuntimeError("no licence")
    return objectives.square(p)


def test_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for encoding, full in (("utf-8", "\u2588" * 20), ("ascii", "#" * 20)):
        screen = Terminal()
        with monkeypatch.context() as patch:
            patch.setattr(Terminal, "encoding", encoding)
            patch.setattr(sys, "stderr", screen)
            patch.setenv("COLUMNS", "100")
            result = mahabo.minimize(failing, SPACE, evals=12, method="sobol")
        lines = screen.getvalue().replace("\r\x1b[K", "\n").splitlines()
        assert result.best is not None
        assert lines[-1].startswith(f"{full} 12/12  best {result.value:.6g} in trial {result.best.number}")
        assert any(line.startswith("mahabo: trial ") and "no licence" in line for line in lines)
        assert max(len(line) for line in lines if not line.startswith(("mahabo", " ", "Traceback"))) < 100


def test_lines_and_silence(capfd: pytest.CaptureFixture[str]) -> None:
    mahabo.minimize(objectives.square, SPACE, evals=20, method="sobol", progress=True)
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 10 and lines[-1].startswith("mahabo: 20/20  best ")
    for quiet in (None, False):
        mahabo.minimize(objectives.square, SPACE, evals=4, method="sobol", progress=quiet)
    assert capfd.readouterr().err == ""


def test_notebook(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    shown: list[str] = []

    class ZMQInteractiveShell:
        pass

    class Handle:
        def update(self, picture: str) -> None:
            shown.append(picture)

    def display(picture: str, display_id: bool) -> Handle:
        shown.append(picture)
        return Handle()

    ipython: Any = types.ModuleType("IPython")
    ipython.get_ipython = ZMQInteractiveShell
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.HTML, ipython.display.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    mahabo.minimize(failing, SPACE, evals=12, method="sobol")
    assert shown[0].startswith('<progress max="12" value="0"') and shown[-1].startswith('<progress max="12" value="12"')
    assert "no licence" in capfd.readouterr().err
