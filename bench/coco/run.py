"""mahabo on the functions of COCO, through the Python package, with data in COCO's own format.

    make coco
    MAHABO=./mahabo bench/coco/.venv/bin/python bench/coco/run.py --suite bbob --dims 10,20,40 --instances 5 --factor 10 --out results/coco/adaptive
    MAHABO=./mahabo bench/coco/.venv/bin/python bench/coco/run.py --suite bbob-largescale --dims 80,160 --instances 3 --factor 5 --out results/coco/adaptive
    bench/coco/.venv/bin/python -m cocopp -o results/coco/pictures results/coco/adaptive

A problem is a function, a dimension and an instance; it gets factor times dimension evaluations, one at a time, in
the box [-5, 5]. A function of a dimension has a folder of its own, which is written under another name until all of its
instances are done: a run that was stopped is continued by the same command. cocopp reads all folders below
the one that it is given.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "client" / "python" / "src"))
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import cocoex  # noqa: E402
import mahabo  # noqa: E402

FUNCTIONS = range(1, 25)


def minimize(problem, evals: int, method: str) -> float:
    """One problem; the observer of COCO writes down what the objective is asked."""
    low, high = float(problem.lower_bounds[0]), float(problem.upper_bounds[0])
    space = [mahabo.Float(f"x{i}", low, high) for i in range(problem.dimension)]
    result = mahabo.minimize(
        lambda p: float(problem([p[f"x{i}"] for i in range(problem.dimension)])),
        space, evals=evals, method=method, seed=problem.id_instance, progress=False,
    )
    return result.value


def function(suite: str, number: int, dim: int, instances: int, factor: int, method: str, out: Path) -> None:
    """All instances of a function in a dimension, unless its folder is there."""
    name = f"{suite}-d{dim:03}-f{number:02}"
    if (out / name).exists():
        return
    part = out / (name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.parent.mkdir(parents=True, exist_ok=True)
    problems = cocoex.Suite(suite, f"instances: 1-{instances}", f"dimensions: {dim} function_indices: {number}")
    # The observer writes below the folder exdata of the current one.
    observer = cocoex.Observer(suite, f"result_folder: {name} algorithm_name: mahabo-{method} algorithm_info: \"mahabo's {method}, default settings\"")
    began = time.perf_counter()
    for problem in problems:
        problem.observe_with(observer)
        value = minimize(problem, factor * dim, method)
        print(f"{problem.id}: {value:.6g} after {problem.evaluations} evaluations", flush=True)
        problem.free()
    shutil.move(observer.result_folder, part)
    part.rename(out / name)
    print(f"{name}: {time.perf_counter() - began:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="bbob", choices=("bbob", "bbob-largescale"))
    parser.add_argument("--dims", default="10,20,40", help="separated by commas (default: 10,20,40)")
    parser.add_argument("--functions", help="numbers separated by commas (default: all 24)")
    parser.add_argument("--instances", type=int, default=5, help="the first ones (default: 5)")
    parser.add_argument("--factor", type=int, default=10, help="evaluations per parameter (default: 10)")
    parser.add_argument("--method", default="adaptive")
    parser.add_argument("--out", type=Path, required=True, help="folder of the data")
    a = parser.parse_args()
    out = a.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    work = out.parent / (out.name + ".work")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    if "MAHABO" in os.environ:
        os.environ["MAHABO"] = str(Path(os.environ["MAHABO"]).resolve())
    os.chdir(work)
    for dim in (int(d) for d in a.dims.split(",")):
        for number in [int(f) for f in a.functions.split(",")] if a.functions else FUNCTIONS:
            function(a.suite, number, dim, a.instances, a.factor, a.method, out)
    os.chdir(out)
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
