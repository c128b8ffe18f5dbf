"""Spaces of mahabo in Python: what the parameters are, and their points in the unit cube.

    kind     value   in the unit cube
    float    float   linear between the bounds
    log      float   linear in the logarithm
    int      int     the middle of one of high-low+1 equal cells
    logint   int     the logarithm, the box reaching half a step beyond both bounds
    ordinal  float   the middle of one of as many equal cells as levels
    bool     bool    0 or 1
    choice   str     an index, or as one-hot columns (a single one for two labels)
    fixed    any     no column

Every float of a space can be 1e-300 or 1e300: encode and decode never leave the bounds.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, Sequence

KINDS = ("float", "log", "int", "logint", "ordinal", "choice", "bool", "fixed")
_RANGE = re.compile(r"^([^\[\]]+)\[(0|[1-9]\d*):(0|[1-9]\d*)\]$")


@dataclass(frozen=True)
class Param:
    """One parameter. Bounds, values and levels are set as its kind needs them."""

    name: str
    kind: str
    low: float = 0.0
    high: float = 0.0
    values: tuple = field(default=())  # levels of ordinal, labels of choice, both of bool

    @property
    def continuous(self) -> bool:
        return self.kind in ("float", "log")

    @property
    def categorical(self) -> bool:
        """Without an order; two labels are as good as an order."""
        return self.kind == "choice" and len(self.values) > 2

    @property
    def levels(self) -> list:
        """All values of a discrete parameter."""
        if self.kind in ("int", "logint"):
            return list(range(int(self.low), int(self.high) + 1))
        return list(self.values)

    @property
    def count(self) -> int:
        """The number of values of a discrete parameter."""
        if self.kind in ("int", "logint"):
            return int(self.high) - int(self.low) + 1
        return len(self.values)

    @property
    def ends(self) -> tuple[float, float]:
        """What the columns 0 and 1 of a float, log or logint stand for."""
        if self.kind == "log":
            return math.log(self.low), math.log(self.high)
        if self.kind == "logint":
            return (
                math.log(self.low) - 0.5 * math.log((self.low + 1) / self.low),
                math.log(self.high) + 0.5 * math.log(self.high / (self.high - 1)),
            )
        return self.low, self.high

    def encode(self, value: Any) -> float:
        """The column of a value; of a choice of many, its index."""
        if self.kind in ("float", "log", "logint"):
            a, b = self.ends
            v = value if self.kind == "float" else math.log(value)
            return _clip((v - a) / (b - a))
        if self.kind == "int":
            return (value - self.low + 0.5) / self.count
        at = self.values.index(value)
        if self.kind == "ordinal":
            return (at + 0.5) / self.count
        return float(at)

    def decode(self, x: float) -> Any:
        """The value at a column."""
        x = float(x)
        if self.kind in ("float", "log", "logint"):
            a, b = self.ends
            v = a * (1 - _clip(x)) + b * _clip(x)
            if self.kind == "float":
                return min(max(v, self.low), self.high)
            v = min(max(math.exp(v), self.low), self.high)
            if self.kind == "log":
                return v
            below = max(int(math.floor(v)), int(self.low))
            # Neighbours meet at their geometric mean.
            return min(below + (v * v >= below * (below + 1.0)), int(self.high))
        if self.categorical:
            return self.values[min(max(int(round(x)), 0), self.count - 1)]
        cell = min(max(int(_clip(x) * self.count), 0), self.count - 1)
        return int(self.low) + cell if self.kind == "int" else self.values[cell]

    @property
    def outer(self) -> tuple[float, float]:
        """The columns of the first and the last value of a discrete parameter."""
        if self.kind in ("int", "logint"):
            return self.encode(self.low), self.encode(self.high)
        return self.encode(self.values[0]), self.encode(self.values[-1])

    def columns(self) -> list[float]:
        """The columns of all values of a discrete parameter."""
        return [self.encode(v) for v in self.levels]


def _clip(x: float) -> float:
    return min(max(x, 0.0), 1.0)


class Space:
    """The parameters that vary, in order, and the values of those that do not."""

    def __init__(self, tree: dict):
        if tree.get("constraints"):
            raise ValueError(
                "the space has linear constraints, which this program does not take: "
                "choose a space without `constraints`"
            )
        self.params: list[Param] = []
        self.fixed: dict[str, Any] = {}
        for declared, body in tree["parameters"].items():
            for name in expand(declared):
                self._add(name, body)
        if not self.params:
            raise ValueError("the space has nothing to vary")

    def _add(self, name: str, body: Any) -> None:
        body = {"bool": [False, True]} if body == "bool" else body
        kinds = [k for k in KINDS if k in body]
        if len(kinds) != 1:
            raise ValueError(f"parameter {name!r} needs one kind of {', '.join(KINDS)}, got {body!r}")
        kind, value = kinds[0], body[kinds[0]]
        if kind == "fixed":
            self.fixed[name] = value
        elif kind == "bool":
            self.params.append(Param(name, kind, values=(False, True)))
        elif kind in ("choice", "ordinal"):
            self.params.append(Param(name, kind, values=tuple(value)))
        else:
            self.params.append(Param(name, kind, float(value[0]), float(value[1])))

    @property
    def names(self) -> list[str]:
        return [p.name for p in self.params]

    @property
    def continuous(self) -> bool:
        return all(p.continuous for p in self.params)

    def full(self, values: dict) -> dict:
        """Values of all parameters, the fixed ones included."""
        return {**self.fixed, **values}

    # One column per parameter, choices as an index.

    def encode(self, params: dict) -> list[float]:
        return [p.encode(params[p.name]) for p in self.params]

    def decode(self, x: Sequence[float]) -> dict:
        return self.full({p.name: p.decode(v) for p, v in zip(self.params, x, strict=True)})

    # All columns in [0, 1], choices of three labels or more as one-hot columns.

    @property
    def width(self) -> int:
        return sum(p.count if p.categorical else 1 for p in self.params)

    def encode_cube(self, params: dict) -> list[float]:
        x: list[float] = []
        for p in self.params:
            at = p.encode(params[p.name])
            x += [float(i == at) for i in range(p.count)] if p.categorical else [at]
        return x

    def decode_cube(self, x: Sequence[float]) -> dict:
        values, at = {}, 0
        for p in self.params:
            if p.categorical:
                part = [float(v) for v in x[at : at + p.count]]
                values[p.name] = p.values[part.index(max(part))]
            else:
                values[p.name] = p.decode(x[at])
            at += p.count if p.categorical else 1
        return self.full(values)


def expand(declared: str) -> list[str]:
    """The names that a declared name stands for: "w[0:2]" is w0, w1, w2."""
    if "[" not in declared:
        return [declared]
    match = _RANGE.match(declared)
    if not match or int(match[2]) > int(match[3]):
        raise ValueError(f"the range in {declared!r} is not of the form name[first:last]")
    return [f"{match[1]}{i}" for i in range(int(match[2]), int(match[3]) + 1)]
