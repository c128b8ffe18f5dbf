"""MahaboSearch in Ray Tune, two trials at a time."""

from ray import tune
from ray.tune.search import ConcurrencyLimiter

from mahabo.ray import MahaboSearch


def train(config):
    return {"loss": abs(config["rate"] - 0.01) + (config["layers"] - 3) ** 2}


tuner = tune.Tuner(
    train,
    param_space={"rate": tune.loguniform(1e-5, 0.1), "layers": tune.randint(1, 9)},
    tune_config=tune.TuneConfig(
        search_alg=ConcurrencyLimiter(MahaboSearch(seed=1), max_concurrent=2), metric="loss", mode="min", num_samples=8
    ),
)
best = tuner.fit().get_best_result()
print("best value", best.metrics["loss"], "with", best.config)
