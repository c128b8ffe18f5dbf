"""Objectives that are coroutines."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from typing import Any, Callable


class Loop:
    """An event loop in a thread of its own: the caller's may be running already, as in a notebook."""

    def __init__(self, objective: Callable[[dict[str, Any], Any], Any]) -> None:
        self._objective = objective
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="mahabo-loop", daemon=True)
        self._thread.start()

    def __call__(self, params: dict[str, Any], trial: Any) -> Any:
        value, error = asyncio.run_coroutine_threadsafe(self._call(params, trial), self._loop).result()
        if error is not None:
            raise error
        return value

    async def _call(self, params: dict[str, Any], trial: Any) -> tuple[Any, BaseException | None]:
        try:
            return await self._objective(params, trial), None
        except (Exception, SystemExit) as e:  # raised where it is waited for, without the frames between
            return None, e  # sys.exit would end the loop, and nobody would hear of the others

    def close(self) -> None:
        try:
            asyncio.run_coroutine_threadsafe(_cancel_all(), self._loop).result(5)
        except (TimeoutError, concurrent.futures.TimeoutError):
            return  # a coroutine holds the loop; the thread does not keep the process alive
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()


async def _cancel_all() -> None:
    others = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
    for t in others:
        t.cancel()
    await asyncio.gather(*others, return_exceptions=True)
