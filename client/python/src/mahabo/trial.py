"""Trials, and what a server says of a study."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Union

from .convert import amount, finite, measured, whole
from .errors import Problem
from .space import Space

if TYPE_CHECKING:
    from .study import Study

Value = Union[float, int, str, bool]
"""A value of a parameter."""


@dataclass(frozen=True)
class Prediction:
    """What the model expected of a value, its noise included."""

    mean: float
    std: float
    outcomes: Dict[str, Prediction] = field(default_factory=dict)
    """Of every objective and limit, where the study declares outcomes and the method models them."""


@dataclass(frozen=True)
class Model:
    """Who chose the new points of an ask."""

    method: str
    d: int | None = None
    """Dimension of the subspace that was learned, if the method has one."""
    fallback: str | None = None
    """Why the points are not the method's own, if they are not."""
    note: str | None = None
    """Why they may look odd."""


@dataclass(frozen=True)
class Best:
    """The best point of a study."""

    number: int
    """Number of the first complete trial there."""
    params: Dict[str, Any]
    value: float
    """Mean of the values there."""
    count: int
    """Complete trials there."""
    outcomes: Dict[str, float] = field(default_factory=dict)
    """Means there by name, where the study declares outcomes."""
    violations: Dict[str, float] = field(default_factory=dict)
    """By how much limits are violated: then no trial keeps all, and this point violates them least."""


@dataclass(frozen=True)
class Front:
    """What a study has found for several objectives, and how its limits are kept."""

    objectives: List[str]
    points: List[Best]
    """Points that no other dominates and that keep all limits, by the first objective."""
    knee: Best | None
    """The point that gives most for least."""
    reference: Dict[str, float]
    """Worst values of interest, given or from the data."""
    hypervolume: float
    least: Best | None
    """While no trial keeps all limits: the point that violates them least."""
    complete: int
    """Complete trials."""
    kept: Dict[str, int]
    """How many of them keep the limits of an outcome."""

    @classmethod
    def read(cls, d: Mapping[str, Any], space: Space) -> Front:
        """Return what a document of the server says."""
        points = [_best(p, space) for p in d["points"]]
        return cls(
            objectives=d["objectives"],
            points=points,
            knee=next((p for p in points if p.number == d["knee"]), None),
            reference=d["reference"],
            hypervolume=float(d["hypervolume"]),
            least=read_best(d["least"], space),
            complete=d["complete"],
            kept=d["kept"],
        )


@dataclass(frozen=True)
class StudyInfo:
    """A study and how far it is."""

    name: str
    space: Dict[str, Any]
    method: str
    goal: str
    seed: int
    init: int
    batch: int
    created: datetime
    trials: int
    states: Dict[str, int]
    """How many trials are waiting, running, complete, failed, infeasible, stale or stopped."""
    best: Best | None
    stop: str = ""
    """Rule that ends trials early."""
    spent: float = 0.0
    """Cost of all trials: what they told, or else their seconds."""
    error: str = ""
    """Why the study cannot be read, in a list: nothing but its name is known then."""

    @classmethod
    def read(cls, d: Mapping[str, Any], space: Space | None = None) -> StudyInfo:
        """Return what a document of the server says."""
        if d.get("error"):
            return cls(d["name"], {}, "", "", 0, 0, 0, _required(d["created"]), 0, {}, None, error=d["error"])
        return cls(
            name=d["name"],
            space=d["space"],
            method=d["method"],
            goal=d["goal"],
            seed=d.get("seed", 0),
            init=d["init"],
            batch=d.get("batch", 1),
            created=_required(d["created"]),
            trials=d["trials"],
            states=d["states"],
            best=read_best(d["best"], space or Space(d["space"]["parameters"])),
            stop=d.get("stop", ""),
            spent=float(d.get("spent", 0.0)),
        )


@dataclass(frozen=True)
class Report:
    """What a trial had reached at a step while it ran."""

    step: int
    value: float
    outcomes: Dict[str, float] = field(default_factory=dict)
    """By name, where the study declares outcomes."""
    time: datetime | None = None

    @classmethod
    def read(cls, d: Mapping[str, Any]) -> Report:
        """Return what a document of the server says."""
        return cls(d["step"], float(d["value"]), dict(d.get("outcomes") or {}), read_time(d.get("time")))


@dataclass(frozen=True)
class Correction:
    """What was mended of a trial."""

    time: datetime
    by: str
    """Who did it, if known."""
    what: str
    """For people: value 8.2 -> 0.82."""


