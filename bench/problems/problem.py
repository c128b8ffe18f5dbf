"""Problems as processes: one line of JSON that says what the problem is, then one for every evaluation.

    {"name": "walker2d", "space": {...}, "outcomes": {"value": "minimize"}, "minimum": null}

A line {"params": {...}, "seed": 7} is answered by {"value": 1.5} or {"failed": "why"}.

Every problem is a deterministic function: its random numbers (states at the start, folds, weights of a
network) are fixed. With --seeded they follow the seed of the line, which in a benchmark is that of the trial.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from dataclasses import dataclass
from typing import Callable

# One core; read by libraries when they are imported.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")


@dataclass(frozen=True)
class Problem:
    """What is minimised: evaluate(params, seed)."""

    name: str
    parameters: dict
    evaluate: Callable[[dict, int], float]

    def line(self) -> dict:
        return {
            "name": self.name, "space": {"parameters": self.parameters},
            "outcomes": {"value": "minimize"}, "minimum": None,
        }

    def answer(self, line: dict, seeded: bool) -> dict:
        try:
            value = float(self.evaluate(line["params"], int(line.get("seed") or 0) if seeded else 0))
        except (ArithmeticError, ValueError) as error:
            return {"failed": f"{type(error).__name__}: {error}"}
        return {"value": value} if math.isfinite(value) else {"failed": f"the value is {value}"}


def arguments(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeded", action="store_true", help="random numbers follow the seed of each line")
    return parser


def serve(problem: Problem, seeded: bool) -> None:
    """Answer standard input on standard output until it ends; what libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr

    def write(answer: dict) -> None:
        answers.write(json.dumps(answer, allow_nan=False) + "\n")
        answers.flush()

    write(problem.line())
    for line in sys.stdin:
        if line.strip():
            write(problem.answer(json.loads(line), seeded))
