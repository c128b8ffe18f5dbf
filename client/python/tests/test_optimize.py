"""mahabo.minimize with a server of its own."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import objectives
import pytest

import mahabo
from mahabo.private import PrivateServer

pytestmark = pytest.mark.usefixtures("private")

SPACE = {"x": {"float": [-1, 1]}, "y": {"float": [-1, 1]}}
SOURCE = Path(mahabo.__file__).parents[1]
KILLS = int(os.environ.get("MAHABO_KILLS", "5"))


def test_minimize(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    told: list[mahabo.Trial] = []
    result = mahabo.minimize(objectives.square, SPACE, evals=25, parallel=4, points=[{"x": 0, "y": 0}], callback=told.append)
    assert len(told) == len(result.table) == 25 and result.table[0]["x"] == 0
    assert result.best is not None and result.params is not None
    assert result.value == min(row["value"] for row in result.table) < 0.1
    assert result.value == pytest.approx(objectives.square(result.params))
    assert not list(tmp_path.iterdir())  # nothing is left
    assert str(result).startswith("study: minimized to ") and result.path is None


def test_maximize_arrays() -> None:
    parameters = [mahabo.Int("n", 0, 5, shape=3), mahabo.Choice("kind", [min, max])]
    result = mahabo.maximize(lambda p: float(p["kind"](list(p["n"]))), parameters, evals=20, method="random")
    assert result.params is not None and result.params["kind"] in (min, max) and len(result.params["n"]) == 3
    assert result.value == max(row["value"] for row in result.table)


def test_a_study_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "rig.db"
    start = [{"x": 0.5, "y": 0.5}]
    first = mahabo.minimize(objectives.square, SPACE, evals=5, path=path, points=start)
    assert first.study == "rig" and first.path == path
    second = mahabo.minimize(objectives.square, SPACE, evals=8, path=path, points=start)
    assert len(second.table) == 8 and second.table[:5] == first.table
    again = mahabo.minimize(objectives.square, SPACE, evals=8, path=path)
    assert again.table == second.table
    with pytest.raises(mahabo.StudyDiffers, match="other parameters"):
        mahabo.minimize(objectives.square, {"x": {"float": [0, 1]}}, evals=9, path=path)


def test_points_are_evaluated_once_each(tmp_path: Path) -> None:
    def go_on(points: Any, evals: int) -> list[float]:
        result = mahabo.minimize(objectives.square, SPACE, evals=evals, path=tmp_path / "rig.db", method="sobol", points=points)
        return [row["x"] for row in result.table if row["origin"] == "user"]

    a, b = {"x": 0.5, "y": 0.5}, {"x": 0.25, "y": 0.5}
    assert go_on([a], 2) == [0.5]
    assert go_on([a, b], 4) == [0.5, 0.25]
    assert go_on([b, a], 5) == [0.5, 0.25]
    assert go_on([a, b, a], 6) == [0.5, 0.25, 0.5]  # twice is meant
    wrong: list[tuple[Any, str]] = [
        (a, "points is one dict: give a list of dicts"),
        ([a, 3], "point 2 is 3: give a dict"),
        ([a, {"x": 3, "y": 0}], 'point 2: parameter "x" is 3, expected'),
        ([a, {"x": float("nan"), "y": 0}], "point 2: .* finite"),
    ]
    for points, says in wrong:
        with pytest.raises((TypeError, ValueError, mahabo.Problem), match=f"^{says}"):
            go_on(points, 7)


def test_a_path_that_is_no_name(tmp_path: Path) -> None:
    path = tmp_path / "grö ße.db"
    with pytest.raises(ValueError, match="a study cannot be called 'grö ße': give it a name .* study=NAME"):
        mahabo.minimize(objectives.square, SPACE, evals=1, path=path)
    assert not path.exists()
    assert mahabo.minimize(objectives.square, SPACE, evals=1, path=path, study="größe_1.2").study == "größe_1.2"


def test_two_runs_of_a_study_at_a_time(tmp_path: Path) -> None:
    def run() -> None:
        mahabo.minimize(objectives.slow, {"x": {"float": [-1, 1]}}, evals=20, path=tmp_path / "rig.db", method="sobol", progress=False)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    with PrivateServer(tmp_path / "rig.db") as last:
        states = last.client.study("rig").info().states
    assert set(states) == {"complete"} and 20 <= states["complete"] <= 21  # each may have one when the last is told


def test_failures(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(mahabo.NoneWorked, match="division by zero"):
        mahabo.maximize(lambda p: 1 / 0, SPACE, evals=3)
    said = capfd.readouterr().err
    assert said.count("failed: ZeroDivisionError") == 3 and "Traceback" in said


def test_async() -> None:
    running, most = 0, 0

    async def objective(p: dict[str, Any]) -> float:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.2)
        running -= 1
        if p["x"] < -0.5:
            raise RuntimeError("too low")
        return float(p["x"])

    async def within_a_loop() -> mahabo.Result:
        return mahabo.minimize(objective, SPACE, evals=12, parallel=4, method="sobol", progress=False)

    result = asyncio.run(within_a_loop())  # as in a notebook
    assert most == 4 and len(result.table) == 12
    failed = [row["reason"] for row in result.table if row["state"] == "failed"]
    assert failed and all(r.startswith("RuntimeError: too low (") and r.endswith("in objective)") for r in failed)


def test_processes() -> None:
    result = mahabo.minimize(objectives.process, SPACE, evals=6, parallel=2, workers="processes", method="sobol")
    pids = {row["value"] for row in result.table}
    assert len(pids) == 2 and os.getpid() not in pids


def test_processes_that_fail() -> None:
    points = [{"x": x} for x in (-0.8, -0.4, 0.0, 0.4)]
    result = mahabo.minimize(objectives.moody, {"x": {"float": [-1, 1]}}, evals=16, parallel=2, workers="processes", method="sobol", points=points)
    for row in result.table:
        x = row["x"]
        if x < -0.6:
            assert row["reason"].startswith("KeyError: 'rate' (") and "in moody" in row["reason"]
        elif x < -0.2:
            assert (row["state"], row["reason"]) == ("infeasible", "folds")
        elif x < 0.2:
            assert row["reason"] == "the process of the objective died (exit code 7)"
        else:
            assert row["value"] == x
    assert {row["state"] for row in result.table} == {"complete", "failed", "infeasible"}


def test_the_result_says_what_failed() -> None:
    values: list[Any] = [RuntimeError("no licence"), "3", b"3", float("nan"), [1], mahabo.Infeasible("folds"), mahabo.Stopped()]

    def objective(p: dict[str, Any]) -> Any:
        value = values.pop(0) if values else 1.5
        if isinstance(value, Exception):
            raise value
        return value

    result = mahabo.minimize(objective, SPACE, evals=8, method="sobol", stop="median", progress=False)
    assert str(result) == "study: minimized to 1.5 in trial 8 of 8, 5 failed, 1 infeasible, 1 stopped early"
    assert "8 trials, 5 failed, 1 infeasible, 1 stopped early" in result._repr_html_()
    reasons = [row["reason"] for row in result.table]
    assert reasons[1] == "TypeError: the value is the text '3': return a number"
    assert reasons[3] == "value is nan: only finite values can be modelled; return a finite number, or raise mahabo.Infeasible where there is none"
    assert reasons[4] == "TypeError: the value is [1], a list: return a number"


def test_nothing_worked_before(tmp_path: Path) -> None:
    def broken(p: dict[str, Any]) -> float:
        raise RuntimeError("no licence")

    for failed in (10, 13, 16):
        with pytest.raises(mahabo.NoneWorked, match=f"all of the first {failed} trials failed, the last one: RuntimeError: no licence"):
            mahabo.minimize(broken, SPACE, evals=40, method="sobol", path=tmp_path / "a.db", progress=False)


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_a_trial_takes_its_own_time(tmp_path: Path, workers: str) -> None:
    told: list[mahabo.Trial] = []
    began = time.monotonic()
    mahabo.minimize(objectives.slow, SPACE, evals=3, method="sobol", path=tmp_path / "a.db", workers=workers, callback=told.append)
    whole = time.monotonic() - began
    assert [t.seconds > 0.05 for t in told] == [True] * 3
    assert sum(t.seconds for t in told) < whole  # one at a time


def test_wrong_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    async def coroutine(p: dict[str, Any]) -> float:
        return 1.0

    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"evals": 0}, "evals is 0"),
        ({"workers": "ants"}, "write threads or processes"),
        ({"workers": "processes"}, "cannot be sent to other processes .* pip install cloudpickle"),
        ({"workers": "processes", "objective": coroutine}, "leave out workers"),
    ]
    for arguments, says in cases:
        with pytest.raises((TypeError, ValueError), match=says):
            mahabo.minimize(**{"objective": lambda p: 1.0, "space": SPACE, "evals": 1, **arguments})
    monkeypatch.setenv("MAHABO", "nothing")  # no server is started to say so
    for arguments, says in [({"objective": 3}, "objective is 3: give a function"), ({"evals": "3"}, "evals is '3': it has to be a whole number")]:
        with pytest.raises(TypeError, match=says):
            mahabo.minimize(**{"objective": lambda p: 1.0, "space": SPACE, "evals": 1, **arguments})


def test_a_program_that_does_not_serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.db").write_text("no database at all, but a text that is long enough to be read")
    with pytest.raises(mahabo.MahaboError, match="did not start: .*not a SQLite database"):
        mahabo.minimize(objectives.square, SPACE, evals=1, path=tmp_path / "text.db")
    monkeypatch.setenv("MAHABO", str(tmp_path / "nothing"))
    with pytest.raises(mahabo.MahaboError, match="cannot be run"):
        mahabo.minimize(objectives.square, SPACE, evals=1)
    monkeypatch.delenv("MAHABO")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(mahabo.MahaboError, match="pip install mahabo"):
        mahabo.minimize(objectives.square, SPACE, evals=1)


PROGRAM = """
import os, signal, sys, time, mahabo, mahabo.private
signal.signal(signal.SIGINT, signal.default_int_handler)
start = mahabo.private.PrivateServer.__init__
def watched(self, path):
    start(self, path)
    os.write(1, b"server %d\\n" % self.pid)