@dataclass
class Trial:
    """A point of a study and what came of it."""

    study: Study = field(repr=False, compare=False)
    number: int
    params: Dict[str, Any]
    state: str = "running"
    predicted: Prediction | None = None
    model: Model | None = None
    """Who chose the point, in the answer of an ask."""
    lease_expires: datetime | None = None
    """Until when to tell or to send a heartbeat; None: no limit."""
    value: float | None = None
    std: float = 0.0
    outcomes: Dict[str, float] = field(default_factory=dict)
    """Told so far by name, where the study declares outcomes."""
    stds: Dict[str, float] = field(default_factory=dict)
    """Standard deviations of their noise, where they are known."""
    reason: str = ""
    cost: float = 0.0
    """What was told of its cost; an objective that is given the trial can set it."""
    seconds: float = 0.0
    """How long its evaluation took, as was told; 0: the time since it was asked for counts."""
    last: Report | None = None
    """The last report of a stopped trial."""
    counts_as: float | None = None
    """What the method takes for the value of a stopped trial."""
    counts_std: float | None = None
    """Standard deviation of counts_as, if it is known."""
    should_stop: bool = False
    """The rule of the study wants the trial to end: report and heartbeat say so."""
    checkpoint: Path | None = None
    """Folder of the trial, if the run was given one: a trial that is evaluated again finds it as it was."""
    notes: tuple[str, ...] = ()
    excluded: bool = False
    """It keeps its outcome, but nobody learns from it."""
    outside: str = ""
    """Why the present parameters of the study have no place for it, which excludes it."""
    history: tuple[Correction, ...] = ()
    """Its corrections, and how it failed or was stopped before, the latest last."""
    origin: str = "method"
    """Who chose the point: method, user or import."""
    batch_id: int | None = None
    worker: str = ""
    created: datetime | None = None
    asked: datetime | None = None
    told: datetime | None = None
    _why: str = field(default="", repr=False, compare=False)  # it should end

    @classmethod
    def read(cls, study: Study, d: Mapping[str, Any]) -> Trial:
        """Return what a document of the server says."""
        t = cls(study, d["number"], {})
        t._update(d)
        return t

    def _update(self, d: Mapping[str, Any]) -> None:
        predicted = d.get("predicted")
        self.params = self.study._space.gather(d["params"])
        self.state = d.get("state", "running")
        self.predicted = _predicted(predicted) if predicted else None
        self.lease_expires = read_time(d.get("lease_expires"))
        value = d.get("value")
        self.value = None if value is None else float(value)
        self.std = float(d.get("std", 0.0))
        self.outcomes = dict(d.get("outcomes") or {})
        self.stds = dict(d.get("stds") or {})
        self.reason = d.get("reason", "")
        self.cost = float(d.get("cost") or self.cost)
        self.seconds = float(d.get("seconds") or 0.0)
        last, counts_as = d.get("last"), d.get("counts_as")
        self.last = Report.read(last) if last else None
        self.counts_as = None if counts_as is None else float(counts_as)
        self.counts_std = float(d["counts_std"]) if d.get("counts_std") else None
        self.should_stop = self.state in ("running", "stale") and (self.should_stop or d.get("stop", False))
        self.notes = tuple(d.get("notes") or ())
        self.excluded = d.get("excluded", False)
        self.outside = d.get("outside", "")
        self.history = tuple(Correction(_required(c["time"]), c.get("by", ""), c["what"]) for c in d.get("history") or ())
        self.origin = d.get("origin", "method")
        self.batch_id = d.get("batch_id", self.batch_id)
        self.worker = d.get("worker", self.worker)
        self.created = read_time(d.get("created"))
        self.asked = read_time(d.get("asked"))
        self.told = read_time(d.get("told"))

    def tell(
        self,
        value: Union[float, Mapping[str, Any]],
        std: float | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        cost: float | None = None,
        seconds: float | None = None,
    ) -> None:
        """Record the value, and the standard deviation of its noise if it is known.

        In a study that declares outcomes value is a dict of them, {"mass": 1.2, "stress": (9.1, 0.2)}, a
        pair with the standard deviation; the rest can be told later. params are those that were
        really used, if they differ from the ones suggested. cost is that of the evaluation, in any unit that is the
        same for all trials; else its time counts: seconds, as long as the evaluation took, or the time since the trial
        was asked for, in which it may have waited for its turn.
        """
        if seconds is not None:
            self.seconds = seconds
        body: dict[str, Any] = {"outcomes": measured(value)} if isinstance(value, Mapping) else {"value": finite(value)}
        if std is not None:
            body["std"] = _deviation(std, value)
        if params:
            body["params"] = self.study._space.scatter(params)
        if cost or self.cost:
            body["cost"] = float(cost or self.cost)
        self._tell(body)

    def report(self, step: int, value: Union[float, Mapping[str, float]]) -> bool:
        """Keep what the trial has reached at a step, and return whether it should end.

        Steps count up in any unit, as epochs do. In a study that declares outcomes value is a dict of them, with the
        first objective at least. A trial that should end is told so by stopped(), or by raising mahabo.Stopped in an
        objective. Reporting an earlier step again, as after a checkpoint, replaces what was reported from there on.
        """
        one: dict[str, Any] = {"step": whole("step", step)}
        if isinstance(value, Mapping):
            one["outcomes"] = {name: finite(v) for name, v in value.items()}
        else:
            one["value"] = finite(value)
        answer = self.study._call("POST", f"/trials/{self.number}/report", {"worker": self.worker, "reports": [one]})
        self.should_stop = self.should_stop or answer["stop"]
        self._why = answer.get("reason") or self._why
        return self.should_stop

    async def report_async(self, step: int, value: Union[float, Mapping[str, float]]) -> bool:
        """Do as report does, without holding up other coroutines."""
        import asyncio

        return await asyncio.get_running_loop().run_in_executor(None, self.report, step, value)

    def reports(self, most: int = 0) -> List[Report]:
        """Return what the trial has reported, at most so many evenly spread; 0 for all."""
        return self.study.reports([self.number], most).get(self.number, [])

    def stopped(self, reason: str = "") -> None:
        """Record that the trial was ended early. Its last report is a bound, not its value; it may be tried again."""
        body: dict[str, Any] = {"state": "stopped", "reason": (reason or self._why)[:_LONGEST]}
        if self.cost:
            body["cost"] = self.cost
        self._tell(body)

    def correct(
        self,
        value: Union[float, Mapping[str, Any], None] = None,
        std: float | None = None,
        *,
        state: str | None = None,
        reason: str | None = None,
        params: Mapping[str, Any] | None = None,
        exclude: bool | None = None,
        delete_note: int | None = None,
    ) -> None:
        """Mend what was recorded wrongly; what is left out stays.

        value, or a dict of outcomes, makes a failed or infeasible trial complete. params are those that were really
        used. exclude=True keeps the trial without anybody learning from it, False counts it
        again. delete_note is the number of a note, from 1 on. The history keeps what was.
        """
        body: dict[str, Any] = {"worker": self.study.worker}
        if isinstance(value, Mapping):
            body["outcomes"] = measured(value)
        elif value is not None:
            body["value"] = finite(value)
        if std is not None:
            body["std"] = _deviation(std, value)
        if params:
            body["params"] = self.study._space.scatter(params)
        for name, given in (("state", state), ("reason", reason), ("excluded", exclude), ("delete_note", delete_note)):
            if given is not None:
                body[name] = given
        if len(body) == 1:
            raise ValueError("nothing to correct: give value, std, state, reason, params, exclude or delete_note")
        self._act("correct", body, repeat=delete_note is None)  # the next note has its number then

    def fail(self, reason: str = "") -> None:
        """Record that no value came of it. It may be tried again."""
        self._tell({"state": "failed", "reason": reason[:_LONGEST]})

    def infeasible(self, reason: str = "") -> None:
        """Record that the point cannot have a value. It is never suggested again."""
        self._tell({"state": "infeasible", "reason": reason[:_LONGEST]})

    def heartbeat(self, lease: float = 60.0) -> None:
        """Keep the trial for lease more seconds, 0 for ever. LeaseLost says that another has it."""
        self._act("heartbeat", {"worker": self.worker, "lease_seconds": lease})

    def retry(self) -> None:
        """Send a failed or stopped trial back to the queue."""
        self._act("retry", None)

    def note(self, text: str) -> None:
        """Add a remark."""
        self._act("notes", {"text": text})

    def release(self) -> None:
        """Give the trial back, so that the next ask serves it."""
        self.study.release([self.number], worker=self.worker)

    def refresh(self) -> None:
        """Read the trial again."""
        self._update(self.study._call("GET", f"/trials/{self.number}"))

    def _tell(self, body: Dict[str, Any]) -> None:
        if not self.seconds:
            self._act("tell", body)
            return
        try:
            self._act("tell", {**body, "seconds": float(self.seconds)})
        except Problem as error:
            if not any(e.field == "body.seconds" for e in error.errors):
                raise
            self._act("tell", body)  # a server of an earlier version does not know it

    def _act(self, verb: str, body: Any, *, repeat: bool = True) -> None:
        self._update(self.study._call("POST", f"/trials/{self.number}/{verb}", body, repeat=repeat))


