"""Optuna's GPSampler with its defaults.

Follows its documentation: log EI, and for the later points of a batch qLogEI with the running trials,
one point after the other. Told points count as start-up trials.
"""

from protocol import serve

from optuna.samplers import GPSampler

from optuna_study import Study


def build(task):
    return Study(task, GPSampler(seed=task.seed % 2**32))


if __name__ == "__main__":
    serve(build)
