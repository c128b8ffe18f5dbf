"""The loop of minimize, and what happens when things break."""

from __future__ import annotations

import _thread
import http.server
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from serving import SPACE, Server

import mahabo


def test_outcomes(study: mahabo.Study) -> None:
    def objective(p: dict[str, Any]) -> Any:
        number = len(seen) + 1
        seen.append(number)
        if number == 2:
            raise RuntimeError("no licence")
        if number == 3:
            raise mahabo.Infeasible("folds")
        return {1: (p["x"], 0.5), 4: float("nan"), 5: "text"}.get(number, p["x"])

    seen: list[int] = []
    told: list[mahabo.Trial] = []
    best = study.minimize(objective, evals=6, callback=told.append)
    assert best is not None and best.number in (1, 6)
    one, two, three, four, five, six = study.trials()
    assert (one.state, one.std) == ("complete", 0.5)
    assert two.state == "failed" and two.reason.startswith("RuntimeError: no licence (") and "in objective" in two.reason
    assert (three.state, three.reason) == ("infeasible", "folds")
    assert four.state == "failed" and "nan" in four.reason
    assert five.state == "failed" and five.reason == "TypeError: the value is the text 'text': return a number"
    assert six.state == "complete"
    assert [t.state for t in told] == [t.state for t in study.trials()]


def test_threads(study: mahabo.Study) -> None:
    together = threading.Barrier(4)  # breaks unless four run at once

    def objective(p: dict[str, Any]) -> float:
        together.wait(30)
        return float(p["x"])

    study.minimize(objective, evals=8, parallel=4)
    assert study.info().states == {"complete": 8}


def test_goal(study: mahabo.Study, client: mahabo.Client) -> None:
    with pytest.raises(ValueError, match="call minimize"):
        study.maximize(lambda p: 1.0, evals=1)
    top = client.create_study("goal-max", SPACE, method="sobol", goal="maximize")
    best = top.maximize(lambda p: float(p["n"]), evals=10)
    assert best is not None and best.value == max(t.value or 0 for t in top.trials())


def test_an_exhausted_space_ends_a_run(client: mahabo.Client) -> None:
    small = client.create_study("small", {"n": {"int": [1, 5]}}, method="sobol")
    best = small.minimize(lambda p: p["n"], evals=20, parallel=3)
    assert best is not None and best.value == 1
    assert small.info().states == {"complete": 5}


def test_a_run_in_which_nothing_works_ends(study: mahabo.Study) -> None:
    def broken(p: dict[str, Any]) -> float:
        raise KeyError("rate")

    with pytest.raises(mahabo.NoneWorked, match="KeyError: 'rate'"):
        study.minimize(broken, evals=50, parallel=2)
    assert study.info().states["failed"] < 15


