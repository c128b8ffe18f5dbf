"""The examples of the peers' own documents, without this folder's protocol and spaces.

    .venv/bin/python references.py PEER SEED     prints the lowest value found

Libraries with a loop of their own run it; for BoTorch it is the loop of a tutorial, in the units of the
function.
"""

from __future__ import annotations

import math
import random
import sys
import tempfile

import protocol  # noqa: F401  one core

from tasks import TASKS, Task


def optuna_study(task: Task, sampler) -> float:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=sampler)
    study.optimize(
        lambda trial: task.f([trial.suggest_float(f"x{i}", a, b) for i, (a, b) in enumerate(task.bounds)]),
        n_trials=task.evals,
    )
    return study.best_value


def optuna_gp(task, seed):
    import optuna

    return optuna_study(task, optuna.samplers.GPSampler(seed=seed))


def optuna_tpe(task, seed):
    import optuna

    return optuna_study(task, optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True))


def cmaes(task, seed):
    import cma

    source = random.Random(seed)
    low, high = task.bounds[0]
    evaluated = []

    def f(x):
        evaluated.append(task.f(x))
        return evaluated[-1]

    while len(evaluated) < task.evals:
        x0 = [source.uniform(low, high) for _ in task.bounds]
        options = {"bounds": [low, high], "maxfevals": task.evals - len(evaluated), "seed": seed + 1, "verbose": -9}
        cma.fmin2(f, x0, (high - low) / 4, options)
    return min(evaluated[: task.evals])


def nevergrad(task, seed):
    import nevergrad as ng

    low, high = task.bounds[0]
    array = ng.p.Array(shape=(len(task.bounds),), lower=low, upper=high)
    array.random_state.seed(seed)
    optimizer = ng.optimizers.NGOpt(parametrization=array, budget=task.evals, num_workers=task.batch)
    return float(task.f(optimizer.minimize(task.f).value))


