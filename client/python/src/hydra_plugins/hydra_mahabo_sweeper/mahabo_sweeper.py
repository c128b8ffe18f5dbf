"""mahabo as a sweeper of Hydra.

    python train.py --multirun hydra/sweeper=mahabo hydra.sweeper.evals=50 \\
        'lr=tag(log, interval(1e-5, 0.1))' 'layers=range(1, 9)' 'kind=choice(a, b)'

The function returns the value. interval is a real number, int(interval(1, 64)) a whole one,
range one of its numbers, choice and lists with commas one of their options; the tag log asks for
a logarithmic scale. What is best is written to optimization_results.yaml in the sweep's folder.
"""

# Without annotations from __future__: Hydra runs this module before it is in sys.modules, where
# a dataclass would look for them.

import logging
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import IntervalSweep, Override, RangeSweep
from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn, JobStatus
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf

_log = logging.getLogger(__name__)


@dataclass
class MahaboSweeperConf:
    """The settings, hydra.sweeper.*."""

    _target_: str = "hydra_plugins.hydra_mahabo_sweeper.mahabo_sweeper.MahaboSweeper"
    evals: int = 50
    """Jobs in all."""
    batch: int = 1
    """Jobs that are chosen and launched together."""
    direction: str = "minimize"
    """minimize or maximize"""
    method: Optional[str] = None
    seed: int = 0
    path: Optional[str] = None
    """File that keeps the study, so that the same command continues it."""
    study: str = "hydra"
    params: Dict[str, str] = field(default_factory=dict)
    """What is swept over, as on the command line."""


ConfigStore.instance().store(group="hydra/sweeper", name="mahabo", node=MahaboSweeperConf, provider="mahabo")


class MahaboSweeper(Sweeper):
    """Chooses the overrides of jobs with mahabo."""

    def __init__(
        self,
        evals: int,
        batch: int,
        direction: str,
        method: Optional[str],
        seed: int,
        path: Optional[str],
        study: str,
        params: Dict[str, str],
    ) -> None:
        if direction not in ("minimize", "maximize"):
            raise ValueError(f"hydra.sweeper.direction is {direction!r}: write minimize or maximize")
        for name, n in (("evals", evals), ("batch", batch)):
            if n < 1:
                raise ValueError(f"hydra.sweeper.{name} is {n}: it has to be at least 1")
        self._evals, self._batch, self._direction = evals, batch, direction
        self._method, self._seed, self._path, self._study = method, seed, path, study
        self._params = params

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        self._context, self._config = hydra_context, config
        self._launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=config
        )

    def sweep(self, arguments: List[str]) -> None:
        from mahabo.private import PrivateServer  # Hydra imports this module for every program

        parser = OverridesParser.create(config_loader=self._context.config_loader)
        overrides = parser.parse_overrides([*(f"{k}={v}" for k, v in self._params.items()), *arguments])
        swept = {o.get_key_element(): o for o in overrides if o.is_sweep_override()}
        held = [f"{o.get_key_element()}={o.get_value_element_as_str()}" for o in overrides if not o.is_sweep_override()]
        if not swept:
            raise ValueError("there is nothing to sweep over: write 'x=interval(0, 1)', range, choice, or hydra.sweeper.params")
        folder = Path(self._config.hydra.sweep.dir)
        folder.mkdir(parents=True, exist_ok=True)
        OmegaConf.save(self._config, folder / "multirun.yaml")
        with PrivateServer(Path(self._path) if self._path else None) as server:
            study = server.client.create_study(
                self._study,
                [_parameter(f"p{i}", key, o) for i, (key, o) in enumerate(swept.items())],
                method=self._method,
                goal=self._direction,
                seed=self._seed,
                batch=self._batch,
                budget=self._evals,
                exist_ok=True,
            )
            self._run(study, list(swept), held)
            best = study.best()
        if best is None:
            raise RuntimeError(f"none of {self._evals} jobs has a value: the log says why")
        params = dict(zip(swept, best.params.values()))
        _log.info("best value %g with %s", best.value, params)
        results = {"name": "mahabo", "best_evaluated_params": params, "best_evaluated_result": best.value}
        OmegaConf.save(OmegaConf.create(results), folder / "optimization_results.yaml")

    def _run(self, study: Any, keys: Sequence[str], held: Sequence[str]) -> None:
        from mahabo.errors import Exhausted

        done = sum(study.info().states.get(s, 0) for s in ("complete", "failed", "infeasible"))
        while done < self._evals:
            try:
                trials = study.ask(min(self._batch, self._evals - done))
            except Exhausted:
                return
            jobs = [[*held, *(f"{k}={v}" for k, v in zip(keys, t.params.values()))] for t in trials]
            returns = self._launcher.launch(jobs, initial_job_idx=done)
            for trial, back in zip(trials, returns):
                _tell(trial, back)
            done += len(trials)


def _tell(trial: Any, back: JobReturn) -> None:
    if back.status != JobStatus.COMPLETED:
        _log.error("job %s failed: %r", back.overrides, back._return_value)
        trial.fail(repr(back._return_value))
        return
    value = back.return_value
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        _log.error("job %s returned %r: it has to return a finite number", back.overrides, value)
        trial.fail(f"it returned {value!r}")
    else:
        trial.tell(value)


def _parameter(name: str, key: str, o: Override) -> Any:
    from mahabo import space

    value = o.value()
    if isinstance(value, IntervalSweep):
        log = "log" in value.tags
        if isinstance(value.start, int) and isinstance(value.end, int):
            return (space.LogInt if log else space.Int)(name, value.start, value.end, description=key)
        return (space.Log if log else space.Float)(name, value.start, value.end, description=key)
    if isinstance(value, RangeSweep) and not value.shuffle:
        return space.Ordinal(name, sorted(value.range()), description=key)
    return space.Choice(name, list(o.sweep_string_iterator()), description=key)
