"""The way to a server."""

from __future__ import annotations

import csv
import io
import os
import socket
import ssl
from pathlib import Path
from typing import Any, Dict, Iterable, Mapping, Sequence, Union
from urllib.parse import quote

from .convert import cell, dicts
from .errors import StudyDiffers, StudyExists
from .space import Parameters, Space
from .study import Study
from .transport import Transport
from .trial import StudyInfo

# Studies to learn from: names of studies of the server, or others by a name, each the path of a CSV file, a
# pandas.DataFrame or dicts, or trials as pairs of parameters and a value.
Former = Union[Sequence[str], Mapping[str, Any]]


_CONFLICT = 409
_DIFFERENCES = 10  # at most, in an error


def connect(
    url: str,
    token: str | None = None,
    *,
    worker: str | None = None,
    timeout: float = 120.0,
    patience: float = 60.0,
    wait: float = 0.0,
    ssl_context: ssl.SSLContext | None = None,
) -> Client:
    """Return a client of the server at url.

    token is what ``mahabo token create`` printed, if the server wants one; the environment's MAHABO_TOKEN if it is None. worker is how
    trials name who evaluates them; each process needs its own. timeout is for one request;
    one that fails on its way is repeated for patience seconds, with growing pauses. A
    server that has never answered is an error at once; wait says for how many seconds it
    may still be starting. Nothing is sent yet.
    """
    name = worker or f"python:{socket.gethostname()}:{os.getpid()}:{os.urandom(3).hex()}"
    token = os.environ.get("MAHABO_TOKEN") if token is None else token
    return Client(Transport(url, token, timeout, patience, wait, ssl_context), name)


class Client:
    """A server and its studies. Use connect to make one; threads may share it."""

    def __init__(self, transport: Transport, worker: str) -> None:
        self._transport = transport
        self.worker = worker

    def __repr__(self) -> str:
        return f"<mahabo.Client of {self._transport.url}>"

    def create_study(
        self,
        name: str,
        parameters: Parameters,
        *,
        constraints: Sequence[str] = (),
        outcomes: Mapping[str, Any] | None = None,
        method: str | None = None,
        goal: str | None = None,
        seed: int = 0,
        init: int | None = None,
        batch: int | None = None,
        budget: int | None = None,
        former: Former = (),
        stop: str | None = None,
        cost: str | None = None,
        max_cost: float | None = None,
        exist_ok: bool = False,
    ) -> Study:
        """Create a study.

        parameters are a list, [Log("rate", 1e-5, 0.1), Float("w", -1, 1, shape=200)], or those
        of a space file: {"rate": {"log": [1e-5, 0.1]}, "w[0:199]": {"float": [-1, 1]}}, or the whole of one, with its constraints and outcomes. constraints are linear, as "w0 + w1 <= 1". goal is minimize unless it is given.
        outcomes declare several numbers that a trial tells: {"mass": "minimize", "stress": {"at_most": 10}}. budget is
        the number of trials that are meant in all, if it is known: the method plans for
        them. former are studies to learn from: names of studies of the server, or a dict of a name and its trials,
        {"notebook": [({"rate": 0.1}, 3.2), ...]}, or its table, a pandas.DataFrame, dicts or the path of a CSV file, with columns called as parameters and one called value. They may have other bounds, parameters, units and offsets. stop names a rule that ends trials early by what they report: gain, asha, median or curve, with options as
        gain:keep=0.5. With cost="aware" points are chosen for what they are expected to bring beside what they cost, less
        and less so towards max_cost, the cost that is meant in all. With exist_ok the study that has the name already is returned as it is,
        unless its parameters or its goal are others, or the method, seed, init, stop or cost that is given (StudyDiffers); former does not count then.
        """
        space = Space(parameters)
        body: dict[str, Any] = {
            "name": name,
            "space": space.tree(constraints),
            "seed": seed,
        }
        if goal is None and not outcomes and not space.outcomes:
            goal = "minimize"
        optional = {"outcomes": outcomes or None, "goal": goal, "method": method, "init": init, "batch": batch, "budget": budget}
        optional.update({"stop": stop, "cost": cost, "max_cost": max_cost})
        body.update({key: value for key, value in optional.items() if value is not None})
        body.update(_former(former, space))
        try:
            # Sent once: a repetition could not tell its own study from another's.
            info = self._transport.json("POST", "/v1/studies", body, repeat=exist_ok)
        except StudyExists as exists:
            if not exist_ok or isinstance(exists, StudyDiffers):
                raise
            return self.study(name, parameters)
        return Study(self._transport, self.worker, StudyInfo.read(info), space)

    def study(self, name: str, parameters: Parameters | None = None) -> Study:
        """Return a study, which has to exist.

        parameters are the list that it was created with, if it was one: points then have its
        arrays and options. Others than those of the study are a StudyDiffers.
        """
        info = self._transport.json("GET", "/v1/studies/" + quote(name, safe=""))
        space = Space(parameters or {})
        if parameters and (differences := space.differences(info["space"]["parameters"])):
            text = "; ".join(differences[:_DIFFERENCES])
            raise StudyDiffers(_CONFLICT, {"detail": f"study {name!r} has other parameters ({text}): give those that it has, or leave them out"})
        return Study(self._transport, self.worker, StudyInfo.read(info), space)

    def studies(self) -> list[StudyInfo]:
        """List the studies and how far they are."""
        answer = self._transport.json("GET", "/v1/studies?full=true")
        return [StudyInfo.read(s) for s in answer["studies"]]

    def methods(self) -> list[dict[str, Any]]:
        """List the methods a study can be made with, and their options."""
        methods: list[dict[str, Any]] = self._transport.json("GET", "/v1/methods")["methods"]
        return methods

    def delete_study(self, name: str) -> None:
        """Delete a study and all its trials."""
        self._transport.json("DELETE", "/v1/studies/" + quote(name, safe=""), repeat=False)


def _former(former: Former, space: Space) -> Dict[str, Any]:
    """Return the fields of a request for studies to learn from."""
    if isinstance(former, str):
        raise TypeError(f"former is {former!r}: give a list of names")
    if not isinstance(former, Mapping):
        return {"from": list(former)} if former else {}
    sources = []
    for name, given in former.items():
        if isinstance(given, (str, os.PathLike)):
            sources.append({"name": name, "csv": _text(Path(given))})
            continue
        rows = list(dicts(name, given))
        if rows and isinstance(rows[0], Mapping):
            sources.append({"name": name, "csv": _csv(rows, space)})
        else:
            sources.append({"name": name, "trials": [{"params": space.scatter(params), "value": float(value)} for params, value in rows]})
    return {"former": sources} if sources else {}


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8: save it as such") from None


def _csv(rows: Iterable[Mapping[str, Any]], space: Space) -> str:
    """Return rows as CSV, with a column for each element of an array."""
    flat = [space.scatter({str(key): v for key, v in row.items() if cell(v) is not None}) for row in rows]
    text = io.StringIO()
    table = csv.DictWriter(text, dict.fromkeys(name for row in flat for name in row))
    table.writeheader()
    table.writerows(flat)
    return text.getvalue()
