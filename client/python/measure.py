"""What the package costs, and whether its two ways end equally well.

    make integrations
    MAHABO=./mahabo .integrations/bin/python client/python/measure.py [start overhead paired]

start      from the call of minimize to the first evaluation: the lowest of 20, since other programs only lengthen it
overhead   of a trial: from the end of an evaluation to the beginning of the next, over 5 runs of 400 trials: the lower quartile
           and the median, since other programs only lengthen it; and the lowest processor time of a trial, the server's included (Linux)
paired     the same function through Optuna with MahaboSampler and through minimize, ten seeds each, and Wilcoxon's
           signed-rank test of the pairs
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable

SOURCE = Path(__file__).resolve().parent / "src"
sys.path.insert(0, str(SOURCE))

import mahabo  # noqa: E402

SPACE = [mahabo.Float(f"x{i}", -1, 1) for i in range(20)]
TRIALS = 400
FIRST = """
import sys, time
sys.path.insert(0, %r)
import mahabo
began = time.perf_counter()
first = []
def f(p):
    first.append(time.perf_counter() - began)
    return p["x"]
mahabo.minimize(f, {"x": {"float": [0, 1]}}, evals=1, progress=False)
print(first[0])
""" % str(SOURCE)


def start() -> None:
    took = [float(subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True).stdout) for _ in range(20)]
    print(f"| start, ms | {1000 * min(took):.0f} (median {1000 * statistics.median(took):.0f}) |", flush=True)


def spent() -> float:
    """Processor time of this process and of its children, those that have ended and those that live."""
    t = os.times()
    total = t.user + t.system + t.children_user + t.children_system
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def with_mahabo(f: Callable[[dict[str, Any]], float], evals: int, seed: int, method: str | None = None) -> float:
    result = mahabo.minimize(f, SPACE, evals=evals, seed=seed, method=method, progress=False)
    assert result.value is not None
    return result.value


def with_optuna(f: Callable[[dict[str, Any]], float], evals: int, seed: int, method: str | None = None) -> float:
    import optuna

    from mahabo.optuna import MahaboSampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    names = [f"x{i}" for i in range(20)]
    space = {n: optuna.distributions.FloatDistribution(-1, 1) for n in names}
    study = optuna.create_study(sampler=MahaboSampler(space, seed=seed, method=method))
    study.optimize(lambda t: f({n: t.suggest_float(n, -1, 1) for n in names}), n_trials=evals)
    return float(study.best_value)


def overhead() -> None:
    for name, run in (("minimize", with_mahabo), ("Optuna with MahaboSampler", with_optuna)):
        for method in ("sobol", None):
            gaps: list[float] = []
            processors = []
            for _ in range(5):
                ended = 0.0

                def f(p: dict[str, Any]) -> float:
                    nonlocal ended
                    now = time.perf_counter()
                    if ended:
                        gaps.append(1000 * (now - ended))
                    ended = time.perf_counter()
                    return 0.5

                before = spent()
                run(f, TRIALS, 0, method)
                processors.append(1000 * (spent() - before) / TRIALS)
            quarter, middle, _ = statistics.quantiles(gaps, n=4)
            what = f"{name}, {method or 'default method, its choice included'}"
            print(f"| a trial of {what}, ms | {quarter:.1f} (median {middle:.1f}), processors {min(processors):.1f} |", flush=True)


def valley(p: dict[str, Any]) -> float:
    """Rosenbrock's function of the first four parameters, and a little of the others."""
    x = [p[f"x{i}"] for i in range(20)]
    return float(
        sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x[:3], x[1:4], strict=True)) + 0.1 * sum((v - 0.3) ** 2 for v in x[4:])
    )


def paired() -> None:
    from scipy.stats import wilcoxon

    pairs = [(with_mahabo(valley, 100, seed), with_optuna(valley, 100, seed)) for seed in range(10)]
    ours, theirs = zip(*pairs, strict=True)
    test = wilcoxon([a - b for a, b in pairs]) if any(a != b for a, b in pairs) else None
    print(
        f"| lowest of 100, mean of ten seeds | minimize {statistics.mean(ours):.4g} ± {statistics.stdev(ours) / 10**0.5:.2g}, "
        f"Optuna with MahaboSampler {statistics.mean(theirs):.4g} ± {statistics.stdev(theirs) / 10**0.5:.2g}, "
        f"p {test.pvalue if test else 1:.2g}, equal values {sum(a == b for a, b in pairs)} of 10 |",
        flush=True,
    )


if __name__ == "__main__":
    parts = {"start": start, "overhead": overhead, "paired": paired}
    for part in sys.argv[1:] or parts:
        parts[part]()
