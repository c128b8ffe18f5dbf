"""Tuning of gradient boosting on the diabetes data that scikit-learn brings (442 samples, 10 features).

    python3 boosting.py [--seeded]

The value is the root of the mean squared error of GradientBoostingRegressor by cross-validation with 5 folds;
folds and learner have seed 0 (with --seeded the seed of the line).
"""

from __future__ import annotations

from problem import Problem, arguments, serve

from sklearn.datasets import load_diabetes
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.model_selection import KFold, cross_val_score

PARAMETERS = {
    "rate": {"log": [1e-3, 1]},
    "trees": {"logint": [10, 300]},
    "depth": {"int": [1, 8]},
    "leaf": {"logint": [1, 64]},
    "split": {"int": [2, 20]},
    "subsample": {"float": [0.3, 1]},
    "features": {"float": [0.1, 1]},
    "loss": {"choice": ["squared_error", "absolute_error", "huber"]},
    "quantile": {"float": [0.5, 0.99]},
    "pruning": {"log": [1e-6, 100]},
    "start": {"choice": ["mean", "zero"]},
}


class Boosting:
    def __init__(self):
        self.x, self.y = load_diabetes(return_X_y=True)

    def evaluate(self, p: dict, seed: int) -> float:
        seed %= 2**32
        model = GradientBoostingRegressor(
            learning_rate=p["rate"], n_estimators=p["trees"], max_depth=p["depth"], min_samples_leaf=p["leaf"],
            min_samples_split=p["split"], subsample=p["subsample"], max_features=p["features"], loss=p["loss"],
            alpha=p["quantile"], ccp_alpha=p["pruning"], init="zero" if p["start"] == "zero" else None,
            random_state=seed,
        )
        folds = KFold(5, shuffle=True, random_state=seed)
        scores = cross_val_score(model, self.x, self.y, cv=folds, scoring="neg_mean_squared_error")
        return float((-scores.mean()) ** 0.5)


if __name__ == "__main__":
    options = arguments(__doc__).parse_args()
    serve(Problem("boosting", PARAMETERS, Boosting().evaluate), options.seeded)
