"""BoTorch with several outcomes: limits, several objectives, or both.

One objective with limits follows the tutorial "Closed-loop batch, constrained BO in BoTorch with qLogEI and qLogNEI":
one GP per outcome, qLogExpectedImprovement with constraints. Several objectives follow the tutorials "Noisy, parallel,
multi-objective BO in BoTorch with qEHVI, qNEHVI, and qNParEGO" and "Constrained, parallel, multi-objective BO":
qLogNoisyExpectedHypervolumeImprovement over pruned data, the points of a batch one after the other; the reference
point is the task's, or else inferred from the front, as the documentation of infer_reference_point says.
Parameters that are not real are relaxed, as in botorch_saas.py.
Points are searched on the device that PEERS_DEVICE names, models are fitted on the CPU. With --trial-seconds T the searches of a trial
end early, so that the trial takes about T seconds: each batch gets its share of what is left, less what fits took.
"""

from protocol import serve

import torch
from botorch.acquisition import GenericMCObjective, qLogExpectedImprovement
from botorch.acquisition.multi_objective import logei
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.acquisition.multi_objective.objective import IdentityMCMultiOutputObjective
from botorch.acquisition.utils import compute_best_feasible_objective
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP
from botorch.sampling import SobolQMCNormalSampler
from botorch.utils.multi_objective.hypervolume import infer_reference_point
from botorch.utils.multi_objective.pareto import is_non_dominated
from gpytorch.mlls import SumMarginalLogLikelihood

from botorch_loop import DEVICE, MC_SAMPLES, Loop, cube_gp, trial_seconds

MC_SAMPLES_FRONT = 128

# BoTorch would compile a faster form of qLogNEHVI at the first use. A trial that is killed meanwhile would leave a lock
# for which all later ones wait.
logei._load_attempted = True


class Outcomes(Loop):
    def propose(self, n):
        x, y = self.data()
        limits = torch.tensor(self.limits).reshape(len(x), -1)
        columns = torch.cat([y, limits], dim=1)
        model = ModelListGP(*(cube_gp(x, columns[:, [k]]) for k in range(columns.shape[1])))
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        model, x, y, limits, columns = (v.to(DEVICE) for v in (model, x, y, limits, columns))
        first = y.shape[1]
        kept = [lambda z, k=k: z[..., k] for k in range(first, columns.shape[1])] or None
        if first == 1:
            return self.maximize(self.improvement(model, x, columns, kept), n, DEVICE)
        return self.maximize(self.hypervolume(model, x, y, limits, kept), n, DEVICE, sequential=True)

    def improvement(self, model, x, columns, kept):
        objective = GenericMCObjective(lambda z, X=None: z[..., 0])
        best = compute_best_feasible_objective(
            samples=columns, obj=columns[:, 0], constraints=kept, model=model, objective=objective, X_baseline=x
        )
        sampler = SobolQMCNormalSampler(torch.Size([MC_SAMPLES]))
        return qLogExpectedImprovement(model, best_f=best, sampler=sampler, objective=objective, constraints=kept)

    def hypervolume(self, model, x, y, limits, kept):
        if self.task.reference:
            reference = -torch.tensor(self.task.reference)
        else:
            feasible = (limits <= 0).all(dim=1)
            seen = y[feasible] if feasible.any() else y
            reference = infer_reference_point(seen[is_non_dominated(seen)])
        return qLogNoisyExpectedHypervolumeImprovement(
            model, ref_point=reference.tolist(), X_baseline=x, prune_baseline=True, constraints=kept,
            sampler=SobolQMCNormalSampler(torch.Size([MC_SAMPLES_FRONT])),
            objective=IdentityMCMultiOutputObjective(outcomes=list(range(y.shape[1]))),
        )


if __name__ == "__main__":
    seconds = trial_seconds()
    serve(lambda task: Outcomes(task, seconds))
