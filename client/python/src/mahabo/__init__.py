"""Optimise expensive functions of tens to thousands of parameters.

    result = mahabo.minimize(f, [mahabo.Float("w", -1, 1, shape=100), mahabo.Log("rate", 1e-4, 1)], evals=200, parallel=4)
    print(result.value, result.params)
    result.plot("values.svg")

minimize starts a server of its own, which ends with it. To share a study between machines,
start one with ``mahabo serve`` and use its client:

    study = mahabo.connect("http://localhost:8080").create_study("rig", [mahabo.Float("x", -5, 5)])
    best = study.minimize(f, evals=30, parallel=4)

Only Python is needed. Every request that fails on its way is repeated, and none counts twice.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

from .client import Client, connect
from .errors import (
    ConnectionFailed,
    Exhausted,
    FieldError,
    ImprovisedWarning,
    Infeasible,
    Interrupted,
    LeaseLost,
    MahaboError,
    NoneWorked,
    NotFound,
    ObjectiveFailed,
    OutcomeConflict,
    Problem,
    Stopped,
    StudyDiffers,
    StudyExists,
    Unauthorized,
)
from .optimize import maximize, minimize
from .picture import Picture
from .result import Result
from .space import Bool, Choice, Fixed, Float, Int, Log, LogInt, Ordinal, Parameter
from .study import ImportReport, Study
from .trial import Best, Correction, Front, Model, Prediction, Report, StudyInfo, Trial, Value

__version__ = "0.1.0"

if not TYPE_CHECKING:

    def __getattr__(name: str) -> ModuleType:
        """Import mahabo.optuna and the like, which need other libraries, when they are used."""
        if name in ("mlflow", "optuna", "ray", "sklearn"):
            return importlib.import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Best",
    "Bool",
    "Choice",
    "Client",
    "ConnectionFailed",
    "Correction",
    "Exhausted",
    "FieldError",
    "Fixed",
    "Float",
    "Front",
    "ImportReport",
    "ImprovisedWarning",
    "Infeasible",
    "Int",
    "Interrupted",
    "LeaseLost",
    "Log",
    "LogInt",
    "MahaboError",
    "Model",
    "NoneWorked",
    "NotFound",
    "ObjectiveFailed",
    "Ordinal",
    "OutcomeConflict",
    "Parameter",
    "Picture",
    "Prediction",
    "Problem",
    "Report",
    "Result",
    "Stopped",
    "Study",
    "StudyDiffers",
    "StudyExists",
    "StudyInfo",
    "Trial",
    "Unauthorized",
    "Value",
    "connect",
    "maximize",
    "minimize",
]
