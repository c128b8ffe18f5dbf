"""Does a folder become complete when peers, problems and the benchmark itself are killed?

    python3 bench/peers/kills.py [--kills 12] [--peer optuna-tpe] [--problem double-pendulum] [--program ./mahabo]

Runs a peer on a problem that is a program, and kills in turn the peer, the problem and the benchmark with SIGKILL, each a random while
after the start; then the same command once more. The folder has to have every trial then, each with the curve of a run that nobody
disturbed, and no process may be left. At last the peer is stopped (SIGSTOP): the benchmark has to end it at its limit. Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from catalog import HERE, method

ROOT = HERE.parents[1]
PROBLEMS = {
    "double-pendulum": "policy.py double-pendulum", "reacher": "policy.py reacher --episodes 5", "wine": "kernel.py wine",
}


def children(pid: int) -> list[int]:
    """Processes that a process has started."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(entry.parent.name))
    return found


def named(pids: list[int], word: str) -> list[int]:
    def command(pid: int) -> str:
        try:
            return Path(f"/proc/{pid}/cmdline").read_text()
        except OSError:
            return ""
    return [pid for pid in pids if word in command(pid)]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Folder:
    def __init__(self, a: argparse.Namespace, out: Path):
        script = PROBLEMS[a.problem]
        self.out = out
        self.words = {"peer": "bench/peers/", "problem": "bench/problems/"}
        self.command = [
            str(Path(a.program).resolve()), "bench", "run", "--quiet", "--method", method(a.peer), "--evals", "30", "--init", "5",
            "--batch", "5", "--trials", "2", "--jobs", "1", "--out", str(out), "--answer-limit", "60s",
            "--problem", f"exec:{a.problem}=bench/problems/.venv/bin/python bench/problems/{script}",
        ]

    def start(self, *more: str) -> subprocess.Popen:
        return subprocess.Popen([*self.command, *more], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def curves(self) -> dict[int, list[float]]:
        file = self.out / "trials.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        return {t["trial"]: t["curve"] for t in map(json.loads, lines)}


def disturb(folder: Folder, who: str, wait: float) -> str:
    """Kills once, and lets the benchmark end if it is not the one that was killed."""
    run = folder.start()
    time.sleep(wait)
    below = children(run.pid)
    targets = [run.pid] if who == "benchmark" else named(below, folder.words[who])
    for pid in targets:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            targets = []
    _, said = run.communicate(timeout=900)
    end = time.monotonic() + 20
    while any(alive(pid) for pid in below):
        if time.monotonic() > end:
            raise SystemExit(f"after killing the {who}, a process is left")
        time.sleep(0.05)
    return f"{who} after {wait:.1f} s{'' if targets else ' (there was none)'}: status {run.returncode}, trials {len(folder.curves())}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--peer", default="optuna-tpe")
    parser.add_argument("--problem", default="double-pendulum", choices=PROBLEMS)
    parser.add_argument("--program", default=str(ROOT / "mahabo"))
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        calm = Folder(a, Path(temporary, "calm"))
        began = time.monotonic()
        if calm.start().wait() != 0:
            raise SystemExit("the run that nobody disturbed failed")
        whole = time.monotonic() - began
        source = random.Random(0)
        for k in range(a.kills):
            folder = Folder(a, Path(temporary, f"folder{k}"))
            print(disturb(folder, ("peer", "problem", "benchmark")[k % 3], source.uniform(0.05, 0.9) * whole), flush=True)
            run = folder.start()
            _, said = run.communicate()
            if run.returncode != 0 or folder.curves() != calm.curves():
                raise SystemExit(f"status {run.returncode}, {said}\nwant {calm.curves()}\ngot {folder.curves()}")
        print("all folders are complete, with the curves of the run that nobody disturbed", flush=True)
        folder = Folder(a, Path(temporary, "stopped"))
        run = folder.start("--answer-limit", "30s", "--trials", "1")
        stopped: list[int] = []
        while run.poll() is None:
            for pid in named(children(run.pid), folder.words["peer"]):
                if pid not in stopped:
                    time.sleep(1)
                    os.kill(pid, signal.SIGSTOP)
                    stopped.append(pid)
            time.sleep(0.05)
        _, said = run.communicate()
        if not stopped or "no answer in time" not in said or any(alive(pid) for pid in stopped):
            raise SystemExit(f"a peer that was stopped: {said}")
        print(f"a stopped peer was ended at its limit, {len(stopped)} times: {said.strip().splitlines()[-1][:200]}")


if __name__ == "__main__":
    main()
