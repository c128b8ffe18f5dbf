"""Optuna's TPESampler.

Follows its documentation: multivariate, which it reports to be better than independent parameters, and
constant_liar for batches. Other settings are the defaults; told points count as start-up trials.
"""

from protocol import serve

from optuna.samplers import TPESampler

from optuna_study import Study


def build(task):
    return Study(task, TPESampler(seed=task.seed % 2**32, multivariate=True, constant_liar=True))


if __name__ == "__main__":
    serve(build)
