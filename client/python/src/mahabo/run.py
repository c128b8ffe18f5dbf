"""The loop of minimize and maximize.

main      asks, evaluates and tells itself when parallel is 1; else it waits for the threads
threads   one for each evaluation at a time
pulse     one thread that keeps the leases of the trials that run
"""

from __future__ import annotations

import logging
import os
import threading
import time
import traceback
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Container, Dict, Mapping, Sequence, Tuple, Union

from .convert import amount, count, expand, finite, measured, number
from .errors import (
    ConnectionFailed,
    Exhausted,
    Infeasible,
    LeaseLost,
    MahaboError,
    NoneWorked,
    ObjectiveFailed,
    OutcomeConflict,
    Problem,
    Stopped,
)
from .evaluators import evaluator

if TYPE_CHECKING:
    from .study import Study
    from .trial import Trial

Objective = Callable[..., Any]
"""Gets the parameters, and the trial if it has a second argument, and returns the value, (value, std), or a dict of outcomes. It may
be a coroutine function."""

_BEATS = 3  # heartbeats that a lease has time for
_HOPELESS = 10  # failures without any success that end a run
_FEW_MORE = 3  # at least, in a study in which all trials had failed before
_INSTEAD = "return a finite number, or raise mahabo.Infeasible where there is none"
_REFUSED = 422  # status of the server for what it cannot record
_PATIENCE = 5.0  # seconds that a run which ends waits for trials that are on their way

_PACKAGE = os.path.dirname(__file__) + os.sep
_log = logging.getLogger("mahabo")


