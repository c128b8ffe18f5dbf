"""minimize and maximize: a study, its server and the run in one call."""

from __future__ import annotations

import hashlib
import json
import operator
import os
import re
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Sequence

from .client import Former
from .convert import count, dicts, plain
from .errors import Interrupted, Problem
from .evaluators import check_objective
from .private import PrivateServer
from .progress import Progress, progress
from .result import Result
from .run import Objective, Run
from .space import Parameters, Space
from .study import Study
from .trial import Trial

_LEASE = 60.0
_ALONE = "point 1: "  # in what the server says of points that come one by one
_NAME = re.compile(r"[^\W_][\w.-]{0,127}")


def minimize(
    objective: Objective,
    space: Parameters,
    evals: int = 200,
    parallel: int = 1,
    *,
    constraints: Sequence[str] = (),
    outcomes: Mapping[str, Any] | None = None,
    points: Iterable[Mapping[str, Any]] = (),
    study: str | None = None,
    path: str | os.PathLike[str] | None = None,
    method: str | None = None,
    seed: int = 0,
    init: int | None = None,
    former: Former = (),
    workers: str = "threads",
    progress: bool | None = None,
    callback: Callable[[Trial], None] | None = None,
    stop: str | None = None,
    cost: str | None = None,
    max_cost: float | None = None,
    hours: float | None = None,
    checkpoints: str | os.PathLike[str] | None = None,
) -> Result:
    """Minimise a function with evals evaluations, parallel at a time.

    objective gets the parameters as a dict and returns the value, or a pair of the value
    and the standard deviation of its noise. It may be a coroutine function. An exception
    makes a failed trial and is shown; mahabo.Infeasible says that the point cannot have a
    value.

    space is a list of parameters, [Float("w", -1, 1, shape=(20, 10)), Log("rate", 1e-4, 1)],
    or a dict as in a space file. constraints are linear: "w0 + w1 <= 1". points, dicts or
    a pandas.DataFrame, are evaluated first, each once also when the study is continued. With outcomes, {"mass": "minimize", "stress": {"at_most": 10}}, the objective returns a
    dict with their names; the best trial then is the best that keeps all limits, or the knee of the
    front, and front has the whole.

    former are studies to learn from: names of studies in the file path, or a dict of a name and its trials,
    {"notebook": [({"rate": 0.1}, 3.2), ...]}, or its table, {"lab": "lab.csv"}, a pandas.DataFrame or dicts, with columns called
    as parameters and one called value. They may have other bounds, parameters, units and offsets.

    With study or path the trials are kept: in the file path (mahabo.db), as the study
    (named after the file). The same call continues it until evals trials have an outcome,
    after Ctrl-C or a crash too, and mahabo's commands read it. Several programs may run it at the same time. Another method, seed, init, stop or
    cost than at first is a StudyDiffers; former has an effect on a new study only. Else they are in a
    temporary file, which is kept, and named, only after Ctrl-C or an error of the run.

    workers="processes" calls the objective in processes: it is then a function of a module,
    or any if cloudpickle is installed. progress=False shows failures only, True prints lines
    also when standard error is not a terminal. callback gets every trial that has an outcome.

    For functions that take long: one with a second argument, or a second one named trial, gets the trial too. It reports with
    trial.report(step, value), which returns True when the rule stop, gain, asha, median or curve, wants the trial to end;
    then it raises mahabo.Stopped. trial.checkpoint is a folder of its own in checkpoints, which it finds again when the
    trial is evaluated once more. cost="aware" chooses points for what they are expected to bring beside what they cost:
    trial.cost if the function sets it, else its time. After hours, or when all trials have cost max_cost, no
    other is begun.

    Ctrl-C ends the run with Interrupted, a KeyboardInterrupt, whose result has what was
    evaluated.
    """
    return _Job(
        objective, space, evals, parallel, constraints, outcomes, points, study, path, method, seed, init, former, workers, progress, callback,
        stop, cost, max_cost, hours, checkpoints,
    ).run("minimize")


