"""BoTorch's default: SingleTaskGP with qLogExpectedImprovement.

Follows the tutorial "Closed-loop batch, constrained BO in BoTorch with qLogEI and qLogNEI": default
kernel and priors, 10 restarts from 512 raw samples, 256 MC samples, all points of a batch optimised
together. With parameters that are not real it follows the documentation of MixedSingleTaskGP
(choices of three labels or more) and of optimize_acqf_mixed_alternating, which goes point by point.

Models are fitted and points searched on the device that PEERS_DEVICE names. With --trial-seconds T the joint searches of a trial
end early, so that the trial takes about T seconds: each batch gets its share of what is left, less what the last fit took.
"""

from protocol import serve

import torch
from botorch.acquisition import qLogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import MixedSingleTaskGP
from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood

from botorch_loop import DEVICE, MC_SAMPLES, RAW_SAMPLES, RESTARTS, Loop, cube_gp, trial_seconds

# Integers of more values are relaxed: a search over the values of each would take too long.
MANY = 1000

# A GPU has room for all starts of a search at once.
TOGETHER = None if DEVICE.type == "cpu" else {"batch_limit": RESTARTS, "init_batch_limit": RAW_SAMPLES}


class Vanilla(Loop):
    """One column per parameter; a choice of three labels or more is an index."""

    def encode(self, params):
        return self.space.encode(params)

    def decode(self, x):
        return self.space.decode(x)

    def bounds(self):
        ends = [(0.0, 1.0) if p.continuous else p.outer for p in self.space.params]
        return torch.tensor(ends).T

    def propose(self, n):
        x, y = (v.to(DEVICE) for v in self.data())
        labels = {i: p.columns() for i, p in enumerate(self.space.params) if p.categorical}
        steps = {
            i: p.columns()
            for i, p in enumerate(self.space.params)
            if not p.continuous and not p.categorical and p.count <= MANY
        }
        model = MixedSingleTaskGP(x, y, cat_dims=list(labels)) if labels else cube_gp(x, y)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        sampler = SobolQMCNormalSampler(torch.Size([MC_SAMPLES]))
        acquisition = qLogExpectedImprovement(model, best_f=y.max(), sampler=sampler)
        if not labels and not steps:
            return self.maximize(acquisition, n, DEVICE, TOGETHER)
        candidates, _ = optimize_acqf_mixed_alternating(
            acquisition, bounds=self.bounds().to(DEVICE), discrete_dims=steps or None, cat_dims=labels or None,
            q=n, num_restarts=RESTARTS, raw_samples=RAW_SAMPLES,
        )
        return candidates.detach().cpu()


if __name__ == "__main__":
    seconds = trial_seconds()
    serve(lambda task: Vanilla(task.single(), seconds))
