"""Runs a peer as a process against a function, as `mahabo bench run` does."""

from __future__ import annotations

import json
import math
import os
import resource
import subprocess
import time
from dataclasses import dataclass, field
from typing import Callable


class Peer:
    """A process that answers lines."""

    def __init__(self, command: list[str], stderr=None):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def send(self, line: dict) -> dict:
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return self.read()

    def cpu(self) -> float:
        """CPU seconds so far (Linux)."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def read(self) -> dict:
        """The next line of the process."""
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.process.args} ended with status {self.process.wait()}")
        return json.loads(answer)


@dataclass
class Run:
    """What came of a run: values by evaluation, and the seconds the peer took."""

    values: list = field(default_factory=list)
    params: list = field(default_factory=list)
    start: float = 0.0  # seconds until the first answer: imports
    seconds: float = 0.0  # all others
    cpu: float = 0.0  # of the process, imports included

    @property
    def best(self) -> float:
        return min(self.values)


def children() -> float:
    """CPU seconds of processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def drive(
    command: list[str], f: Callable[[dict], float], space: dict, *, initial: list[dict],
    evals: int, batch: int = 1, seed: int = 0, stderr=None,
) -> Run:
    """Minimises f from told initial points."""
    run = Run()

    def evaluate(points):
        values = [f(p) for p in points]
        run.params += points
        run.values += values
        return {"tell": [{"params": p, "outcomes": {"value": v}} for p, v in zip(points, values)]}

    spent = children()
    with Peer(command, stderr) as peer:
        began = time.perf_counter()
        peer.send({
            "space": space, "outcomes": {"value": "minimize"}, "init": len(initial), "batch": batch,
            "evals": evals, "seed": seed, "initial": initial,
        })
        run.start = time.perf_counter() - began

        def timed(line):
            began = time.perf_counter()
            answer = peer.send(line)
            run.seconds += time.perf_counter() - began
            return answer

        if initial:
            timed(evaluate(initial))
        left = evals
        while left > 0:
            points = timed({"ask": min(batch, left)})["params"]
            if len(points) != min(batch, left):
                raise RuntimeError(f"asked for {min(batch, left)} points, got {len(points)}")
            timed(evaluate(points))
            left -= len(points)
    run.cpu = children() - spent
    if not all(math.isfinite(v) for v in run.values):
        raise RuntimeError("a value is not finite")
    return run
