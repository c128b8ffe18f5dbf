"""Tuning of a small neural network on the first 600 digits that scikit-learn brings.

    python3 network.py [--seeded]

The value is the log loss of MLPClassifier after at most 30 epochs by stratified cross-validation with 3 folds,
probabilities clipped at 1e-6; folds and learner have seed 0 (with --seeded the seed of the line).
"""

from __future__ import annotations

import warnings

from problem import Problem, arguments, serve

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

warnings.simplefilter("ignore", ConvergenceWarning)

SAMPLES, EPOCHS, FOLDS = 600, 30, 3

PARAMETERS = {
    "rate": {"log": [1e-4, 1e-1]},
    "decay": {"log": [1e-7, 1]},
    "layers": {"int": [1, 3]},
    "width": {"logint": [8, 128]},
    "batch": {"ordinal": [16, 32, 64, 128]},
    "solver": {"choice": ["adam", "sgd"]},
    "momentum": {"float": [0, 0.99]},
    "beta1": {"float": [0.5, 0.99]},
    "beta2": {"float": [0.9, 0.9999]},
    "activation": {"choice": ["relu", "tanh", "logistic"]},
    "schedule": {"choice": ["constant", "invscaling", "adaptive"]},
    "standardise": {"bool": [False, True]},
}


class Network:
    def __init__(self):
        x, y = load_digits(return_X_y=True)
        self.x, self.y = x[:SAMPLES], y[:SAMPLES]

    def evaluate(self, p: dict, seed: int) -> float:
        seed %= 2**32
        model = make_pipeline(
            StandardScaler() if p["standardise"] else MinMaxScaler(),
            MLPClassifier(
                hidden_layer_sizes=(p["width"],) * p["layers"], activation=p["activation"], solver=p["solver"],
                alpha=p["decay"], batch_size=int(p["batch"]), learning_rate=p["schedule"],
                learning_rate_init=p["rate"], momentum=p["momentum"], beta_1=p["beta1"], beta_2=p["beta2"],
                max_iter=EPOCHS, random_state=seed,
            ),
        )
        losses = []
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(self.x, self.y):
            chances = model.fit(self.x[train], self.y[train]).predict_proba(self.x[test])
            chances = np.clip(chances, 1e-6, 1)
            losses.append(log_loss(self.y[test], chances / chances.sum(axis=1, keepdims=True), labels=range(10)))
        return float(np.mean(losses))


if __name__ == "__main__":
    options = arguments(__doc__).parse_args()
    serve(Problem("network", PARAMETERS, Network().evaluate), options.seeded)
