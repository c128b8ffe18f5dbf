"""What came of a run."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Tuple

from .picture import draw
from .trial import Best, Front

_SHOWN = 20  # parameters in a notebook
_WITHOUT = (("failed", "failed"), ("infeasible", "infeasible"), ("stopped", "stopped early"))  # states of trials without a value, in words


@dataclass(frozen=True)
class Result:
    """What minimize and maximize return. It needs no server any more."""

    best: Best | None
    """The best point; None where no trial has a value."""
    table: List[Dict[str, Any]] = field(repr=False)
    """All trials as flat rows: number, state, value, parameters, reason, times."""
    goal: str
    study: str
    path: Path | None
    """The file that keeps the study; None for a temporary one."""
    seconds: float
    """How long the run took."""
    front: Front | None = None
    """Points that no other dominates, and how limits are kept, where outcomes were declared."""

    @property
    def value(self) -> float | None:
        """The best value."""
        return self.best.value if self.best else None

    @property
    def params(self) -> Dict[str, Any] | None:
        """The parameters of the best point."""
        return self.best.params if self.best else None

    def to_dataframe(self) -> Any:
        """Return the table as a pandas.DataFrame, by number."""
        try:
            import pandas
        except ImportError as e:
            raise ImportError("to_dataframe needs pandas: pip install pandas, or use table") from e
        frame = pandas.DataFrame(self.table)
        return frame.set_index("number") if len(frame) else frame

    def curve(self) -> Tuple[List[Tuple[int, float]], List[Tuple[int, float]]]:
        """Return the values by number of the trial, and those that were the best until then."""
        name = self.front.objectives[0] if self.front else "value"
        points = [(row["number"], row[name]) for row in self.table if row[name] is not None]
        best: List[Tuple[int, float]] = []
        for n, v in points:
            if not best or (v < best[-1][1] if self.goal == "minimize" else v > best[-1][1]):
                best.append((n, v))
        return points, best

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the values and the best so far, and write the drawing to a file if path is given.

        Returns a matplotlib figure where matplotlib is installed, else a Picture, which a
        notebook shows too and which is written as SVG.
        """
        points, best = self.curve()
        if not points:
            raise ValueError("there is nothing to draw: no trial has a value")
        try:
            from matplotlib.figure import Figure
        except ImportError:
            picture = draw(points, best, self._title())
            if path is not None:
                if Path(path).suffix != ".svg":
                    raise ValueError(f"path is {str(path)!r}: without matplotlib drawings are .svg files") from None
                picture.save(path)
            return picture
        figure = Figure(figsize=(7, 4), layout="constrained")
        axes = figure.subplots()
        axes.plot(*zip(*points), ".", color="#7a8ba3", label="value")
        steps = [*best, (points[-1][0], best[-1][1])]
        axes.step(*zip(*steps), where="post", color="#c2410c", label="best so far")
        axes.set(xlabel="trial", ylabel="value", title=self._title())
        axes.legend()
        if path is not None:
            figure.savefig(path)
        return figure

    def _title(self) -> str:
        value = "no value" if self.best is None else f"{self.best.value:.6g} in trial {self.best.number}"
        if self.best and self.best.violations:
            return f"{self.study}: no trial keeps all limits, trial {self.best.number} violates them least"
        if self.front and len(self.front.objectives) > 1:
            return f"{self.study}: a front of {len(self.front.points)} points, hypervolume {self.front.hypervolume:.6g}"
        return f"{self.study}: {self.goal}d to {value}"

    def _repr_html_(self) -> str:
        if self.best is None:
            return f"<p>{html.escape(self.study)}: no trial of {len(self.table)} has a value{self._others()}</p>"
        rows = [
            f"<tr><td>{html.escape(name)}</td><td>{html.escape(_short(v))}</td></tr>"
            for name, v in list(self.best.params.items())[:_SHOWN]
        ]
        more = len(self.best.params) - _SHOWN
        if more > 0:
            rows.append(f"<tr><td colspan=2>and {more} more in params</td></tr>")
        points, best = self.curve()
        svg = draw(points, best, self._title()).svg
        counts = f"<p>{len(self.table)} trials{self._others()}</p>" if self._others() else ""
        return f"{svg}{counts}<table><tr><th>parameter</th><th>at the best</th></tr>{''.join(rows)}</table>"

    def _others(self) -> str:
        """Say how many trials did not work."""
        counted = ((sum(row["state"] == state for row in self.table), word) for state, word in _WITHOUT)
        return "".join(f", {n} {word}" for n, word in counted if n)

    def __str__(self) -> str:
        return f"{self._title()} of {len(self.table)}{self._others()}"


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    text = " ".join(str(value).split())
    return text if len(text) <= 80 else text[:77] + "..."
