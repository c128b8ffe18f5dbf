"""Objectives that other processes can import."""

from __future__ import annotations

import os
import time
from typing import Any

import mahabo


def square(p: dict[str, Any]) -> float:
    return float(sum((v - 0.3) ** 2 for v in p.values()))


def process(p: dict[str, Any]) -> float:
    time.sleep(0.3)  # long enough that the others are needed
    return float(os.getpid())


def moody(p: dict[str, Any]) -> float:
    """Fails in every way, by where the point lies."""
    x: float = p["x"]
    if x < -0.6:
        raise KeyError("rate")
    if x < -0.2:
        raise mahabo.Infeasible("folds")
    if x < 0.2:
        os._exit(7)
    return x