def maximize(
    objective: Objective,
    space: Parameters,
    evals: int = 200,
    parallel: int = 1,
    *,
    constraints: Sequence[str] = (),
    outcomes: Mapping[str, Any] | None = None,
    points: Iterable[Mapping[str, Any]] = (),
    study: str | None = None,
    path: str | os.PathLike[str] | None = None,
    method: str | None = None,
    seed: int = 0,
    init: int | None = None,
    former: Former = (),
    workers: str = "threads",
    progress: bool | None = None,
    callback: Callable[[Trial], None] | None = None,
    stop: str | None = None,
    cost: str | None = None,
    max_cost: float | None = None,
    hours: float | None = None,
    checkpoints: str | os.PathLike[str] | None = None,
) -> Result:
    """Do as minimize does, for the largest value."""
    return _Job(
        objective, space, evals, parallel, constraints, outcomes, points, study, path, method, seed, init, former, workers, progress, callback,
        stop, cost, max_cost, hours, checkpoints,
    ).run("maximize")


@dataclass
class _Job:
    """The arguments of minimize."""

    objective: Objective
    space: Parameters
    evals: int
    parallel: int
    constraints: Sequence[str]
    outcomes: Mapping[str, Any] | None
    points: Iterable[Mapping[str, Any]]
    study: str | None
    path: str | os.PathLike[str] | None
    method: str | None
    seed: int
    init: int | None
    former: Former
    workers: str
    progress: bool | None
    callback: Callable[[Trial], None] | None
    stop: str | None
    cost: str | None
    max_cost: float | None
    hours: float | None
    checkpoints: str | os.PathLike[str] | None
    _valued: bool = False  # a trial of this run has a value

    def run(self, goal: str) -> Result:
        check_objective(self.objective)
        self.evals, self.parallel = count("evals", self.evals), count("parallel", self.parallel)
        if self.study is not None or self.path is not None:
            return self._run_in(Path(self.path or "mahabo.db"), goal, temporary=False)
        folder = Path(tempfile.mkdtemp(prefix="mahabo-"))
        file = folder / "study.db"
        keep = False
        try:
            return self._run_in(file, goal, temporary=True)
        except Interrupted:
            keep = True  # its text says where
            raise
        except Exception:
            keep = self._valued
            if keep:
                print(f"mahabo: the trials are kept: the same call with path={str(file)!r} continues", file=sys.stderr)
            raise
        finally:
            if not keep:
                shutil.rmtree(folder, ignore_errors=True)

    def _run_in(self, file: Path, goal: str, temporary: bool) -> Result:
        start = time.monotonic()
        if self.study is None and not _NAME.fullmatch(file.stem):
            raise ValueError(f"path is {str(file)!r}, but a study cannot be called {file.stem!r}: give it a name of letters, digits and -_. with study=NAME")
        with PrivateServer(file) as server:
            study = server.client.create_study(
                self.study or file.stem,
                self.space,
                constraints=self.constraints,
                outcomes=self.outcomes,
                method=self.method,
                goal=None if self.outcomes or Space(self.space).outcomes else goal,
                seed=self.seed,
                init=self.init,
                budget=self.evals,
                former=self.former,
                stop=self.stop,
                cost=self.cost,
                max_cost=self.max_cost,
                exist_ok=True,
            )
            _take_over(study)
            _enqueue(study, dicts("points", self.points))

            def result() -> Result:
                path = None if temporary else file
                front = study.front() if study.space.get("outcomes") else None
                return Result(study.best(), study.records(), study.goal, study.name, path, time.monotonic() - start, front)

            try:
                self._evaluate(study)
            except KeyboardInterrupt:
                so_far = result()
                raise Interrupted(f"{so_far}; the same call with path={str(file)!r} continues", so_far) from None
            return result()

    def _evaluate(self, study: Study) -> None:
        states = study.info().states
        done = _done(states)
        left = self.evals - done
        view = progress(self.evals, done, self.progress)
        try:
            if left < 1:
                view.say(f"study {study.name!r} has {done} trials already: raise evals to go on")
                return
            follow = _Follow(view, study, done, self._tell)
            over = self._over(study, view.say)
            Run(study, self.objective, left, self.parallel, _LEASE, follow, self.workers, view.say, self.checkpoints, over, states).run()
        finally:
            view.close()

    def _over(self, study: Study, say: Callable[[str], None]) -> Callable[[], bool]:
        """Return what says whether the hours or the cost are used up, or other runs of the study have evaluated the rest."""
        end = None if self.hours is None else time.monotonic() + 3600 * self.hours

        def over() -> bool:
            if end is not None and time.monotonic() >= end:
                say(f"the {self.hours:g} hours are over: no other trial is begun")
                return True
            info = study.info()
            if self.max_cost is not None and info.spent >= self.max_cost:
                say(f"the cost of all trials is {info.spent:.6g}, and {self.max_cost:g} were meant: no other trial is begun")
                return True
            return _done(info.states) >= self.evals

        return over

    def _tell(self, trial: Trial) -> None:
        self._valued = self._valued or trial.value is not None
        if self.callback is not None:
            self.callback(trial)