def smac(task, seed):
    from ConfigSpace import ConfigurationSpace
    from smac import BlackBoxFacade, Scenario

    names = [f"x{i}" for i in range(len(task.bounds))]
    space = ConfigurationSpace(dict(zip(names, task.bounds)), seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(space, deterministic=True, n_trials=task.evals, seed=seed, output_directory=folder)
        facade = BlackBoxFacade(
            scenario, lambda config, seed=0: task.f([config[n] for n in names]), overwrite=True, logging_level=30
        )
        facade.optimize()
        return min(value.cost for value in facade.runhistory.values())


def hebo(task, seed):
    import numpy as np
    import torch
    from hebo.design_space.design_space import DesignSpace
    from hebo.optimizers.hebo import HEBO

    np.random.seed(seed)
    torch.manual_seed(seed)
    low, high = task.bounds[0]
    optimizer = HEBO(DesignSpace().parse([{"name": "x", "type": "num", "lb": low, "ub": high}]), scramble_seed=seed)
    for _ in range(task.evals // task.batch):
        rows = optimizer.suggest(n_suggestions=task.batch)
        optimizer.observe(rows, np.array([[task.f([x])] for x in rows["x"]]))
    return float(optimizer.y.min())


def botorch_data(task, seed):
    import torch

    torch.manual_seed(seed)
    torch.set_default_dtype(torch.double)
    x = torch.tensor(task.initial(random.Random(seed)))
    return x, torch.tensor([[-task.f(row)] for row in x.tolist()]), torch.tensor(task.bounds).T


def botorch_loop(task, seed, build):
    import torch
    from botorch.acquisition import qLogExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.optim import optimize_acqf
    from botorch.sampling import SobolQMCNormalSampler
    from gpytorch.mlls import ExactMarginalLogLikelihood

    x, y, bounds = botorch_data(task, seed)
    for _ in range(task.evals // task.batch):
        model = build(x, y, bounds)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        acquisition = qLogExpectedImprovement(model, y.max(), sampler=SobolQMCNormalSampler(torch.Size([256])))
        new, _ = optimize_acqf(
            acquisition, bounds, q=task.batch, num_restarts=10, raw_samples=512, options={"batch_limit": 5, "maxiter": 200}
        )
        x = torch.cat([x, new])
        y = torch.cat([y, torch.tensor([[-task.f(row)] for row in new.tolist()])])
    return -float(y.max())


def botorch_vanilla(task, seed):
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Normalize

    return botorch_loop(
        task, seed, lambda x, y, bounds: SingleTaskGP(x, y, input_transform=Normalize(x.shape[1], bounds=bounds))
    )


def botorch_saas(task, seed):
    from botorch.models.map_saas import EnsembleMapSaasSingleTaskGP
    from botorch.models.transforms import Normalize

    return botorch_loop(
        task, seed,
        lambda x, y, bounds: EnsembleMapSaasSingleTaskGP(x, y, input_transform=Normalize(x.shape[1], bounds=bounds)),
    )


def turbo(task, seed, successes=3):
    """TuRBO-1 as in BoTorch's tutorial, but for successes of the paper: BoTorch's model, fit and Thompson sampling."""
    import torch
    from botorch.fit import fit_gpytorch_mll
    from botorch.generation import MaxPosteriorSampling
    from botorch.models import SingleTaskGP
    from gpytorch.constraints import Interval
    from gpytorch.kernels import MaternKernel, ScaleKernel
    from gpytorch.likelihoods import GaussianLikelihood
    from gpytorch.mlls import ExactMarginalLogLikelihood

    x, y, bounds = botorch_data(task, seed)
    x, dim = (x - bounds[0]) / (bounds[1] - bounds[0]), x.shape[1]
    length, good, bad, left = 0.8, 0, 0, task.evals
    while left > 0 and length >= 0.5**7:
        scaled = (y - y.mean()) / y.std()
        kernel = ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=dim, lengthscale_constraint=Interval(0.005, 4.0)))
        likelihood = GaussianLikelihood(noise_constraint=Interval(1e-8, 1e-3))
        model = SingleTaskGP(x, scaled, covar_module=kernel, likelihood=likelihood, outcome_transform=None)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        weights = model.covar_module.base_kernel.lengthscale.squeeze().detach()
        weights = weights / weights.mean()
        weights = weights / torch.prod(weights.pow(1.0 / dim))
        centre = x[y.argmax()].clone()
        low = torch.clamp(centre - weights * length / 2, 0, 1)
        high = torch.clamp(centre + weights * length / 2, 0, 1)
        count = min(5000, max(2000, 200 * dim))
        moved = low + (high - low) * torch.quasirandom.SobolEngine(dim, scramble=True).draw(count, dtype=torch.double)
        change = torch.rand(count, dim) <= min(20.0 / dim, 1.0)
        candidates = torch.where(change, moved, centre)
        with torch.no_grad():
            new = MaxPosteriorSampling(model, replacement=False)(candidates, num_samples=task.batch)
        values = torch.tensor([[-task.f((bounds[0] + (bounds[1] - bounds[0]) * row).tolist())] for row in new])
        if values.max() > y.max() + 1e-3 * y.max().abs():
            good, bad = good + 1, 0
        else:
            good, bad = 0, bad + 1
        if good == successes:
            length, good = min(2 * length, 1.6), 0
        elif bad == math.ceil(max(4 / task.batch, dim / task.batch)):
            length, bad = length / 2, 0
        x, y, left = torch.cat([x, new]), torch.cat([y, values]), left - task.batch
    return -float(y.max())


def botorch_turbo(task, seed):
    """The tutorial's number of successes too."""
    return turbo(task, seed, successes=10)


REFERENCES = {
    "botorch-vanilla": botorch_vanilla, "botorch-saas": botorch_saas, "botorch-turbo": botorch_turbo, "turbo-1": turbo, "turbo-5": turbo,
    "optuna-gp": optuna_gp, "optuna-tpe": optuna_tpe, "cmaes": cmaes, "smac": smac, "nevergrad": nevergrad, "hebo": hebo,
}

if __name__ == "__main__":
    peer, number = sys.argv[1], int(sys.argv[2])
    print(repr(float(REFERENCES[peer](TASKS[peer], number))))