mahabo.private.PrivateServer.__init__ = watched
def slow(p):
    time.sleep(PAUSE)
    return p["x"]
def told(trial):
    os.write(1, b"told %d\\n" % trial.number)
mahabo.minimize(slow, {"x": {"float": [-1, 1]}}, evals=EVALS, parallel=3, path=sys.argv[1], method="sobol", callback=told)
"""


def start(path: Path, evals: int, pause: float) -> tuple[subprocess.Popen[str], int]:
    """Start a run in another process, and return it with the process of its server."""
    text = PROGRAM.replace("EVALS", str(evals)).replace("PAUSE", str(pause))
    run = subprocess.Popen(
        [sys.executable, "-c", text, str(path)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    word, pid = run.stdout.readline().split()
    assert word == "server"
    return run, int(pid)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    try:  # an orphan that nobody waits for, as in a container without an init process
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return False


def test_kill(tmp_path: Path) -> None:
    """However often the process is killed, what was told stays and no server is left."""
    path = tmp_path / "rig.db"
    seen: set[int] = set()
    for round in range(KILLS):
        run, server = start(path, evals=100_000, pause=0.02)
        assert run.stdout is not None
        told = 0
        while told < 1 + round % 4:
            seen.add(int(run.stdout.readline().split()[1]))
            told += 1
        run.kill()
        rest, _ = run.communicate(timeout=20)
        seen.update(int(line.split()[1]) for line in rest.splitlines() if line.startswith("told "))
        end = time.monotonic() + 15
        while not gone(server):
            assert time.monotonic() < end, "the server outlives its parent"
            time.sleep(0.02)
    count = len(seen)
    run, _ = start(path, evals=count + 20, pause=0.0)
    _, errors = run.communicate(timeout=60)
    assert run.returncode == 0, errors
    with PrivateServer(path) as last:
        trials = list(last.client.study("rig").trials())
    assert seen <= {t.number for t in trials if t.state == "complete"}
    assert {t.state for t in trials} == {"complete"}  # those that ran were evaluated again
    assert [t.number for t in trials] == list(range(1, len(trials) + 1))


CHILDREN = """
import os, signal, mahabo, objectives
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    def told(trial):
        os.write(1, b"%d\\n" % trial.value)
    mahabo.minimize(objectives.process, {"x": {"float": [-1, 1]}}, evals=99, parallel=2, workers="processes", method="sobol", callback=told)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill", "ctrl-c"])
