"""A real server for the tests."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

import mahabo

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def binary(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program, $MAHABO or built here."""
    given = os.environ.get("MAHABO")
    if given:
        return str(Path(given).resolve())
    path = tmp_path_factory.mktemp("bin") / "mahabo"
    environment = {**os.environ, "CGO_ENABLED": "0"}
    subprocess.run(["go", "build", "-o", str(path), "./cmd/mahabo"], cwd=ROOT, env=environment, check=True)
    return str(path)


class Server:
    """mahabo serve, which can be stopped and started again at the same address."""

    def __init__(self, binary: str, folder: Path, *flags: str) -> None:
        self._binary, self._folder, self._flags = binary, folder, flags
        self._address = "127.0.0.1:0"
        self.start()

    def start(self) -> None:
        store = f"sqlite:{self._folder / 'a.db'}"
        command = [self._binary, "serve", "--addr", self._address, "--store", store, "--log-level", "error", *self._flags]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.startswith("listening on http://"), line
        self.url = line.split()[-1]
        self._address = self.url[len("http://") :]

    def stop(self, how: int = signal.SIGTERM) -> None:
        self._process.send_signal(how)
        self._process.wait(30)
        assert self._process.stdout is not None
        self._process.stdout.close()


@pytest.fixture(scope="session")
def shared(binary: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(binary, tmp_path_factory.mktemp("shared"))
    yield server
    server.stop()


@pytest.fixture
def private(binary: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """mahabo.minimize uses the program of the tests."""
    monkeypatch.setenv("MAHABO", binary)


@pytest.fixture
def client(shared: Server) -> mahabo.Client:
    return mahabo.connect(shared.url, worker="tester")


@pytest.fixture
def study(client: mahabo.Client, request: pytest.FixtureRequest) -> mahabo.Study:
    """A new study with two parameters, named after the test."""
    name = request.node.name.replace("[", "-").replace("]", "")
    return client.create_study(name, SPACE, method="sobol")


SPACE = {"x": {"float": [-1, 1]}, "n": {"int": [1, 5]}}
