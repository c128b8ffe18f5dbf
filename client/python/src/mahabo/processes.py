"""Objectives in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import queue
import signal
import threading
from multiprocessing.connection import Connection, wait
from typing import Any, Callable

from .errors import Infeasible, ObjectiveFailed
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

    def __call__(self, params: dict[str, Any]) -> Any:
        process: _Process | None = self._free.get() or self._start()
        assert process is not None
        try:
            answer = process.evaluate(params)
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

    def evaluate(self, params: dict[str, Any]) -> Any:
        self._here.send(params)
        return self._here.recv()

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
            params = pipe.recv()
        except EOFError:
            return
        pipe.send(_call(objective, params))


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def _call(objective: Callable[[dict[str, Any]], Any], params: dict[str, Any]) -> tuple[str, Any, str]:
    try:
        value = objective(params)
        pickle.dumps(value)
        return "value", value, ""
    except Infeasible as e:
        return "infeasible", str(e), ""
    except Exception as e:
        return "failed", describe(e), traceback_text(e)
