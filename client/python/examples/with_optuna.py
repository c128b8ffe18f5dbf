"""MahaboSampler in a study of Optuna."""

import optuna

from mahabo.optuna import MahaboSampler


def objective(trial):
    rate = trial.suggest_float("rate", 1e-5, 0.1, log=True)
    layers = trial.suggest_int("layers", 1, 8)
    solver = trial.suggest_categorical("solver", ["sgd", "adam"])
    return abs(rate - 0.01) + (layers - 3) ** 2 + (solver == "sgd")


study = optuna.create_study(sampler=MahaboSampler(seed=1))
study.optimize(objective, n_trials=30, n_jobs=2)
print("best value", study.best_value, "with", study.best_params)
