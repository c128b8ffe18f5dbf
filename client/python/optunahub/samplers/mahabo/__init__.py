"""mahabo's sampler, as OptunaHub loads it."""

from mahabo.optuna import MahaboSampler

__all__ = ["MahaboSampler"]
