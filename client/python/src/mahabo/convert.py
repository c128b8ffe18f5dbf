"""Values on their way to JSON and back.

JSON has one kind of number, so 1.0 arrives as 1: the kinds of a study's parameters say
what it was. numpy's scalars and arrays become Python's numbers and lists.
"""

from __future__ import annotations

import json
import math
import operator
import re
from datetime import datetime
from typing import Any, Dict, Iterable, Mapping

_RANGE = re.compile(r"(.*)\[(\d+):(\d+)\]")


def encode(body: Any) -> bytes:
    """Return JSON."""
    try:
        return json.dumps(body, allow_nan=False, default=plain).encode()
    except ValueError as e:
        raise ValueError(f"{e}: numbers have to be finite") from None


def plain(value: Any) -> Any:
    """Return a Python value for a numpy scalar or array, and for what holds a single number as they do."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{value!r} is a {type(value).__name__}: use a number, a string or a bool")


def whole(name: str, n: Any) -> int:
    """Return an int for a whole number of any type."""
    try:
        return int(n) if isinstance(n, float) and n.is_integer() else operator.index(n)
    except TypeError:
        raise TypeError(f"{name} is {n!r}: it has to be a whole number") from None


def dicts(name: str, given: Any) -> Iterable[Mapping[str, Any]]:
    """Return the dicts of a list, or of a pandas.DataFrame."""
    if hasattr(given, "to_dict"):
        given = given.to_dict("records")
    if isinstance(given, Mapping):
        raise TypeError(f"{name} is one dict: give a list of dicts")
    rows: Iterable[Mapping[str, Any]] = given
    return rows


def cell(value: Any) -> Any:
    """Return what JSON has for a cell of a table: None for NaN and NA, a text for a time."""
    if isinstance(value, (list, tuple)):
        return value
    try:
        if value != value:
            return None
    except TypeError:  # pandas.NA cannot be compared
        return None
    except ValueError:  # nor can arrays
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def count(name: str, n: Any) -> int:
    """Return a number of trials, from 1 on."""
    trials = whole(name, n)
    if trials < 1:
        raise ValueError(f"{name} is {n}: it has to be at least 1")
    return trials


def amount(name: str, given: Any) -> float:
    """Return a float for a finite number from 0 on, as a standard deviation or a cost."""
    try:
        n = number(given)
    except TypeError:
        n = -1.0
    if not 0 <= n < math.inf:
        raise ValueError(f"{name} is {given!r}: it has to be a finite number from 0 on")
    return n


def number(value: Any) -> float:
    """Return a float for a number, or for an array or tensor that holds one. A text is none, as in what a command prints."""
    if value is None:
        raise TypeError("the value is None: does the objective return it?")
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"the value is the text {value!r}: return a number")
    size = getattr(value, "size", 1)
    if callable(size):  # a tensor of torch
        size = value.numel()
    if size != 1:
        raise TypeError(f"the value has {size} numbers: return one, or a tuple of the value and its std")
    single = value.item() if hasattr(value, "item") else value
    if not hasattr(single, "__float__") and not hasattr(single, "__index__"):
        raise TypeError(f"the value is {single!r}, a {type(single).__name__}: return a number")
    return float(single)


_TELL = "use trial.fail(reason) or trial.infeasible(reason)"


def finite(value: Any, instead: str = _TELL) -> float:
    """Return a float that a model can learn from. The error says what to do instead."""
    v = number(value)
    if not math.isfinite(v):
        raise ValueError(f"value is {v}: only finite values can be modelled; {instead}")
    return v


def measured(outcomes: Mapping[str, Any], instead: str = _TELL) -> Dict[str, Any]:
    """Return outcomes by name as the server takes them: a number, or a value and its std."""
    if not outcomes:
        raise ValueError("there are no outcomes: give numbers by name, as in {'mass': 1.2}")
    body: Dict[str, Any] = {}
    for name, given in outcomes.items():
        if isinstance(given, tuple):
            if len(given) != 2:
                raise TypeError(f"outcome {name!r} is {given}: give a number, or a pair of the value and its std")
            value, std = given
            body[name] = {"value": finite(value, instead), "std": amount("std", number(std))}
        else:
            body[name] = finite(given, instead)
    return body


def expand(declared: str) -> list[str]:
    """Return the names that a declared name stands for: "w[0:2]" is w0, w1, w2."""
    m = _RANGE.fullmatch(declared)
    return [f"{m[1]}{i}" for i in range(int(m[2]), int(m[3]) + 1)] if m else [declared]


class Kinds:
    """The parameters of a study, and which of them are real numbers."""

    def __init__(self, *parameters: Mapping[str, Any]) -> None:
        self._names: set[str] = set()
        self._real: set[str] = set()
        self._labels: Dict[str, list[str]] = {}
        for declared, kind in (item for tree in parameters for item in tree.items()):
            names = expand(declared)
            self._names.update(names)
            if _is_real(kind):
                self._real.update(names)
            if isinstance(kind, Mapping) and "choice" in kind:
                self._labels.update((name, kind["choice"]) for name in names)

    def know(self, params: Mapping[str, Any]) -> bool:
        """Say whether the parameters of the server have known names and labels."""
        return self._names.issuperset(params) and all(params.get(name, labels[0]) in labels for name, labels in self._labels.items())

    def convert(self, params: Mapping[str, Any]) -> Dict[str, Any]:
        """Return parameters of the server in their own types."""
        return {name: float(v) if name in self._real else v for name, v in params.items()}


def _is_real(kind: Any) -> bool:
    if not isinstance(kind, Mapping):
        return False
    if "ordinal" in kind:
        return any(isinstance(level, float) for level in kind["ordinal"])
    return "float" in kind or "log" in kind or isinstance(kind.get("fixed"), float)