class _Follow:
    """Counts the trials that have an outcome, for the progress."""

    def __init__(self, view: Progress, study: Study, done: int, callback: Callable[[Trial], None]) -> None:
        self._view, self._done, self._callback, self._study = view, done, callback, study
        self._better: Callable[[float, float], bool] = operator.lt if study.goal == "minimize" else operator.gt
        best = study.best()
        self._best = (best.value, best.number) if best else None
        self._lock = threading.Lock()

    def __call__(self, trial: Trial) -> None:
        with self._lock:
            self._done += 1
            if trial.value is not None and self._study.space.get("outcomes"):
                best = self._study.best()  # limits count
                self._best = (best.value, best.number) if best and not best.violations else None
            elif trial.value is not None and (self._best is None or self._better(trial.value, self._best[0])):
                self._best = (trial.value, trial.number)
            value, number = self._best or (None, None)
            self._view.step(self._done, value, number)
        self._callback(trial)


def _done(states: Mapping[str, int]) -> int:
    """Return how many trials have an outcome."""
    return sum(states.get(s, 0) for s in ("complete", "failed", "infeasible", "stopped"))


def _enqueue(study: Study, points: Iterable[Mapping[str, Any]]) -> None:
    """Add points that an earlier run has not added. Each has an id of its own; one that is given twice has two."""
    times: Counter[bytes] = Counter()
    for number, point in enumerate(points, 1):
        if not isinstance(point, Mapping):
            raise TypeError(f"point {number} is {point!r}: give a dict")
        try:
            text = json.dumps(study.flat(point), sort_keys=True, default=plain).encode()
            times[text] += 1
            study.enqueue(point, request_id=f"point-{hashlib.sha256(text).hexdigest()[:32]}-{times[text]}")
        except ValueError as e:
            raise ValueError(f"point {number}: {e}") from None
        except Problem as e:
            if not str(e).startswith(_ALONE):
                raise
            raise Problem(e.status, {"detail": f"point {number}: {str(e)[len(_ALONE) :]}"}) from None


def _take_over(study: Study) -> None:
    """Give back what processes of this machine had open when they died.

    On Windows their leases run out instead: there is no harmless way to ask for a process.
    """
    if os.name != "posix":
        return
    mine = f"python:{socket.gethostname()}:"
    for trial in study.trials("running", "stale"):
        pid = trial.worker[len(mine) :].partition(":")[0] if trial.worker.startswith(mine) else ""
        if pid.isdigit() and not _alive(int(pid)):
            study.release([trial.number], worker=trial.worker)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
