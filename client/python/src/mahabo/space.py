"""Parameters as Python objects, and as the server has them.

    mahabo.minimize(f, [mahabo.Float("w", -1, 1, shape=(20, 10)), mahabo.Log("rate", 1e-4, 1)])

The server knows numbers, bools and labels with a name each. An array w with two hundred
elements is w0 ... w199 there, in the order of numpy's ravel; an option of a choice that is not
a string is its label.
"""

from __future__ import annotations

import json
import math
from typing import Any, Callable, Dict, Iterable, List, Mapping, Sequence, Tuple, Union

from .convert import Kinds, encode, expand, whole

Parameters = Union[Mapping[str, Any], Sequence["Parameter"]]
"""What a study can be made of: the tree of a space file or its parameters, or a list of parameters."""


Shape = Union[int, Sequence[int], None]
"""Sides of an array; None for a single parameter."""


class Parameter:
    """A parameter, or an array of them. Use Float, Log, Int, LogInt, Ordinal, Choice, Bool or Fixed."""

    def __init__(
        self,
        name: str,
        kind: Mapping[str, Any],
        shape: Shape = None,
        unit: str = "",
        description: str = "",
    ) -> None:
        if not isinstance(name, str):
            raise TypeError(f"name is {name!r}: it has to be a text")
        if name != (first := expand(name))[0]:
            array = name[: name.rindex("[")]
            raise ValueError(f"{name!r} is a name of an array: write {array!r} with shape={len(first)}")
        self.name = name
        self.shape = None if shape is None else tuple(whole(f"shape of {name!r}", n) for n in _sides(shape))
        if self.shape is not None and (not self.shape or min(self.shape) < 1):
            raise ValueError(f"shape of {name!r} is {shape}: every side has to be at least 1")
        self._kind = {**kind, **({"unit": unit} if unit else {}), **({"description": description} if description else {})}

    def __repr__(self) -> str:
        return f"<mahabo parameter {self.name!r} {self._kind}{'' if self.shape is None else f' shape={self.shape}'}>"

    @property
    def declared(self) -> str:
        """The name in a space file."""
        return self.name if self.shape is None else f"{self.name}[0:{math.prod(self.shape) - 1}]"

    @property
    def kind(self) -> Dict[str, Any]:
        """What a space file says of it."""
        return dict(self._kind)

    def decode(self, value: Any) -> Any:
        """Return what an objective gets for a value of the server."""
        return value

    def encode(self, value: Any) -> Any:
        """Return what the server gets for a value of the user."""
        return value

    def names(self) -> List[str]:
        """Return the names of the elements on the server."""
        return [self.name] if self.shape is None else [f"{self.name}{i}" for i in range(math.prod(self.shape))]

    def gather(self, flat: Mapping[str, Any]) -> Any:
        """Return the value, or the array, of its elements."""
        if self.shape is None:
            return self.decode(flat[self.name])
        return _array([self.decode(flat[name]) for name in self.names()], self.shape)

    def scatter(self, value: Any) -> Dict[str, Any]:
        """Return the elements of a value or an array by their names."""
        if self.shape is None:
            return {self.name: self.encode(value)}
        elements = _flatten(value, self.shape, self.name)
        return {name: self.encode(v) for name, v in zip(self.names(), elements)}


def Float(
    name: str,
    low: float,
    high: float,
    *,
    step: float | None = None,
    digits: int | None = None,
    shape: Shape = None,
    unit: str = "",
    description: str = "",
) -> Parameter:
    """A real number in [low, high]; with step, one of low, low + step, ...

    digits is how many behind the point a suggestion has. All parameters take shape for an
    array of them, unit and description.
    """
    kind: Dict[str, Any] = {"float": [low, high]} if step is None else {"ordinal": _levels(name, low, high, step)}
    if digits is not None:
        kind["digits"] = digits
    return Parameter(name, kind, shape, unit, description)