def test_failures_are_shown_as_they_happen(study: mahabo.Study, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(mahabo.NoneWorked, match="all 3 trials failed, .*division by zero") as caught:
        study.minimize(lambda p: 1 / 0, evals=3)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    first, second, third = (r.getMessage() for r in caplog.records)
    assert first.startswith("trial 1 failed: ZeroDivisionError: division by zero (") and "Traceback" in first
    assert first.count("  File ") == 1  # the objective's, not the caller's
    assert third.startswith("trial 3 failed: ZeroDivisionError: division by zero (") and "\n" not in second + third


def test_heartbeats_keep_the_lease(study: mahabo.Study, shared: Server) -> None:
    other = mahabo.connect(shared.url, worker="other").study(study.name)
    stolen: list[mahabo.Trial] = []

    def objective(p: dict[str, Any]) -> float:
        time.sleep(2)
        stolen.extend(t for t in other.ask(1) if t.number == 1)
        return 1.0

    study.minimize(objective, evals=1, lease=1)
    assert not stolen and study.trial(1).state == "complete"


def test_another_worker_was_faster(study: mahabo.Study) -> None:
    def objective(p: dict[str, Any]) -> float:
        study.tell({1: 7.0})
        return 8.0

    best = study.minimize(objective, evals=1)
    assert best is not None and best.value == 7.0


def test_ctrl_c_gives_trials_back(study: mahabo.Study, shared: Server, tmp_path: Path) -> None:
    program = f"""
import os, signal, time, mahabo
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job inherits deaf ears
study = mahabo.connect({shared.url!r}).study({study.name!r})
def slow(p):
    os.write(1, b"running\\n")  # in one piece, whatever the other thread writes
    time.sleep(60)
study.minimize(slow, evals=9, parallel=PARALLEL, lease=1000)
"""
    for parallel in (1, 2):
        source = str(Path(mahabo.__file__).parents[1])
        run = subprocess.Popen(
            [sys.executable, "-c", program.replace("PARALLEL", str(parallel))],
            env={**os.environ, "PYTHONPATH": source},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert run.stdout is not None
        for _ in range(parallel):
            assert run.stdout.readline() == "running\n"
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=60)
        assert "KeyboardInterrupt" in said and run.returncode != 0
        assert study.info().states == {"waiting": parallel}


def test_trials_on_their_way_are_given_back(study: mahabo.Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that waits for a trial when the run is interrupted gets it late."""
    ask, lock, late = study.ask, threading.Lock(), threading.Event()

    def slow(*args: Any, **options: Any) -> Any:
        with lock:
            trials = ask(*args, **options)
        if trials[0].number == 2:
            late.set()
            time.sleep(0.5)
        return trials

    def objective(p: dict[str, Any]) -> float:
        late.wait(20)
        _thread.interrupt_main()
        time.sleep(20)
        return 0.0

    monkeypatch.setattr(study, "ask", slow)
    with pytest.raises(KeyboardInterrupt):
        study.minimize(objective, evals=9, parallel=2, lease=1000)
    assert study.info().states == {"waiting": 2}


def test_a_server_that_restarts_is_not_noticed(binary: str, tmp_path: Path) -> None:
    server = Server(binary, tmp_path)
    try:
        study = mahabo.connect(server.url).create_study("rig", SPACE, method="sobol")
        evaluated: list[float] = []

        def objective(p: dict[str, Any]) -> float:
            if len(evaluated) == 5:
                server.stop(signal.SIGKILL)
                threading.Timer(0.5, server.start).start()
            evaluated.append(p["x"])
            return float(p["x"])

        best = study.minimize(objective, evals=12)
        assert best is not None and best.value == min(evaluated)
        assert study.info().states == {"complete": 12} and len(evaluated) == 12
    finally:
        server.stop()


def test_unreachable_servers_and_wrong_urls(shared: Server) -> None:
    start = time.monotonic()
    with pytest.raises(mahabo.ConnectionFailed, match="refused.*start one with mahabo serve"):
        mahabo.connect("http://127.0.0.1:9").studies()
    assert time.monotonic() - start < 5
    with pytest.raises(ValueError, match="http://HOST:PORT"):
        mahabo.connect("localhost:8080")
    with pytest.raises(mahabo.NotFound, match="check the url"):
        mahabo.connect(shared.url + "/nowhere").studies()


def test_a_server_may_still_be_starting(binary: str, tmp_path: Path) -> None:
    server = Server(binary, tmp_path)
    server.stop()
    threading.Timer(0.5, server.start).start()
    try:
        assert mahabo.connect(server.url, wait=30).studies() == []
    finally:
        server.stop()


class Moody(http.server.BaseHTTPRequestHandler):
    """Answers with the statuses of a list, the first after a while, then with no studies."""

    moods: list[int] = []
    delay = 0.0

    def do_GET(self) -> None:
        time.sleep(self.delay)
        type(self).delay = 0.0
        status = self.moods.pop(0) if self.moods else 200
        body = b'{"studies": []}' if status == 200 else b'{"title": "busy", "detail": "come again"}'
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if status == 200 else "application/problem+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def test_patience() -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Moody) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            url = f"http://127.0.0.1:{server.server_port}"
            # It begins with the first failure, not with the request, which may be a long ask.
            Moody.moods, Moody.delay = [503, 502], 1.0
            assert mahabo.connect(url, patience=0.9).studies() == []
            Moody.moods = [503] * 1000
            start = time.monotonic()
            with pytest.raises(mahabo.MahaboError, match="come again"):
                mahabo.connect(url, patience=0.5).studies()
            assert time.monotonic() - start < 5 and len(Moody.moods) < 999
            Moody.moods = [404]
            with pytest.raises(mahabo.NotFound):
                mahabo.connect(url).studies()
            assert not Moody.moods
        finally:
            server.shutdown()


def test_tokens(binary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAHABO_TOKEN", raising=False)
    tokens = str(tmp_path / "tokens")
    made = subprocess.run(
        [binary, "token", "create", "--token-file", tokens, "--study", "rig", "--role", "admin", "--name", "alice"],
        capture_output=True, text=True, check=True,
    )
    secret = max(made.stdout.split(), key=len)
    server = Server(binary, tmp_path, "--token-file", tokens)
    try:
        with pytest.raises(mahabo.Unauthorized, match="needs a token"):
            mahabo.connect(server.url).studies()
        with pytest.raises(mahabo.Unauthorized, match="not known"):
            mahabo.connect(server.url, token="another").studies()
        client = mahabo.connect(server.url, token=secret)
        client.create_study("rig", SPACE)
        with pytest.raises(mahabo.Unauthorized):
            client.create_study("other", SPACE)
        assert mahabo.connect(server.url, secret + "\n").study("rig").name == "rig"  # as a file has it
        monkeypatch.setenv("MAHABO_TOKEN", secret)
        assert mahabo.connect(server.url).study("rig").name == "rig"
        with pytest.raises(mahabo.Unauthorized, match="not known"):
            mahabo.connect(server.url, token="another").studies()
        for wrong in ("two\nlines", "secrét"):
            with pytest.raises(ValueError, match="^the token has characters") as caught:
                mahabo.connect(server.url, wrong)
            assert wrong[:3] not in str(caught.value)
    finally:
        server.stop()


def test_ctrl_c_beside_a_wrong_cost(study: mahabo.Study) -> None:
    def objective(p: dict[str, Any], trial: mahabo.Trial) -> float:
        trial.cost = -1.0
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.minimize(objective, evals=4)


@pytest.mark.parametrize("parallel", [1, 2])
@pytest.mark.parametrize("coroutine", [False, True])
def test_sys_exit_ends_a_run(parallel: int, coroutine: bool, study: mahabo.Study) -> None:
    def leave(p: dict[str, Any]) -> float:
        sys.exit("no such flag")

    async def leave_later(p: dict[str, Any]) -> float:
        sys.exit("no such flag")

    with pytest.raises(SystemExit, match="no such flag"):
        study.minimize(leave_later if coroutine else leave, evals=4, parallel=parallel)
    assert "running" not in study.info().states


def test_a_server_that_does_not_know_seconds(binary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(binary, tmp_path)
    try:
        study = mahabo.connect(server.url).create_study("rig", [mahabo.Float("x", 0, 1)])
        call = study._call

        def earlier(method: str, path: str, body: Any = None, **how: Any) -> Any:
            if "seconds" in (body or {}):
                wrong = {"message": "unexpected property", "location": "body.seconds"}
                raise mahabo.errors.Problem(422, {"title": "Unprocessable Entity", "errors": [wrong]})
            return call(method, path, body, **how)

        monkeypatch.setattr(study, "_call", earlier)
        trial = study.ask()[0]
        trial.tell(3.0, seconds=1.5)
        assert trial.state == "complete" and trial.value == 3.0
    finally:
        server.stop()
