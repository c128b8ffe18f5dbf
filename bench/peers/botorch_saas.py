"""BoTorch's ensemble of MAP-SAAS models with qLogExpectedImprovement.

Follows the documentation of EnsembleMapSaasSingleTaskGP (four models, each with a global scale drawn
from HalfCauchy(0.1), their predictions averaged) and, for the loop, the tutorial "High-dimensional
Bayesian optimization with SAASBO", which maximises qLogEI with 10 restarts. Parameters that are not
real are relaxed: choices of three labels or more to one-hot columns; a point is rounded before it is
evaluated, and the model sees what was evaluated.
"""

from protocol import serve

import torch
from botorch.acquisition import qLogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models.map_saas import EnsembleMapSaasSingleTaskGP
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood

from botorch_loop import MC_SAMPLES, Loop


class MapSaas(Loop):
    def propose(self, n):
        x, y = self.data()
        model = EnsembleMapSaasSingleTaskGP(x, y)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        sampler = SobolQMCNormalSampler(torch.Size([MC_SAMPLES]))
        return self.maximize(qLogExpectedImprovement(model, best_f=y.max(), sampler=sampler), n)


if __name__ == "__main__":
    serve(lambda task: MapSaas(task.single()))