def Log(
    name: str,
    low: float,
    high: float,
    *,
    digits: int | None = None,
    shape: Shape = None,
    unit: str = "",
    description: str = "",
) -> Parameter:
    """A positive real number in [low, high] that is searched on a logarithmic scale.

    digits is how many digits of a suggestion count.
    """
    kind: Dict[str, Any] = {"log": [low, high]}
    if digits is not None:
        kind["digits"] = digits
    return Parameter(name, kind, shape, unit, description)


def Int(
    name: str, low: int, high: int, *, step: int = 1, shape: Shape = None, unit: str = "", description: str = ""
) -> Parameter:
    """A whole number in [low, high]; with step, one of low, low + step, ..."""
    kind: Dict[str, Any] = {"int": [low, high]} if step == 1 else {"ordinal": _levels(name, low, high, step)}
    return Parameter(name, kind, shape, unit, description)


def LogInt(name: str, low: int, high: int, *, shape: Shape = None, unit: str = "", description: str = "") -> Parameter:
    """A positive whole number in [low, high] that is searched on a logarithmic scale."""
    return Parameter(name, {"logint": [low, high]}, shape, unit, description)


def Ordinal(
    name: str, levels: Iterable[float], *, shape: Shape = None, unit: str = "", description: str = ""
) -> Parameter:
    """One of the numbers of an increasing list; neighbours are equally far apart."""
    return Parameter(name, {"ordinal": list(levels)}, shape, unit, description)


def Bool(name: str, *, shape: Shape = None, unit: str = "", description: str = "") -> Parameter:
    """False or true."""
    return Parameter(name, {"bool": [False, True]}, shape, unit, description)


def Fixed(name: str, value: Any, *, shape: Shape = None, unit: str = "", description: str = "") -> Parameter:
    """A constant: a number, a string or a bool."""
    return Parameter(name, {"fixed": value}, shape, unit, description)


class Choice(Parameter):
    """One of several options without an order. They may be of any type; the study keeps their texts."""

    def __init__(
        self, name: str, options: Iterable[Any], *, shape: Shape = None, unit: str = "", description: str = ""
    ) -> None:
        given = list(options)
        self._options = {_label(o): o for o in given}
        if len(self._options) < len(given):
            raise ValueError(f"options of {name!r} are {given}: their texts have to differ")
        super().__init__(name, {"choice": list(self._options)}, shape, unit, description)

    def decode(self, value: Any) -> Any:
        """Return the option of a label, or the label that was added to the study later."""
        return self._options.get(value, value)

    def encode(self, value: Any) -> Any:
        """Return the label of an option."""
        return _label(value)


