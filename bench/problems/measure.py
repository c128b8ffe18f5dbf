"""Evaluates every problem at random points: dimension, seconds of an evaluation, values, and whether the same
point has the same value in another process.

    bench/problems/.venv/bin/python bench/problems/measure.py [--points 10] [PROBLEM ...]

Exits with 1 when a problem fails or differs.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "peers"))

from driver import Peer  # noqa: E402
from spaces import Space  # noqa: E402

PROBLEMS = (
    "policy.py walker2d", "policy.py ant", "policy.py reacher", "policy.py double-pendulum", "policy.py swimmer",
    "policy.py hopper", "lander.py", "kernel.py wine", "kernel.py cancer", "kernel.py digits", "boosting.py", "network.py",
)


def measure(name: str, points: int) -> str:
    script, *options = name.split()
    command = [sys.executable, str(HERE / script), *options]
    with Peer(command) as problem, Peer(command) as other:
        space = Space(problem.read()["space"])
        other.read()
        source, seconds, values = random.Random(0), [], []
        for k in range(points):
            line = {"params": space.decode_cube([source.random() for _ in range(space.width)]), "seed": k}
            began = time.perf_counter()
            answer = problem.send(line)
            seconds.append(time.perf_counter() - began)
            values.append(answer["value"])
            if k == 0 and other.send(line) != answer:
                raise RuntimeError(f"{name}: a second process has another value at the same point")
    return (
        f"| `{name}` | {len(space.params)} | {statistics.mean(seconds):.2f} ({min(seconds):.2f} .. {max(seconds):.2f}) "
        f"| {min(values):.4g} .. {max(values):.4g} |"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=10)
    parser.add_argument("problems", nargs="*", default=PROBLEMS)
    arguments = parser.parse_args()
    print("| problem | parameters | seconds of an evaluation | values at random points |\n|---|---|---|---|")
    failed = False
    for name in arguments.problems:
        try:
            print(measure(name, arguments.points), flush=True)
        except (KeyError, RuntimeError) as error:
            failed = True
            print(f"| `{name}` | failed: {error} |", flush=True)
    sys.exit(failed)
