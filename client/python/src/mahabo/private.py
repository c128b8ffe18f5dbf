"""A server that serves this process alone and ends with it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

from .binary import find
from .client import Client, connect
from .errors import MahaboError

_STOP = 10.0  # seconds


class PrivateServer:
    """mahabo serve on a loopback port, with a token that only this process has.

    Its standard input is a pipe from this process. However this one ends, the pipe closes,
    and the server ends.
    """

    def __init__(self, path: Path | None) -> None:
        """Serve the studies of a file, or of the memory for None."""
        store = "memory:" if path is None else f"sqlite:{path}"
        command = [
            find(), "serve", "--with-parent", "--addr", "127.0.0.1:0", "--store", store, "--log-level", "error",
        ]  # fmt: skip
        self._errors = tempfile.TemporaryFile()
        # In a session of its own, so that Ctrl-C in a terminal reaches this process only.
        flags: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=os.name == "posix",
                creationflags=flags,
            )
        except OSError as e:
            raise MahaboError(f"{command[0]} cannot be run: {e}") from e
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait(_STOP)
            raise MahaboError(f"the server did not start: {self._said() or f'exit code {self._process.returncode}'}")
        at = json.loads(line)
        self.client: Client = connect(at["url"], at["token"], patience=5.0)

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._process.pid

    def __enter__(self) -> PrivateServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the server."""
        p = self._process
        assert p.stdin is not None and p.stdout is not None
        p.stdin.close()
        if os.name == "posix":
            p.terminate()  # a child that this process has forked may hold the pipe
        try:
            p.wait(_STOP)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()
        p.stdout.close()
        self._errors.close()

    def _said(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip()[-2000:]
