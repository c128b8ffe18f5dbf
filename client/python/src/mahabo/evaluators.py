"""The ways to call an objective: directly, in an event loop, in processes.

Each is called from several threads, with the parameters, and returns or raises what the
objective does.
"""

from __future__ import annotations

import inspect
from typing import Any, Callable, Protocol


class Evaluator(Protocol):
    """Calls an objective."""

    def __call__(self, params: dict[str, Any], /) -> Any:
        """Return what the objective does."""

    def close(self) -> None:
        """Give back threads and processes."""


def evaluator(objective: Callable[[dict[str, Any]], Any], parallel: int, workers: str) -> Evaluator:
    """Return the way to call an objective; workers are "threads" or "processes"."""
    if workers not in ("threads", "processes"):
        raise ValueError(f"workers is {workers!r}: write threads or processes")
    if inspect.iscoroutinefunction(objective) or inspect.iscoroutinefunction(getattr(objective, "__call__", None)):
        if workers == "processes":
            raise ValueError("an async objective runs in an event loop of this process: leave out workers")
        from .loop import Loop  # asyncio and multiprocessing take a while to import

        return Loop(objective)
    if workers == "processes":
        from .processes import Processes

        return Processes(objective, parallel)
    return _Direct(objective)


class _Direct:
    def __init__(self, objective: Callable[[dict[str, Any]], Any]) -> None:
        self._objective = objective

    def __call__(self, params: dict[str, Any], /) -> Any:
        return self._objective(params)

    def close(self) -> None:
        pass
