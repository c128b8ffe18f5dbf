"""Optuna's NSGAIISampler, for several objectives and limits.

Follows its documentation: defaults, limits told by Trial.set_constraint.
"""

from protocol import serve

from optuna.samplers import NSGAIISampler

from optuna_study import Study


def build(task):
    return Study(task, NSGAIISampler(seed=task.seed % 2**32))


if __name__ == "__main__":
    serve(build)