def test_processes_end_with_their_parent(how: signal.Signals, tmp_path: Path) -> None:
    run = subprocess.Popen(
        [sys.executable, "-c", CHILDREN],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), str(Path(__file__).parent)]), "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    children: set[int] = set()
    while len(children) < 2:
        children.add(int(run.stdout.readline()))
    run.send_signal(how)
    _, said = run.communicate(timeout=60)
    end = time.monotonic() + 15
    while not all(gone(pid) for pid in children):
        assert time.monotonic() < end, "a process of the objective outlives its parent"
        time.sleep(0.02)
    assert "Interrupted" in said or how == signal.SIGKILL


def test_ctrl_c(tmp_path: Path) -> None:
    run, server = start(tmp_path / "rig.db", evals=1000, pause=0.05)
    assert run.stdout is not None
    run.stdout.readline()
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=60)
    assert run.returncode != 0 and gone(server)
    assert "Interrupted: rig: minimized to " in said and f"path={str(tmp_path / 'rig.db')!r} continues" in said
    with PrivateServer(tmp_path / "rig.db") as last:
        states = last.client.study("rig").info().states
    assert set(states) <= {"complete", "waiting"} and states["complete"] > 0 and states.get("waiting", 0) <= 3


def test_start_up_is_fast() -> None:
    """Measured in the time of the processors, which other programs do not lengthen."""
    program = """
import os, time, mahabo
mahabo.minimize(lambda p: p["x"], {"x": {"float": [0, 1]}}, evals=1)
t = os.times()
print(t.user + t.system + t.children_user + t.children_system)
"""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    took = [
        float(subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True).stdout)
        for _ in range(3)
    ]
    assert min(took) < 1.0, took