class Space:
    """The parameters of a study, in the user's form and the server's."""

    def __init__(self, parameters: Parameters) -> None:
        self._constraints: List[str] = []
        self.outcomes: Dict[str, Any] = {}
        if isinstance(parameters, Mapping) and _is_tree(parameters):
            if unknown := set(parameters) - {"parameters", "constraints", "outcomes"}:
                raise ValueError(f"the space has the section {min(unknown)!r}: the sections are parameters, constraints and outcomes")
            self._constraints = list(parameters.get("constraints") or ())
            self.outcomes = dict(parameters.get("outcomes") or {})
            parameters = parameters["parameters"]
        if isinstance(parameters, Mapping):
            self.parameters = dict(parameters)
            self.objects: Tuple[Parameter, ...] = ()
        elif parameters is None:
            raise TypeError("the parameters are None: give a list, as [mahabo.Float('x', 0, 1)], or a dict")
        else:
            self.objects = tuple(parameters)
            for p in self.objects:
                if not isinstance(p, Parameter):
                    raise TypeError(f"{p!r} is no parameter: write mahabo.Float({'name'!r}, low, high), or give a dict")
            self.parameters = {p.declared: p.kind for p in self.objects}
            if len(self.parameters) < len(self.objects):
                raise ValueError(f"parameters are {[p.declared for p in self.objects]}: each needs a name of its own")
        self._own = {name for p in self.objects for name in p.names()}
        self._kinds = Kinds(self.parameters)
        self._read: Callable[[], Mapping[str, Any]] | None = None

    def of(self, stored: Mapping[str, Any], read: Callable[[], Mapping[str, Any]]) -> Space:
        """Return the space of a study: itself if it was made of objects, else that of what is stored.

        read returns what is stored when another client has changed it.
        """
        space = self if self.objects else Space(stored)
        space._read = read
        return space

    def tree(self, constraints: Iterable[str] = ()) -> Dict[str, Any]:
        """Return what a space file has, with more constraints."""
        tree: Dict[str, Any] = {"parameters": self.parameters, "constraints": [*self._constraints, *constraints]}
        return {**tree, "outcomes": self.outcomes} if self.outcomes else tree

    def differences(self, stored: Mapping[str, Any]) -> List[str]:
        """Say in what other parameters differ from these."""
        own, theirs = _elements(json.loads(encode(self.parameters))), _elements(stored)
        gone = [f"{name!r} is missing" for name in theirs if name not in own]
        new = [f"{name!r} is not one of its own" for name in own if name not in theirs]
        other = [f"{name!r} is {own[name]} instead of {theirs[name]}" for name in own if name in theirs and own[name] != theirs[name]]
        return gone + new + other

    def gather(self, flat: Mapping[str, Any]) -> Dict[str, Any]:
        """Return a point of the server as the user has it. Parameters and labels that another client has added are as they are stored."""
        if self._read is not None and not self._kinds.know(flat):
            self._kinds = Kinds(self.parameters, self._read())
        typed = self._kinds.convert(flat)
        point = {p.name: p.gather(typed) for p in self.objects}
        return {**point, **{name: v for name, v in typed.items() if name not in self._own}}

    def scatter(self, point: Mapping[str, Any]) -> Dict[str, Any]:
        """Return a point of the user, or a part of one, as the server has it."""
        flat: Dict[str, Any] = {}
        objects = {p.name: p for p in self.objects}
        for name, value in point.items():
            flat.update(objects[name].scatter(value) if name in objects else {name: value})
        return flat


def _sides(shape: Any) -> Iterable[Any]:
    return shape if isinstance(shape, Iterable) else [shape]


def _is_tree(parameters: Mapping[str, Any]) -> bool:
    """Say whether it is a whole space file: a parameter that is called parameters has no dicts."""
    inner = parameters.get("parameters")
    return isinstance(inner, Mapping) and bool(inner) and all(isinstance(kind, Mapping) for kind in inner.values())


def _elements(parameters: Mapping[str, Any]) -> Dict[str, Any]:
    """Return the kinds of parameters, those of arrays by the names of their elements."""
    return {name: kind for declared, kind in parameters.items() for name in expand(declared)}


def _levels(name: str, low: float, high: float, step: float) -> List[float]:
    if not step > 0:
        raise ValueError(f"step of {name!r} is {step}: it has to be positive")
    count = math.floor((high - low) / step * (1 + 1e-12) + 1e-9) + 1
    if isinstance(low, int) and isinstance(step, int):
        return [low + i * step for i in range(count)]
    return [float(f"{low + i * step:.15g}") for i in range(count)]


def _label(option: Any) -> str:
    if isinstance(option, str):
        return option
    return str(getattr(option, "__name__", option))


def _array(values: List[Any], shape: Sequence[int]) -> Any:
    """Return a numpy array, or nested lists where there is no numpy."""
    try:
        import numpy
    except ImportError:
        for side in reversed(shape[1:]):
            values = [values[i : i + side] for i in range(0, len(values), side)]
        return values
    plain = all(isinstance(v, (bool, int, float, str)) for v in values)
    array = numpy.array(values) if plain else numpy.empty(len(values), dtype=object)
    if not plain:
        array[:] = values
    return array.reshape(shape)


def _flatten(value: Any, shape: Sequence[int], name: str) -> List[Any]:
    if hasattr(value, "tolist"):
        value = value.tolist()
    values = [value]
    for side in shape:
        for v in values:
            if not isinstance(v, (list, tuple)) or len(v) != side:
                raise ValueError(f"{name!r} does not have the shape {tuple(shape)}")
        values = [element for v in values for element in v]
    return values
