"""Objectives in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import queue
import signal
import threading
import time
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Callable

from .errors import Infeasible, ObjectiveFailed, Stopped
from .evaluators import with_trial
from .run import describe, traceback_text


class Processes:
    """Processes that are kept and used again. One that dies fails its trial alone."""

    def __init__(self, objective: Callable[[dict[str, Any]], Any], parallel: int) -> None:
        self._code = _pickled(objective)
        self._context = multiprocessing.get_context("spawn")  # a fork would inherit locks that threads hold
        self._free: queue.LifoQueue[_Process | None] = queue.LifoQueue()
        for _ in range(parallel):
            self._free.put(None)  # a place; the process starts when it is needed
        self._lock = threading.Lock()
        self._all: set[_Process] = set()
        self._closed = False

    def __call__(self, params: dict[str, Any], trial: Any) -> Any:
        process: _Process | None = self._free.get() or self._start()
        assert process is not None
        try:
            answer = process.evaluate(params, trial)
        except (EOFError, OSError):
            code = process.end()
            with self._lock:
                self._all.discard(process)
            process = None
            raise ObjectiveFailed(f"the process of the objective died (exit code {code})") from None
        finally:
            self._free.put(process)
        kind, value, text = answer
        if kind == "infeasible":
            raise Infeasible(value)
        if kind == "stopped":
            raise Stopped(value)
        if kind == "failed":
            raise ObjectiveFailed(value, text)
        return value

    def _start(self) -> _Process:
        process = _Process(self._context, self._code)
        with self._lock:
            self._all.add(process)
            closed = self._closed
        if closed:
            process.end()
        return process

    def close(self) -> None:
        with self._lock:
            self._closed = True
            processes = list(self._all)
        for p in processes:
            p.end()


class _Process:
    def __init__(self, context: Any, code: bytes) -> None:
        self._here, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, code), name="mahabo-objective", daemon=True)
        self._process.start()
        self._ending = threading.Lock()  # whoever evaluates and whoever closes may both end it
        there.close()

    def evaluate(self, params: dict[str, Any], trial: Any) -> Any:
        self._here.send((params, trial.number, trial.checkpoint))
        while True:
            said = self._here.recv()
            if said[0] == "report":
                try:
                    self._here.send((trial.report(said[1], said[2]), None))
                except Exception as e:
                    self._here.send((False, str(e)))
                continue
            trial.cost, trial.seconds = said[3:]
            return said[:3]

    def end(self) -> int | None:
        """End the process. The pipe is closed with the object: another thread may be reading it."""
        with self._ending:
            self._process.terminate()
            self._process.join(5)
            code: int | None = self._process.exitcode
        return code


def _pickled(objective: Any) -> bytes:
    try:
        import cloudpickle
    except ImportError:
        cloudpickle = None
    try:
        code: bytes = (cloudpickle or pickle).dumps(objective)
    except Exception as e:
        fix = "" if cloudpickle else ", or pip install cloudpickle"
        raise ValueError(f"the objective cannot be sent to other processes ({e}): define it at the top of a module{fix}") from e
    return code


def _serve(pipe: Connection, code: bytes) -> None:
    """Evaluate what comes, in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    objective = pickle.loads(code)
    while True:
        try:
            params, number, checkpoint = pipe.recv()
        except EOFError:
            return
        trial = _Far(pipe, number, params, checkpoint)
        start = time.monotonic()
        said = _call(objective, params, trial)
        pipe.send((*said, trial.cost, time.monotonic() - start))


class _Far:
    """A trial as an objective in a process of its own sees it."""

    def __init__(self, pipe: Connection, number: int, params: dict[str, Any], checkpoint: Path | None) -> None:
        self._pipe, self.number, self.params, self.checkpoint = pipe, number, params, checkpoint
        self.cost, self.should_stop = 0.0, False

    def report(self, step: int, value: Any) -> bool:
        """Keep what the trial has reached, and return whether it should end."""
        self._pipe.send(("report", step, value))
        stop, error = self._pipe.recv()
        if error is not None:
            raise ValueError(error)
        self.should_stop = self.should_stop or stop
        return self.should_stop


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def _call(objective: Callable[..., Any], params: dict[str, Any], trial: _Far) -> tuple[str, Any, str]:
    try:
        value = with_trial(objective)(params, trial)
        pickle.dumps(value)
        return "value", value, ""
    except Infeasible as e:
        return "infeasible", str(e), ""
    except Stopped as e:
        return "stopped", str(e), ""
    except Exception as e:
        return "failed", describe(e), traceback_text(e)