def test_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = mahabo.minimize(objectives.square, SPACE, evals=6, method="sobol", path=tmp_path / "a.db")
    picture = result.plot(tmp_path / "values.svg")
    text = (tmp_path / "values.svg").read_text()
    assert isinstance(picture, mahabo.Picture) and picture.svg == text and text.count("<circle") == 6
    assert "a: minimized to" in text and ">trial</text>" in text
    with pytest.raises(ValueError, match=".svg files"):
        result.plot(tmp_path / "values.png")
    page = result._repr_html_()
    assert page.startswith("<svg") and "<td>x</td>" in page
    empty = mahabo.Result(None, [], "minimize", "none", None, 0.0)
    assert "no trial of 0 has a value" in empty._repr_html_()
    with pytest.raises(ValueError, match="nothing to draw"):
        empty.plot()


def test_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[3] / "docs" / "guides" / "python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 2
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile("".join(blocks), "python.md", "exec"), names)
    assert names["result"].value < 60 and (tmp_path / "rig.db").exists() and (tmp_path / "values.svg").exists()


def test_values_of_a_run_that_breaks_are_kept(capfd: pytest.CaptureFixture[str]) -> None:
    def callback(trial: mahabo.Trial) -> None:
        if trial.number == 4:
            raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        mahabo.minimize(objectives.square, SPACE, evals=9, callback=callback)
    found = re.search(r"path='(.+)' continues", capfd.readouterr().err)
    assert found is not None
    result = mahabo.minimize(objectives.square, SPACE, evals=9, path=found[1])
    assert len(result.table) == 9
    shutil.rmtree(Path(found[1]).parent)


def test_rows_are_plain(tmp_path: Path) -> None:
    result = mahabo.minimize(objectives.square, SPACE, evals=2)
    assert json.loads(json.dumps(result.table, default=str))[0]["number"] == 1
