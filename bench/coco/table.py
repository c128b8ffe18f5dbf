"""The difference of the lowest value to the minimum, median of the instances, of runs in COCO's format.

    python3 bench/coco/table.py results/coco/adaptive results/coco/cmaes

A line is a function; a column a folder, by its name, and a number of dimensions. The lowest of several in a dimension is bold.
"""

from __future__ import annotations

import re
import statistics
import sys
from pathlib import Path


def differences(folder: Path) -> dict[tuple[int, int], float]:
    """The medians by dimension and function, from the lines `file, instance:evaluations|difference, ...`."""
    found = {}
    for info in folder.rglob("*.info"):
        of = None
        for line in info.read_text().splitlines():
            if head := re.search(r"funcId = (\d+), DIM = (\d+)", line):
                of = int(head[2]), int(head[1])
            elif of and (ends := re.findall(r"\d+:\d+\|([-+.\de]+)", line)):
                found[of] = statistics.median(float(e) for e in ends)
    return found


def main(folders: list[Path]) -> None:
    all_of = {folder.name: differences(folder) for folder in folders}
    keys = {key for found in all_of.values() for key in found}
    columns = [(dim, name) for dim in sorted({d for d, _ in keys}) for name, found in all_of.items() if any(d == dim for d, _ in found)]
    print("| function | " + " | ".join(f"{name} {dim}" for dim, name in columns) + " |")
    print("|---|" + "--:|" * len(columns))
    for function in sorted({f for _, f in keys}):
        cells = []
        for dim, name in columns:
            value = all_of[name].get((dim, function))
            beside = [found[dim, function] for found in all_of.values() if (dim, function) in found]
            cells.append("" if value is None else f"**{value:.2g}**" if value == min(beside) and len(beside) > 1 else f"{value:.2g}")
        print(f"| f{function} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main([Path(folder) for folder in sys.argv[1:]])
