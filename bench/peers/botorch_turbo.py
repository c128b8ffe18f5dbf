"""TuRBO-1 as in BoTorch's tutorial "BO with TuRBO-1": Thompson samples in a trust region.

A Matern 5/2 GP with bounded length-scales, 5,000 candidates or less, a region that grows after ten successes. When the region
has become too small the search begins anew, with a design of `init` points in whole batches. Parameters that are not real are
relaxed, as in turbo.py. Models are fitted and drawn from on the device that PEERS_DEVICE names.
"""

from protocol import serve

import gpytorch
import torch
from botorch.fit import fit_gpytorch_mll
from botorch.generation import MaxPosteriorSampling
from botorch.models import SingleTaskGP
from gpytorch.constraints import Interval
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.mlls import ExactMarginalLogLikelihood

from botorch_loop import DEVICE
from scbo import SCBO


class Turbo(SCBO):
    """Region, restarts and candidates are those of SCBO, which has them of TuRBO."""

    def propose(self, n):
        x, y = (v.to(DEVICE) for v in self.data())
        kernel = ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=x.shape[1], lengthscale_constraint=Interval(0.005, 4.0)))
        likelihood = GaussianLikelihood(noise_constraint=Interval(1e-8, 1e-3))
        model = SingleTaskGP(x, (y - y.mean()) / y.std(), covar_module=kernel, likelihood=likelihood)
        with gpytorch.settings.max_cholesky_size(float("inf")):
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
            weights = kernel.base_kernel.lengthscale.detach().cpu().squeeze()
            weights = weights / weights.mean()
            weights = weights / torch.prod(weights.pow(1 / len(weights)))
            with torch.no_grad():
                sampling = MaxPosteriorSampling(model=model, replacement=False)
                return sampling(self.candidates(weights).to(DEVICE), num_samples=n).cpu()


if __name__ == "__main__":
    serve(lambda task: Turbo(task.single()))
