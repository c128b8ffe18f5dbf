"""Weights of the features of kernel ridge regression.

    python3 kernel.py wine|cancer|digits [--seeded]

Data that scikit-learn brings: wine (178 samples, 13 features, 3 classes), breast cancer (569, 30, 2), or the
first 500 digits (56 features that vary, 10 classes). Features are standardised, then multiplied by their
weights of [0, 1]; the kernel is exp(-gamma |x - x'|^2). The parameters are the weights, log gamma of
[1e-3, 1] and the log ridge of [1e-6, 10]. The value is the mean squared error of the class indicators, by
stratified cross-validation with 5 folds (shuffled by seed 0, with --seeded by the seed of the line).
"""

from __future__ import annotations

from problem import Problem, arguments, serve

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import StratifiedKFold

DATA = {"wine": load_wine, "cancer": load_breast_cancer, "digits": load_digits}


class Kernel:
    def __init__(self, name: str):
        x, self.labels = DATA[name](return_X_y=True)
        count = 500 if name == "digits" else len(x)
        x, self.labels = x[:count], self.labels[:count]
        x = x[:, x.std(axis=0) > 0]
        self.x = (x - x.mean(axis=0)) / x.std(axis=0)
        self.y = np.eye(self.labels.max() + 1)[self.labels]

    @property
    def parameters(self) -> dict:
        return {
            f"weight[0:{self.x.shape[1] - 1}]": {"float": [0, 1]},
            "gamma": {"log": [1e-3, 1]}, "ridge": {"log": [1e-6, 10]},
        }

    def evaluate(self, params: dict, seed: int) -> float:
        x = self.x * np.array([params[f"weight{i}"] for i in range(self.x.shape[1])])
        errors = np.zeros_like(self.y)
        folds = StratifiedKFold(5, shuffle=True, random_state=seed % 2**32)
        for train, test in folds.split(x, self.labels):
            model = KernelRidge(alpha=params["ridge"], kernel="rbf", gamma=params["gamma"])
            errors[test] = model.fit(x[train], self.y[train]).predict(x[test]) - self.y[test]
        return float(np.mean(errors**2))


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("data", choices=DATA)
    options = parser.parse_args()
    kernel = Kernel(options.data)
    serve(Problem(f"kernel-{options.data}", kernel.parameters, kernel.evaluate), options.seeded)
