"""Optimise expensive functions of tens to thousands of parameters.

    client = mahabo.connect("http://localhost:8080")
    study = client.create_study("rig", {"x": {"float": [-5, 5]}, "y": {"float": [-5, 5]}})
    best = study.minimize(lambda p: (p["x"] - 1) ** 2 + p["y"] ** 2, evals=30, parallel=4)

The optimiser runs in a server, ``mahabo serve``; this is its client. It needs nothing but
Python. Every request that fails on its way is repeated, and none counts twice.
"""

from .client import Client, connect
from .errors import (
    ConnectionFailed,
    Exhausted,
    FieldError,
    ImprovisedWarning,
    Infeasible,
    LeaseLost,
    MahaboError,
    NoneWorked,
    NotFound,
    OutcomeConflict,
    Problem,
    StudyDiffers,
    StudyExists,
    Unauthorized,
)
from .study import ImportReport, Study
from .trial import Best, Model, Prediction, StudyInfo, Trial, Value

__version__ = "0.1.0"

__all__ = [
    "Best",
    "Client",
    "ConnectionFailed",
    "Exhausted",
    "FieldError",
    "ImportReport",
    "ImprovisedWarning",
    "Infeasible",
    "LeaseLost",
    "MahaboError",
    "Model",
    "NoneWorked",
    "NotFound",
    "OutcomeConflict",
    "Prediction",
    "Problem",
    "Study",
    "StudyDiffers",
    "StudyExists",
    "StudyInfo",
    "Trial",
    "Unauthorized",
    "Value",
    "connect",
]
