"""The sweeper of Hydra: python with_hydra.py --multirun"""

from dataclasses import dataclass, field

import hydra
from hydra.core.config_store import ConfigStore


@dataclass
class Config:
    defaults: list = field(default_factory=lambda: ["_self_", {"override hydra/sweeper": "mahabo"}])
    hydra: dict = field(
        default_factory=lambda: {
            "sweeper": {"evals": 8, "params": {"rate": "tag(log, interval(1e-5, 0.1))", "layers": "range(1, 9)"}}
        }
    )
    rate: float = 0.1
    layers: int = 1


ConfigStore.instance().store("config", Config)


@hydra.main(version_base=None, config_path=None, config_name="config")
def train(config):
    return abs(config.rate - 0.01) + (config.layers - 3) ** 2


train()
