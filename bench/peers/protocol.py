"""Methods as processes: one line of JSON for every question and every answer.

The first line is the task,

    {"space": {...}, "outcomes": {...}, "init": 10, "batch": 5, "evals": 100, "seed": 7, "initial": [{...}, ...]}

answered by {}. Then {"ask": 5} is answered by {"params": [{...}, ...]}, and
{"tell": [{"params": {...}, "outcomes": {"value": 1.2}}, ...]} by {}. An evaluation that
failed is told as {"params": {...}, "failed": "why"}.

A method that has an attribute reports answers the task by {"reports": true}. It then hears what evaluations report while
they run: {"report": {"params": {...}, "step": 3, "value": 0.4}} is answered by {"stop": false}, or true to end the
evaluation, which is then told as {"params": {...}, "stopped": {"step": 3, "value": 0.4}}.

Initial points that are not told before the first ask are what asks return first, so that
a method needs no design of its own.

A program of this folder defines a class with ask(n) and tell(observations) and ends with
serve(class). What its libraries print goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from dataclasses import dataclass
from typing import Any, Callable, Protocol

from spaces import Space

# One core, as every other method of a benchmark; read by libraries when they are imported.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")


@dataclass(frozen=True)
class Outcome:
    """An objective (bound is None) or a limit.

    cost turns a told value so that an objective is minimised and a limit kept when <= 0.
    """

    name: str
    sign: float
    bound: float | None = None

    def cost(self, told: dict) -> float:
        value = told[self.name]
        if isinstance(value, dict):  # {"value": 9.1, "std": 0.2}
            value = value["value"]
        return self.sign * (float(value) - (self.bound or 0.0))


@dataclass(frozen=True)
class Observation:
    """A point and what came of it, in the order of the task's objectives and limits."""

    params: dict
    y: tuple[float, ...] = ()
    limits: tuple[float, ...] = ()
    failed: bool = False
    stopped: bool = False  # it was ended early, as the method wanted

    @property
    def violation(self) -> float:
        return sum(max(0.0, g) for g in self.limits)


class Task:
    """The first line."""

    def __init__(self, line: dict):
        self.space = Space(line["space"])
        self.objectives, self.limits = read_outcomes(line.get("outcomes"))
        self.reference = read_reference(line["space"].get("outcomes"), self.objectives)
        self.init = int(line.get("init") or 0)
        self.batch = int(line.get("batch") or 1)
        self.evals = int(line.get("evals") or 0)
        self.seed = int(line.get("seed") or 0)
        self.initial = [self.space.full(p) for p in line.get("initial") or []]

    @property
    def budget(self) -> int:
        """All evaluations, the initial ones included."""
        return self.init + self.evals

    def single(self) -> Task:
        """Refuses all but one objective without limits."""
        if len(self.objectives) != 1 or self.limits:
            raise ValueError("this method takes one objective and no limits")
        return self

    def read(self, line: dict) -> Observation:
        """One element of a tell."""
        params = self.space.full(line["params"])
        told = line.get("outcomes")
        if told is None and line.get("value") is not None:
            told = {self.objectives[0].name: line["value"]}
        if line.get("stopped"):
            return Observation(params, stopped=True)
        if not told:
            return Observation(params, failed=True)
        return Observation(
            params,
            tuple(o.cost(told) for o in self.objectives),
            tuple(o.cost(told) for o in self.limits),
        )


def read_outcomes(tree: dict | None) -> tuple[list[Outcome], list[Outcome]]:
    """Objectives and limits of {"mass": "minimize", "stress": {"at_most": 10}}."""
    objectives, limits = [], []
    for name, kind in (tree or {"value": "minimize"}).items():
        if kind in ("minimize", "maximize"):
            objectives.append(Outcome(name, 1.0 if kind == "minimize" else -1.0))
        elif isinstance(kind, dict) and "at_most" in kind:
            limits.append(Outcome(name, 1.0, float(kind["at_most"])))
        elif isinstance(kind, dict) and "at_least" in kind:
            limits.append(Outcome(name, -1.0, float(kind["at_least"])))
        elif kind != "record":
            raise ValueError(f"outcome {name!r} is {kind!r}: expected minimize, maximize, at_most, at_least or record")
    if not objectives:
        raise ValueError("no outcome is an objective")
    return objectives, limits


def read_reference(declared: dict | None, objectives: list[Outcome]) -> list[float] | None:
    """The worst values of interest, as costs, where every objective declares one: {"mass": {"goal": "minimize", "reference": 9}}."""
    kinds = [(declared or {}).get(o.name) for o in objectives]
    if all(isinstance(kind, dict) and "reference" in kind for kind in kinds):
        return [o.sign * float(kind["reference"]) for o, kind in zip(objectives, kinds)]
    return None


class Method(Protocol):
    """What a peer implements."""

    def ask(self, n: int) -> list[dict]: ...

    def tell(self, observations: list[Observation]) -> None: ...


class Pending:
    """What a library gave for each point that was asked for and is not yet told."""

    def __init__(self, space: Space):
        self.space = space
        self.handles: dict[tuple, list] = {}

    def put(self, params: dict, handle: Any) -> dict:
        self.handles.setdefault(self._key(params), []).append(handle)
        return params

    def take(self, params: dict) -> Any | None:
        """The handle of a point, or None if it was not asked for."""
        handles = self.handles.get(self._key(params))
        return handles.pop(0) if handles else None

    def _key(self, params: dict) -> tuple:
        return tuple(params[name] for name in self.space.names)


class Session:
    """Answers the lines of one run."""

    def __init__(self, build: Callable[[Task], Method]):
        self.build = build
        self.task: Task | None = None

    def answer(self, line: dict) -> dict:
        if self.task is None:
            self.task = Task(line)
            self.waiting = list(self.task.initial)
            self.method = self.build(self.task)
            return {"reports": True} if getattr(self.method, "reports", False) else {}
        if "report" in line:
            one = line["report"]
            return {"stop": bool(self.method.report(self.task.space.full(one["params"]), int(one["step"]), float(one["value"])))}
        if "ask" in line:
            return {"params": self.ask(int(line["ask"]))}
        if "tell" in line:
            self.tell([self.task.read(one) for one in line["tell"]])
            return {}
        raise ValueError(f"a line is neither ask nor tell: {line!r}")

    def ask(self, n: int) -> list[dict]:
        first, self.waiting = self.waiting[:n], self.waiting[n:]
        rest = n - len(first)
        return first + ([self.task.space.full(p) for p in self.method.ask(rest)] if rest else [])

    def tell(self, observations: list[Observation]) -> None:
        for o in observations:
            if o.params in self.waiting:
                self.waiting.remove(o.params)
        self.method.tell(observations)


def same_hashes() -> None:
    """Starts the program anew with fixed hashes of texts, for libraries whose results follow the order of sets.

    To be called before anything is imported that takes long.
    """
    if "PYTHONHASHSEED" not in os.environ:
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, *sys.argv])


def serve(build: Callable[[Task], Method]) -> None:
    """Answer standard input on standard output until it ends, and end the process."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    status = 0
    try:
        session = Session(build)
        for line in sys.stdin:
            if line.strip():
                answer = session.answer(json.loads(line))
                answers.write(json.dumps(answer, allow_nan=False, default=_plain) + "\n")
                answers.flush()
    except Exception:
        traceback.print_exc()
        status = 1
    sys.stderr.flush()
    os._exit(status)  # a thread of a library that still waits must not keep the process


def _plain(value: Any) -> Any:
    """Numbers of numpy as Python's."""
    return value.item()
