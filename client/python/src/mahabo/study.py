"""A study of a server."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Sequence, Tuple, Union
from urllib.parse import quote

from .convert import cell, dicts, encode, expand, finite, measured
from .errors import ImprovisedWarning
from .run import Objective, Run
from .space import Parameters, Space
from .transport import Transport
from .trial import Best, Front, Model, Report, StudyInfo, Trial, read_best

_PAGE = 500
_TYPES = {"csv": "text/csv", "jsonl": "application/x-ndjson"}  # of what is imported


@dataclass(frozen=True)
class ImportReport:
    """What became of the rows of a table."""

    good: int
    """Rows that can be used."""
    bad: List[Tuple[int, str]]
    """Line and error of the rows that cannot, of at most 1000."""
    bad_count: int
    trials: List[int]
    """Numbers of the new trials, none after a dry run."""
    repeated: bool
    """The same table was imported before; trials are of then."""
    known: int = 0
    """Rows of good that are in the study already, with the same parameters and outcome, and are not taken again."""


class Study:
    """A study. Client.study and Client.create_study return one; threads may share it."""

    def __init__(self, transport: Transport, worker: str, info: StudyInfo, space: Space) -> None:
        self._transport = transport
        self._path = "/v1/studies/" + quote(info.name, safe="")
        self.worker = worker
        self.name = info.name
        self.goal = info.goal
        self.method = info.method
        self.space = info.space
        self._space = space.of(info.space["parameters"], self._stored)

    def __repr__(self) -> str:
        return f"<mahabo.Study {self.name!r}, {self.method}>"

    def _call(
        self, verb: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None, *, repeat: bool = True
    ) -> Any:
        return self._transport.json(verb, self._path + path, body, query, repeat=repeat)

    def _stored(self) -> Dict[str, Any]:
        """Read the parameters again, which another client may have changed."""
        self.space = self._call("GET", "")["space"]
        parameters: Dict[str, Any] = self.space["parameters"]
        return parameters

    def ask(
        self,
        count: int | None = None,
        *,
        lease: float = 0.0,
        fixed: Mapping[str, Any] | None = None,
        request_id: str | None = None,
    ) -> list[Trial]:
        """Get trials to evaluate, the study's batch when count is None.

        After lease seconds without an outcome or a heartbeat a trial may be served to
        others; 0: never. fixed holds parameters at values. Asking again with the same
        request_id returns the same trials. In a finite space there can be fewer. The
        model of a trial says who chose it; an ImprovisedWarning says that it was not the
        study's method.
        """
        body: dict[str, Any] = {
            "worker": self.worker,
            "request_id": request_id or os.urandom(16).hex(),
            "lease_seconds": lease,
        }
        if count is not None:
            body["count"] = count
        if fixed:
            body["fixed"] = self._space.scatter(fixed)
        answer = self._call("POST", "/ask", body)
        trials = [Trial.read(self, t) for t in answer["trials"]]
        model = Model(**{key: answer["model"][key] for key in ("method", "d", "fallback", "note")})
        for t in trials:
            t.worker, t.batch_id, t.model = self.worker, answer["batch_id"], model
        if model.fallback:
            text = f"study {self.name!r}: points are not those of {self.method}: {model.fallback}"
            warnings.warn(text, ImprovisedWarning, stacklevel=2)
        return trials

    def tell(self, values: Mapping[int, Union[float, Mapping[str, Any]]]) -> None:
        """Record the values of several trials by their numbers, all or none; a dict for outcomes by name."""
        results = [
            {"number": int(number), "outcomes": measured(value)}
            if isinstance(value, Mapping)
            else {"number": int(number), "value": finite(value)}
            for number, value in values.items()
        ]
        self._call("POST", "/tell", {"results": results})

    def correct(
        self, number: int, value: Union[float, Mapping[str, Any], None] = None, std: float | None = None, **changes: Any
    ) -> Trial:
        """Mend what was recorded of a trial, by its number, as Trial.correct does, and return it."""
        trial = Trial(self, number, {})
        trial.correct(value, std, **changes)
        return trial

    def change(
        self,
        parameters: Parameters,
        values: Mapping[str, Any] | None = None,
        *,
        constraints: Iterable[str] = (),
        preview: bool = False,
    ) -> Dict[str, Any]:
        """Give the study other parameters, and return what becomes of its trials.

        parameters and constraints are all of them as they are to be, as Client.create_study
        takes them. values are those that the trials so far had for parameters that are new.
        With preview nothing is changed. The answer has the differences, and the trials that
        are outside of the new bounds: they keep their outcomes, but do not count.
        """
        wanted = Space(parameters)
        space = wanted.tree(constraints)
        if self.space.get("outcomes"):
            space.setdefault("outcomes", self.space["outcomes"])  # they stay
        answer: Dict[str, Any] = self._call(
            "POST",
            "/change",
            {
                "space": space,
                "values": wanted.scatter(values or {}),
                "preview": preview,
                "worker": self.worker,
            },
        )
        if answer["changed"]:
            self._space = wanted.of(self._stored(), self._stored)
        return answer

    def enqueue(self, *points: Mapping[str, Any], request_id: str | None = None) -> list[Trial]:
        """Add points of your own. They are served before any other."""
        body = {"request_id": request_id or os.urandom(16).hex(), "params": [self._space.scatter(p) for p in points]}
        return [Trial.read(self, t) for t in self._call("POST", "/enqueue", body)["trials"]]

    def release(self, numbers: Sequence[int], *, worker: str | None = None) -> None:
        """Give back trials that will not be told, so that the next ask serves them."""
        if numbers:
            self._call("POST", "/release", {"worker": worker or self.worker, "numbers": list(numbers)})

    def trial(self, number: int) -> Trial:
        """Return one trial."""
        return Trial.read(self, self._call("GET", f"/trials/{number}"))

    def trials(self, *states: str, search: str = "", sort: str = "number") -> Iterator[Trial]:
        """Iterate over the trials, or those in some states.

        search is a text in numbers, values, workers, reasons or notes. sort is number,
        value or told, with - in front for descending.
        """
        query: dict[str, Any] = {"limit": _PAGE, "sort": sort}
        if states:
            query["state"] = ",".join(states)
        if search:
            query["search"] = search
        following: int | None = 0
        while following is not None:
            page = self._call("GET", "/trials", query={**query, "offset": following})
            for t in page["trials"]:
                yield Trial.read(self, t)
            following = page["next"]

    def reports(self, numbers: Sequence[int], most: int = 0) -> Dict[int, List[Report]]:
        """Return what trials have reported, by number, at most so many of each evenly spread; 0 for all."""
        found: Dict[int, List[Report]] = {}
        for i in range(0, len(numbers), 100):
            query = {"number": ",".join(map(str, numbers[i : i + 100])), "most": most}
            for curve in self._call("GET", "/reports", query=query)["curves"]:
                found[curve["number"]] = [Report.read(r) for r in curve["reports"]]
        return found

    def best(self) -> Best | None:
        """Return the best point, None while no trial is complete."""
        return read_best(self._call("GET", "/best")["best"], self._space)

    def front(self) -> Front:
        """Return the points that no other dominates, their hypervolume and how limits are kept."""
        return Front.read(self._call("GET", "/front"), self._space)

    def info(self) -> StudyInfo:
        """Return how far the study is."""
        return StudyInfo.read(self._call("GET", ""), self._space)

    def model(self) -> dict[str, Any]:
        """Return what the method has learned."""
        model: dict[str, Any] = self._call("GET", "/model")
        return model

    def minimize(
        self,
        objective: Objective,
        evals: int,
        parallel: int = 1,
        *,
        workers: str = "threads",
        lease: float = 60.0,
        callback: Callable[[Trial], None] | None = None,
        checkpoints: Union[str, os.PathLike[str], None] = None,
    ) -> Best | None:
        """Evaluate evals trials with a function, parallel at a time, and return the best point.

        The function gets the parameters as a dict and returns the value, or a pair of the
        value and the standard deviation of its noise, or in a study that declares outcomes a dict
        of them. An exception makes a failed trial;
        mahabo.Infeasible says that the point cannot have a value. While a trial runs,
        heartbeats keep its lease. With parallel > 1 the function is called in threads, or in
        processes if workers says so; a coroutine function in an event loop. callback gets every trial that has an outcome. Ctrl-C gives back the trials that
        run; so does an error of the server.

        A function of two arguments, or one whose second is named trial, gets the trial too, to report what it has reached:
        when trial.report(step, value) returns True, it raises mahabo.Stopped. checkpoints is a folder in which every trial
        has one of its own, trial.checkpoint.
        """
        return self._run("minimize", objective, evals, parallel, workers, lease, callback, checkpoints)

    def maximize(
        self,
        objective: Objective,
        evals: int,
        parallel: int = 1,
        *,
        workers: str = "threads",
        lease: float = 60.0,
        callback: Callable[[Trial], None] | None = None,
        checkpoints: Union[str, os.PathLike[str], None] = None,
    ) -> Best | None:
        """Do as minimize does, in a study whose goal is maximize."""
        return self._run("maximize", objective, evals, parallel, workers, lease, callback, checkpoints)

    def _run(
        self,
        goal: str,
        objective: Objective,
        evals: int,
        parallel: int,
        workers: str,
        lease: float,
        callback: Callable[[Trial], None] | None,
        checkpoints: Union[str, os.PathLike[str], None],
    ) -> Best | None:
        if self.goal != goal and not self.space.get("outcomes"):
            raise ValueError(f"the goal of study {self.name!r} is {self.goal}: call {self.goal}")
        Run(self, objective, evals, parallel, lease, callback, workers, checkpoints=checkpoints, before=self.info().states).run()
        return self.best()

    def flat(self, point: Mapping[str, Any]) -> Dict[str, Any]:
        """Return a point as the study's file has it: elements of arrays by their names, options as texts."""
        return self._space.scatter(point)

    def records(self, *states: str) -> list[dict[str, Any]]:
        """Return the trials as flat rows with the columns of an exported file."""
        spent = self._spent()
        return [
            {
                "number": t.number,
                "state": t.state,
                **self._outcomes(t),
                **{_column(name): v for name, v in self.flat(t.params).items()},
                "reason": t.reason,
                "origin": t.origin,
                "batch": t.batch_id,
                "worker": t.worker,
                "created": t.created,
                "asked": t.asked,
                "told": t.told,
                "notes": "\n".join(t.notes),
                "excluded": t.excluded,
                **{column: getattr(t, name) or None for name, column in spent.items()},
            }
            for t in self.trials(*states)
        ]

    def _names(self, section: str) -> List[str]:
        return [name for declared in self.space.get(section) or () for name in expand(declared)]

    def _spent(self) -> Dict[str, str]:
        """Return the columns of cost and seconds: their own, unless a parameter or an outcome is called so."""
        taken = set(map(_column, self._names("parameters")))
        for name in self._names("outcomes"):
            taken |= {_outcome(name), _outcome(name) + ".std"}
        columns = {}
        for name in ("cost", "seconds"):
            column = name
            while column in taken:
                column = "trial." + column
            columns[name] = column
        return columns

    def _outcomes(self, t: Trial) -> Dict[str, Any]:
        names = self._names("outcomes")
        if not names:
            return {"value": t.value, "std": t.std}
        columns: Dict[str, Any] = {}
        for name in names:
            column = _outcome(name)
            columns[column], columns[column + ".std"] = t.outcomes.get(name), t.stds.get(name)
        return columns

    def to_dataframe(self, *states: str) -> Any:
        """Return the trials as a pandas.DataFrame with the columns of records, by number."""
        try:
            import pandas
        except ImportError as e:
            raise ImportError("to_dataframe needs pandas: pip install pandas, or use records()") from e
        frame = pandas.DataFrame(self.records(*states))
        return frame.set_index("number") if len(frame) else frame

    def export(self, path: Union[str, os.PathLike[str]], format: str | None = None) -> None:
        """Write all trials to a file, csv, jsonl or parquet; the ending decides when format is None."""
        target = Path(path)
        kind = _format(target, format, *_TYPES, "parquet")
        data = self._transport.send("GET", self._path + "/export", query={"format": kind})
        part = target.with_name(target.name + ".part")
        part.write_bytes(data)
        part.replace(target)

    def import_file(
        self,
        path: Union[str, os.PathLike[str]],
        format: str | None = None,
        *,
        columns: Mapping[str, str] | None = None,
        dry_run: bool = False,
        strict: bool = False,
        decimal: str | None = None,
        repeats: bool = False,
    ) -> ImportReport:
        """Add evaluations made before or elsewhere: a table with a column per parameter and value.

        columns says how the table calls a parameter, an outcome, or value, state, std, reason, notes, excluded, cost or seconds.
        With strict a row that cannot be used refuses the whole table. decimal is the sign before the decimals in CSV, point or comma; None goes
        by the numbers. Rows that are in the study already are not taken again, unless repeats says that they are real repetitions.
        """
        source = Path(path)
        how = {"dry_run": dry_run, "strict": strict, "repeats": repeats}
        return self._import(source.read_bytes(), _format(source, format, *_TYPES), columns, how, decimal)

    def import_rows(
        self,
        rows: Any,
        *,
        columns: Mapping[str, str] | None = None,
        dry_run: bool = False,
        strict: bool = False,
        repeats: bool = False,
    ) -> ImportReport:
        """Do as import_file does, with dicts, or with a pandas.DataFrame. They may have arrays and options as points do; NaN stands for an empty cell."""
        columns = dict(columns or {})
        lines = []
        for number, row in enumerate(dicts("rows", rows), 1):
            try:
                lines.append(encode(self._row(row, columns)) + b"\n")
            except (TypeError, ValueError) as e:
                raise type(e)(f"row {number}: {e}") from None
        if not lines:
            return ImportReport(0, [], 0, [], False)
        arrays = {_column(p.name) for p in self._space.objects if p.shape is not None}
        how = {"dry_run": dry_run, "strict": strict, "repeats": repeats}
        return self._import(b"".join(lines), "jsonl", {name: c for name, c in columns.items() if name not in arrays}, how)

    def _row(self, row: Mapping[str, Any], columns: Mapping[str, str]) -> Dict[str, Any]:
        """Return a row as an exported file has it."""
        flat = {name: cell(v) for name, v in row.items()}
        for p in self._space.objects:
            name = columns.get(_column(p.name), _column(p.name))
            if name not in flat:
                continue
            value = flat.pop(name)
            if p.shape is None:
                flat[name] = p.encode(value)
                continue
            try:
                elements = p.scatter(value)
            except ValueError:
                elements = dict.fromkeys(p.names(), value)  # the report lists the row
            flat.update((_column(element), cell(v)) for element, v in elements.items())
        return flat

    def _import(
        self, data: bytes, kind: str, columns: Mapping[str, str] | None, how: Mapping[str, bool], decimal: str | None = None
    ) -> ImportReport:
        query: Dict[str, Any] = {"format": kind, **{option: str(given).lower() for option, given in how.items()}}
        if decimal is not None:
            query["decimal"] = decimal
        if columns:
            query["column"] = [f"{name}={column}" for name, column in columns.items()]
        d = json.loads(self._transport.send("POST", self._path + "/import", data, _TYPES[kind], query))
        bad = [(b["line"], b["error"]) for b in d["bad"]]
        return ImportReport(d["good"], bad, d["bad_count"], d["trials"] or [], d["repeated"], d.get("known", 0))


_TAKEN = {"number", "state", "value", "std", "reason", "origin", "batch", "worker", "created", "asked", "told", "notes", "excluded"}


def _column(param: str) -> str:
    """Return the name of a parameter's column: its own, unless that is taken."""
    return "params." + param if param in _TAKEN or param.startswith("params.") else param


def _outcome(name: str) -> str:
    """Return the name of an outcome's column: its own, unless that is taken."""
    return "outcomes." + name if name in _TAKEN and name != "value" else name


def _format(path: Path, format: str | None, *kinds: str) -> str:
    kind = format or path.suffix.lstrip(".").lower()
    if kind not in kinds:
        choices = ", ".join(kinds[:-1]) + f" or {kinds[-1]}"
        raise ValueError(f"format is {kind!r}: write {choices}, or give the file such an ending")
    return kind
