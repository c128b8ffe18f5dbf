"""The values of a run as a drawing, SVG without any library."""

from __future__ import annotations

import html
import math
from pathlib import Path
from typing import List, Sequence, Tuple

_W, _H = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 78, 16, 34, 48


class Picture:
    """A drawing that a notebook shows and a file keeps."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Write it to a file, which should end in .svg."""
        Path(path).write_text(self.svg, encoding="utf-8")


def ticks(low: float, high: float, about: int = 5, whole: bool = False) -> List[float]:
    """Return round numbers that cover a range."""
    if not high > low:
        return [low]
    step = 10.0 ** math.floor(math.log10((high - low) / about))
    for factor in (1, 2, 5, 10):
        if (high - low) / (step * factor) <= about:
            step *= factor
            break
    if whole:
        step = max(1.0, step)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [i * step for i in range(first, last + 1)]


def draw(points: Sequence[Tuple[int, float]], best: Sequence[Tuple[int, float]], title: str) -> Picture:
    """Draw values by trial as dots, and the best so far as a line."""
    numbers, values = [n for n, _ in points], [v for _, v in points]
    x0, x1 = min(numbers), max(max(numbers), min(numbers) + 1)
    y0, y1 = min(values), max(values)
    margin = 0.05 * (y1 - y0) or 0.5 * abs(y0) or 1.0
    y0, y1 = y0 - margin, y1 + margin

    def x(n: float) -> float:
        return _LEFT + (n - x0) / (x1 - x0) * (_W - _LEFT - _RIGHT)

    def y(v: float) -> float:
        return _H - _BOTTOM - (v - y0) / (y1 - y0) * (_H - _TOP - _BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_W} {_H}" width="{_W}" height="{_H}" '
        'font-family="sans-serif" font-size="12" role="img">',
        f"<title>{html.escape(title)}</title>",
        f'<rect width="{_W}" height="{_H}" fill="white"/>',
        f'<text x="{_LEFT}" y="20" font-size="14">{html.escape(title)}</text>',
    ]
    for v in ticks(y0, y1):
        parts.append(f'<line x1="{_LEFT}" x2="{_W - _RIGHT}" y1="{y(v):.1f}" y2="{y(v):.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y(v) + 4:.1f}" text-anchor="end">{v:.6g}</text>')
    for n in ticks(x0, x1, about=8, whole=True):
        parts.append(f'<text x="{x(n):.1f}" y="{_H - _BOTTOM + 18}" text-anchor="middle">{n:.0f}</text>')
    parts.append(f'<text x="{(_LEFT + _W - _RIGHT) / 2}" y="{_H - 10}" text-anchor="middle">trial</text>')
    middle = (_TOP + _H - _BOTTOM) / 2
    parts.append(f'<text transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">value</text>')
    parts.append(f'<path d="M{_W - _RIGHT - 92} 16h16" stroke="#c2410c" stroke-width="2"/>')
    parts.append(f'<text x="{_W - _RIGHT}" y="20" text-anchor="end">best so far</text>')
    parts.extend(f'<circle cx="{x(n):.1f}" cy="{y(v):.1f}" r="3" fill="#7a8ba3" fill-opacity="0.6"/>' for n, v in points)
    path = f"M{x(best[0][0]):.1f} {y(best[0][1]):.1f}" + "".join(f"H{x(n):.1f}V{y(v):.1f}" for n, v in best[1:])
    parts.append(f'<path d="{path}H{x(numbers[-1]):.1f}" fill="none" stroke="#c2410c" stroke-width="2"/>')
    parts.append("</svg>")
    return Picture("\n".join(parts))
