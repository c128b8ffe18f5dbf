"""How far a run is, in a terminal or a notebook."""

from __future__ import annotations

import html
import shutil
import sys
import threading
import time
from typing import Any, Protocol, TextIO

_WIDTH = 20  # of the bar
_PAUSE = 0.1  # seconds between two pictures


class Progress(Protocol):
    """Shows a run."""

    def step(self, done: int, best: float | None, number: int | None) -> None:
        """Show how many trials have an outcome, and the best value with its trial."""

    def say(self, text: str) -> None:
        """Show a line that stays."""

    def close(self) -> None:
        """Show no more."""


def progress(total: int, done: int, wanted: bool | None) -> Progress:
    """Return what fits a notebook, a terminal or a file; wanted None shows nothing in a file."""
    if wanted is False:
        return _Lines(sys.stderr, total, every=total + 1)
    if _in_notebook():
        return _Notebook(total, done)
    if sys.stderr is not None and sys.stderr.isatty():
        return _Terminal(sys.stderr, total, done)
    return _Lines(sys.stderr, total, every=max(1, total // 10) if wanted else total + 1)


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def clock(seconds: float) -> str:
    """Return a duration as people write it."""
    s = int(seconds + 0.5)
    return f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}" if s >= 3600 else f"{s // 60}:{s % 60:02}"


class _Pace:
    """Guesses the time that is left."""

    def __init__(self, total: int, done: int) -> None:
        self.total, self._first, self._start = total, done, time.monotonic()

    def text(self, done: int, best: float | None, number: int | None) -> str:
        text = f"{done}/{self.total}"
        if best is not None:
            text += f"  best {best:.6g} in trial {number}"
        passed = time.monotonic() - self._start
        if done > self._first:
            text += f"  {clock(passed)}, {clock(passed / (done - self._first) * (self.total - done))} left"
        return text


class _Lines:
    """Plain lines for files and pipes."""

    def __init__(self, out: TextIO, total: int, every: int) -> None:
        self._out, self._every, self._pace = out, every, _Pace(total, 0)

    def step(self, done: int, best: float | None, number: int | None) -> None:
        if done and done % self._every == 0:
            self.say(self._pace.text(done, best, number))

    def say(self, text: str) -> None:
        if self._out is not None:
            print("mahabo:", text, file=self._out, flush=True)

    def close(self) -> None:
        pass


class _Terminal:
    """One line that is written again and again."""

    def __init__(self, out: TextIO, total: int, done: int) -> None:
        self._out, self._pace = out, _Pace(total, done)
        self._lock = threading.Lock()
        self._shown = 0.0
        self._line = ""
        self.step(done, None, None)

    def step(self, done: int, best: float | None, number: int | None) -> None:
        with self._lock:
            now = time.monotonic()
            if now - self._shown < _PAUSE and done < self._pace.total:
                return
            self._shown = now
            filled = _WIDTH * done // self._pace.total
            bar = "\u2588" * filled + "\u2591" * (_WIDTH - filled)
            try:
                bar.encode(self._out.encoding or "ascii")
            except UnicodeEncodeError:
                bar = "#" * filled + "." * (_WIDTH - filled)
            text = f"{bar} {self._pace.text(done, best, number)}"
            self._line = text[: shutil.get_terminal_size().columns - 1]
            self._draw()

    def _draw(self) -> None:
        self._out.write(f"\r\x1b[K{self._line}")
        self._out.flush()

    def say(self, text: str) -> None:
        with self._lock:
            self._out.write(f"\r\x1b[Kmahabo: {text}\n")
            self._draw()

    def close(self) -> None:
        with self._lock:
            self._out.write("\n")
            self._out.flush()


class _Notebook:
    """A bar in the output of a cell."""

    def __init__(self, total: int, done: int) -> None:
        from IPython.display import HTML, display

        self._html: Any = HTML
        self._pace = _Pace(total, done)
        self._lock = threading.Lock()
        self._shown = 0.0
        self._handle: Any = display(HTML(self._picture(done, None, None)), display_id=True)

    def _picture(self, done: int, best: float | None, number: int | None) -> str:
        text = html.escape(self._pace.text(done, best, number))
        return f'<progress max="{self._pace.total}" value="{done}" style="width: 20em"></progress> {text}'

    def step(self, done: int, best: float | None, number: int | None) -> None:
        with self._lock:
            now = time.monotonic()
            if now - self._shown < _PAUSE and done < self._pace.total:
                return
            self._shown = now
            self._handle.update(self._html(self._picture(done, best, number)))

    def say(self, text: str) -> None:
        print("mahabo:", text, file=sys.stderr, flush=True)

    def close(self) -> None:
        pass
