"""The ways to call an objective: directly, in an event loop, in processes.

Each is called from several threads, with the parameters, and returns or raises what the
objective does.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Callable, Protocol

if TYPE_CHECKING:
    from .trial import Trial


class Evaluator(Protocol):
    """Calls an objective."""

    def __call__(self, params: dict[str, Any], trial: Trial, /) -> Any:
        """Return what the objective does."""

    def close(self) -> None:
        """Give back threads and processes."""


def check_objective(objective: Any) -> None:
    """Refuse what cannot be called."""
    if not callable(objective):
        raise TypeError(f"objective is {objective!r}: give a function of the parameters that returns the value")


def evaluator(objective: Callable[..., Any], parallel: int, workers: str) -> Evaluator:
    """Return the way to call an objective; workers are "threads" or "processes"."""
    check_objective(objective)
    if workers not in ("threads", "processes"):
        raise ValueError(f"workers is {workers!r}: write threads or processes")
    if inspect.iscoroutinefunction(objective) or inspect.iscoroutinefunction(getattr(objective, "__call__", None)):
        if workers == "processes":
            raise ValueError("an async objective runs in an event loop of this process: leave out workers")
        from .loop import Loop  # asyncio and multiprocessing take a while to import

        return Loop(with_trial(objective))
    if workers == "processes":
        from .processes import Processes

        return Processes(objective, parallel)
    return _Direct(with_trial(objective))


def with_trial(objective: Callable[..., Any]) -> Callable[[dict[str, Any], Any], Any]:
    """Return an objective that takes the trial, whether or not it wants to know."""
    if _wants_trial(objective):
        return objective
    return lambda params, trial: objective(params)


def _wants_trial(objective: Callable[..., Any]) -> bool:
    """Say whether an objective has a second argument without a default, or one that is named trial."""
    try:
        given = list(inspect.signature(objective).parameters.values())
    except (TypeError, ValueError):
        return False  # of a library in C
    places = [p for p in given if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(places) > 1 and (places[1].default is places[1].empty or places[1].name == "trial")


class _Direct:
    def __init__(self, objective: Callable[[dict[str, Any], Any], Any]) -> None:
        self._objective = objective

    def __call__(self, params: dict[str, Any], trial: Trial, /) -> Any:
        return self._objective(params, trial)

    def close(self) -> None:
        pass