class Run:
    """One call of minimize."""

    def __init__(
        self,
        study: Study,
        objective: Objective,
        evals: int,
        parallel: int,
        lease: float,
        callback: Callable[[Trial], None] | None,
        workers: str = "threads",
        report: Callable[[str], None] = _log.warning,
        checkpoints: Union[str, os.PathLike[str], None] = None,
        until: Callable[[], bool] = lambda: False,
        before: Mapping[str, int] | None = None,
    ) -> None:
        evals, parallel = count("evals", evals), count("parallel", parallel)
        if lease <= 0:
            raise ValueError(f"lease is {lease}: it has to be positive")
        self._study = study
        self._parallel = min(parallel, evals)
        self._objective = evaluator(objective, self._parallel, workers)
        self._lease = lease
        self._callback = callback
        self._report = report
        self._checkpoints = None if checkpoints is None else Path(checkpoints)
        self._until = until  # no trial is begun when it says so
        self._lock = threading.Lock()
        self._left = evals
        self._open: Dict[int, Trial] = {}
        self._given_back = False
        self._asking = 0  # threads that wait for a trial
        self._asked = threading.Condition(self._lock)  # one of them has it
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._notes: set[str] = set()
        had = before or {}  # how many trials were in which state
        none = not any(had.get(s) for s in ("complete", "infeasible", "stopped"))
        self._failed = self._had_failed = had.get("failed", 0) if none else 0
        self._hopeless = max(_HOPELESS, self._failed + _FEW_MORE)
        self._worked = False
        self._last: Tuple[str, BaseException | None] = ("", None)  # failure: reason and what was raised

    def run(self) -> None:
        """Evaluate; afterwards no trial of this run is left open."""
        pulse = threading.Thread(target=self._pulse, name="mahabo-heartbeats", daemon=True)
        pulse.start()
        try:
            if self._parallel == 1:
                self._work()
            else:
                self._spread()
        finally:
            self._stop.set()
            with self._asked:  # a trial that is on its way is to be given back too
                self._asked.wait_for(lambda: self._asking == 0, _PATIENCE)
            self._give_back()
            self._objective.close()
        if self._error is not None:
            raise self._error
        if self._failed > self._had_failed and not self._worked:
            raise self._none_worked(f"all {self._failed} trials failed")

    def _spread(self) -> None:
        # Daemons: Python must not wait for them after Ctrl-C.
        threads = [threading.Thread(target=self._work_apart, name=f"mahabo-{i}", daemon=True) for i in range(self._parallel)]
        for t in threads:
            t.start()
        for t in threads:
            while t.is_alive() and not self._stop.is_set():
                t.join(0.1)  # a join without end would hold back Ctrl-C on Windows

    def _work(self) -> None:
        try:
            while self._take():
                for trial in self._ask():
                    self._evaluate(trial)
        except Exhausted:
            pass
        except Exception as e:
            self._end(e)

    def _work_apart(self) -> None:
        try:
            self._work()
        except BaseException as e:  # as sys.exit in an objective: it would end no more than the thread, unseen
            self._end(e)

    def _take(self) -> bool:
        with self._lock:
            if self._left == 0 or self._stop.is_set():
                return False
            if self._until():
                self._left = 0  # the other threads need not say so again
                return False
            self._left -= 1
            self._asking += 1
            return True

    def _ask(self) -> Sequence[Trial]:
        trials: Sequence[Trial] = ()
        try:
            trials = self._study.ask(1, lease=self._lease)
            return trials
        finally:
            with self._asked:
                self._open.update((t.number, t) for t in trials)
                self._asking -= 1
                self._asked.notify_all()

    def _end(self, error: BaseException) -> None:
        with self._lock:
            if self._error is None:
                self._error = error
        self._stop.set()

    def _evaluate(self, trial: Trial) -> None:
        if self._stop.is_set():
            with self._lock:
                late = self._given_back
            if late:
                self._give_back()
            return  # else the main thread gives it back
        self._note(trial)
        tell = self._outcome(trial)
        if self._stop.is_set():
            return  # it was given back
        try:
            self._tell(trial, tell)
        except OutcomeConflict:
            trial.refresh()  # another worker was faster; its outcome stays
        with self._lock:
            self._open.pop(trial.number, None)
        self._count(trial)
        if self._callback is not None:
            self._callback(trial)

    def _tell(self, trial: Trial, tell: Callable[[], None]) -> None:
        """Tell the outcome, or, where it cannot be recorded, that the trial failed."""
        try:
            tell()
            return
        except ValueError as e:
            reason = str(e)
        except Problem as e:
            if e.status != _REFUSED:
                raise
            reason = str(e)
        self._failure(trial, reason, None)()

    def _note(self, trial: Trial) -> None:
        """Show a remark of the method, once."""
        note = trial.model.note if trial.model else None
        with self._lock:
            new = note is not None and note not in self._notes
            if note is not None:
                self._notes.add(note)
        if new:
            self._report(f"trial {trial.number}: {note}")

    def _outcome(self, trial: Trial) -> Callable[[], None]:
        """Call the objective and return what tells its result."""
        try:
            if self._checkpoints is not None:
                trial.checkpoint = self._checkpoints.absolute() / str(trial.number)
                trial.checkpoint.mkdir(parents=True, exist_ok=True)
            result = self._timed(trial)
            if isinstance(result, Mapping):
                return self._named(trial, result)
            value, std = result if isinstance(result, tuple) else (result, None)
            try:
                value = finite(value, _INSTEAD)
            except ValueError as e:
                return self._failure(trial, str(e), None)
            std = None if std is None else number(std)
            self._check_complete(None)
        except Infeasible as e:
            reason = str(e)
            return lambda: trial.infeasible(reason)
        except Stopped as e:
            why = str(e)
            return lambda: trial.stopped(why)
        except Exception as e:
            return self._failure(trial, describe(e), e)

        return lambda: trial.tell(value, std)

    def _timed(self, trial: Trial) -> Any:
        """Call the objective, and keep how long it took."""
        start = time.monotonic()
        try:
            result = self._objective(dict(trial.params), trial)
        except Exception:
            _spend(trial, time.monotonic() - start)
            raise
        _spend(trial, time.monotonic() - start)
        return result

    def _named(self, trial: Trial, result: Mapping[str, Any]) -> Callable[[], None]:
        """Return what tells outcomes by name."""
        if not self._study.space.get("outcomes"):
            raise TypeError("the value is a dict: declare outcomes to return several numbers")
        self._check_complete(result)
        measured(result, _INSTEAD)  # numbers that are not finite are a failure
        return lambda: trial.tell(result)

    def _check_complete(self, given: Container[str] | None) -> None:
        """Raise a KeyError unless all objectives and limits are given, for None the first objective alone."""
        declared = self._study.space.get("outcomes") or {}
        needed = [name for n, how in declared.items() if not _recorded(how) for name in expand(n)]
        if given is None:
            given = [name for n, how in declared.items() if _objective(how) for name in expand(n)][:1]
        missing = [name for name in needed if name not in given]
        if missing:
            raise KeyError(f"outcome {missing[0]!r} is missing: return all objectives and limits")

    def _failure(self, trial: Trial, reason: str, error: Exception | None) -> Callable[[], None]:
        """Show what went wrong, the first time with the traceback, and return what tells it."""
        text = f"trial {trial.number} failed: {reason}"
        with self._lock:
            first = not self._last[0]
            self._last = (reason, error)
        if first and error is not None:
            text = f"{text}\n{traceback_text(error)}".rstrip()
        if not self._stop.is_set():
            self._report(text)
        return lambda: trial.fail(reason)

    def _count(self, trial: Trial) -> None:
        with self._lock:
            self._worked = self._worked or trial.state != "failed"
            self._failed += trial.state == "failed"
            hopeless = not self._worked and self._failed >= self._hopeless
        if hopeless:
            raise self._none_worked(f"all of the first {self._failed} trials failed")

    def _none_worked(self, text: str) -> NoneWorked:
        reason, cause = self._last
        error = NoneWorked(f"{text}, the last one: {reason}")
        error.__cause__ = cause
        return error

    def _pulse(self) -> None:
        while not self._stop.wait(self._lease / _BEATS):
            with self._lock:
                running = list(self._open.values())
            for trial in running:
                try:
                    _beat(trial, self._lease)
                except MahaboError:
                    pass  # the next one may work; a value is told also when the lease is lost

    def _give_back(self) -> None:
        with self._lock:
            self._given_back = True
            numbers = sorted(self._open)
            self._open.clear()
        try:
            self._study.release(numbers)
        except (ConnectionFailed, LeaseLost):
            pass  # the leases run out