_LONGEST = 10_000


def _deviation(std: float, value: Union[float, Mapping[str, Any], None]) -> float:
    """Return the standard deviation of a single value."""
    if isinstance(value, Mapping):
        raise TypeError(f"std is {std}, but there are outcomes by name: give pairs (value, std)")
    return amount("std", std)


def read_best(d: Mapping[str, Any] | None, space: Space) -> Best | None:
    """Return the best point, if there is one."""
    return _best(d, space) if d else None


def _best(d: Mapping[str, Any], space: Space) -> Best:
    named = {key: dict(d.get(key) or {}) for key in ("outcomes", "violations")}
    return Best(d["number"], space.gather(d["params"]), float(d["value"]), d["count"], **named)


def _predicted(d: Mapping[str, Any]) -> Prediction:
    outcomes = {name: Prediction(o["mean"], o["std"]) for name, o in (d.get("outcomes") or {}).items()}
    return Prediction(d["mean"], d["std"], outcomes)


_FRACTION = re.compile(r"\.(\d{1,6})\d*")


def read_time(text: str | None) -> datetime | None:
    """Return a time of the server, which may have more digits than Python reads."""
    return _required(text) if text else None


def _required(text: str) -> datetime:
    text = _FRACTION.sub(lambda m: "." + m.group(1).ljust(6, "0"), text)
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
