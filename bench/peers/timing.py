"""How long one trial takes with each peer, on one core: N evaluations in batches of B with D parameters.

    python3 bench/peers/timing.py [--evals 100] [--batch 5] [--dim 20] [--rounds 3] [PEER ...]

The function is Rosenbrock's on [-2, 2]^D. A peer is told random points, as many as it would have at the beginning, in
the middle and at the end of a trial (--rounds 3), and asked for one batch each time; a trial is N/B times the mean of those,
and the start. With --rounds 0 the whole trial is run. Seconds are the CPU time of the process, so that other
work on the machine matters little.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess

from catalog import PEERS, command
from driver import Peer, drive
from spaces import Space

INIT = 10
WHOLE = ("turbo-5",)  # always run whole: its first batches are designs


def rosenbrock(params: dict) -> float:
    x = list(params.values())
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))


class Timing:
    def __init__(self, evals: int, batch: int, dim: int):
        self.evals, self.batch, self.dim = evals, batch, dim
        self.tree = {"parameters": {f"x[0:{dim - 1}]": {"float": [-2, 2]}}}

    def points(self, n: int) -> list[dict]:
        space, source = Space(self.tree), random.Random(0)
        return [space.decode_cube([source.random() for _ in range(self.dim)]) for _ in range(n)]

    def whole(self, name: str) -> tuple[float, float]:
        """CPU seconds of a trial, and the lowest value."""
        run = drive(
            command(name), rosenbrock, self.tree, initial=self.points(INIT), evals=self.evals, batch=self.batch,
            stderr=subprocess.DEVNULL,
        )
        return run.cpu, run.best

    def batch_after(self, name: str, told: int) -> tuple[float, float]:
        """CPU seconds of the start, and of one batch after as many evaluations."""
        points = self.points(told)
        with Peer(command(name), subprocess.DEVNULL) as peer:
            peer.send({
                "space": self.tree, "init": told, "batch": self.batch, "evals": self.evals, "seed": 0, "initial": points,
            })
            start = peer.cpu()
            peer.send({"tell": [{"params": p, "outcomes": {"value": rosenbrock(p)}} for p in points]})
            peer.send({"ask": self.batch})
            return start, peer.cpu() - start

    def estimate(self, name: str, rounds: int) -> tuple[float, list[float]]:
        """CPU seconds of a trial, and those of the batches it was estimated from."""
        told = [INIT + round(self.evals * k / max(rounds - 1, 1)) for k in range(rounds)]
        measured = [self.batch_after(name, n) for n in told]
        seconds = [s for _, s in measured]
        return measured[0][0] + self.evals / self.batch * statistics.mean(seconds), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("evals", 100), ("batch", 5), ("dim", 20), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("peers", nargs="*", default=list(PEERS))
    a = parser.parse_args()
    timing = Timing(a.evals, a.batch, a.dim)
    print(f"| peer | CPU seconds of N = {a.evals}, B = {a.batch}, D = {a.dim} | of a batch, or the lowest value |\n|---|---|---|")
    for name in a.peers:
        if a.rounds and name not in WHOLE:
            seconds, batches = timing.estimate(name, a.rounds)
            print(f"| {name} | {seconds:.0f} | {', '.join(f'{s:.1f}' for s in batches)} |", flush=True)
        else:
            seconds, best = timing.whole(name)
            print(f"| {name} | {seconds:.0f} | whole: {best:.4g} |", flush=True)


if __name__ == "__main__":
    main()
