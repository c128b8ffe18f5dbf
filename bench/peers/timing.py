"""How long one trial takes with each peer, on one core: N evaluations in batches of B with D parameters.

    python3 bench/peers/timing.py [--evals 100] [--batch 5] [--dim 20] [PEER ...]

The function is Rosenbrock's on [-2, 2]^D, after ten random points. Seconds are the CPU time of the process,
imports included, so that other work on the machine matters little.
"""

from __future__ import annotations

import argparse
import random
import subprocess

from catalog import PEERS, command
from driver import drive
from spaces import Space


def rosenbrock(params: dict) -> float:
    x = list(params.values())
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evals", type=int, default=100)
    parser.add_argument("--batch", type=int, default=5)
    parser.add_argument("--dim", type=int, default=20)
    parser.add_argument("peers", nargs="*", default=list(PEERS))
    a = parser.parse_args()
    tree = {"parameters": {f"x[0:{a.dim - 1}]": {"float": [-2, 2]}}}
    space, source = Space(tree), random.Random(0)
    initial = [space.decode_cube([source.random() for _ in range(a.dim)]) for _ in range(10)]
    print(f"| peer | CPU seconds of N = {a.evals}, B = {a.batch}, D = {a.dim} | seconds to start | best |\n|---|---|---|---|")
    for name in a.peers:
        run = drive(
            command(name), rosenbrock, tree, initial=initial, evals=a.evals, batch=a.batch, stderr=subprocess.DEVNULL
        )
        print(f"| {name} | {run.cpu:.0f} | {run.start:.1f} | {run.best:.4g} |", flush=True)


if __name__ == "__main__":
    main()
