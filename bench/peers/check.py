"""Do the peers do as well through the protocol as in the examples of their own documents?

    python3 bench/peers/check.py [--seeds K] [PEER ...]

Each peer and its reference (references.py) minimise the same function (tasks.py) with the same number of
evaluations and several seeds. Compared are the means of log10(value - minimum), bounded below at 1e-6: a peer is
off when it is worse by more than three standard errors of the difference and by more than a quarter of a
decade. Exits with 1 when one is off.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import subprocess
import sys

from catalog import HERE, PEERS, command, python
from driver import drive
from tasks import TASKS

SLACK = 0.25  # decades
ERRORS = 3


def by_peer(name: str, seed: int) -> float:
    task = TASKS[name]
    initial = [{f"x{i}": v for i, v in enumerate(x)} for x in task.initial(random.Random(seed))]
    run = drive(
        command(name), lambda params: task.f([params[f"x{i}"] for i in range(len(task.bounds))]), task.space,
        initial=initial, evals=task.evals, batch=task.batch, seed=seed, stderr=subprocess.DEVNULL,
    )
    return run.best


def by_reference(name: str, seed: int) -> float:
    done = subprocess.run(
        [python(name), str(HERE / "references.py"), name, str(seed)], capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[-1])


def decades(value: float, minimum: float) -> float:
    return math.log10(max(value - minimum, 1e-6))


def compare(name: str, seeds: int) -> bool:
    task = TASKS[name]
    peer = [decades(by_peer(name, s), task.minimum) for s in range(seeds)]
    reference = [decades(by_reference(name, s), task.minimum) for s in range(seeds)]
    error = math.sqrt((statistics.variance(peer) + statistics.variance(reference)) / seeds)
    worse = statistics.mean(peer) - statistics.mean(reference)
    off = worse > SLACK and worse > ERRORS * error
    print(
        f"| {name} | {task.init} + {task.evals}, {task.batch} | {seeds} | {statistics.mean(peer):.2f} "
        f"| {statistics.mean(reference):.2f} | {error:.2f} | {'OFF' if off else 'agrees'} |", flush=True,
    )
    return off


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, help="at least 2 (default: those of the task)")
    parser.add_argument("peers", nargs="*", default=list(PEERS))
    a = parser.parse_args()
    print("| peer | evaluations, batch | seeds | log10 regret | of the reference | standard error | |\n|---|---|---|---|---|---|---|")
    sys.exit(any([compare(name, a.seeds or TASKS[name].seeds) for name in a.peers]))