def _spend(trial: Trial, took: float) -> None:
    """Check the seconds and the cost that the objective has set."""
    seconds, cost = trial.seconds or 0.0, trial.cost or 0.0
    trial.seconds, trial.cost = took, 0.0
    trial.seconds = amount("trial.seconds", seconds) or took
    trial.cost = amount("trial.cost", cost)


def _recorded(how: Any) -> bool:
    """Say whether an outcome is neither an objective nor a limit."""
    return how == "record" or isinstance(how, Mapping) and not {"goal", "at_most", "at_least"} & set(how)


def _objective(how: Any) -> bool:
    return "goal" in how if isinstance(how, Mapping) else how != "record"


def _beat(trial: Trial, lease: float) -> None:
    """Send a heartbeat, without the trial of the objective's thread changing meanwhile."""
    body: Mapping[str, Any] = {"worker": trial.worker, "lease_seconds": lease}
    answer = trial.study._call("POST", f"/trials/{trial.number}/heartbeat", body)
    if answer.get("stop"):
        trial.should_stop = True


def describe(e: BaseException) -> str:
    """Return what was raised, and where."""
    if isinstance(e, ObjectiveFailed):
        return str(e)
    text = f"{type(e).__name__}: {e}"
    frames = traceback.extract_tb(e.__traceback__)
    if frames and not frames[-1].filename.startswith(_PACKAGE):
        last = frames[-1]
        text += f" ({last.filename}:{last.lineno}, in {last.name})"
    return text


def traceback_text(e: Exception) -> str:
    """Return the traceback of the objective, without the frames that called it."""
    if isinstance(e, ObjectiveFailed):
        return e.traceback_text
    at: TracebackType | None = e.__traceback__
    while at is not None and at.tb_frame.f_code.co_filename.startswith(_PACKAGE):
        at = at.tb_next
    if at is None:
        return ""  # the value is wrong, not the objective's code
    return "".join(traceback.format_exception(type(e), e, at)).rstrip()
