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


def slow(p: dict[str, Any]) -> float:
    time.sleep(0.06)
    return float(p["x"])


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


def learn(params: dict[str, Any], trial: Any) -> float:
    value = 1.0
    for step in range(1, 10):
        value = params["x"] + 1 / step
        if trial.report(step, value):
            raise mahabo.Stopped
    trial.cost = 2.0
    return value
