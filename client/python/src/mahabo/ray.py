"""mahabo as a search algorithm of Ray Tune.

    tune.Tuner(
        train,
        param_space={"lr": tune.loguniform(1e-5, 0.1), "layers": tune.randint(1, 9)},
        tune_config=tune.TuneConfig(search_alg=MahaboSearch(), metric="loss", mode="min", num_samples=50),
    ).fit()
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence

from ray.tune.result import DEFAULT_METRIC
from ray.tune.search import Searcher
from ray.tune.search.sample import Categorical, Domain, Float, Integer, LogUniform, Quantized
from ray.tune.search.variant_generator import parse_spec_vars
from ray.tune.utils.util import flatten_dict, unflatten_dict

from . import space as spaces
from .errors import Exhausted
from .private import PrivateServer
from .space import Parameter
from .study import Study
from .trial import Trial

_OPEN = ("running", "stale")


class MahaboSearch(Searcher):  # type: ignore[misc]
    """Chooses configurations with mahabo.

    space is a list of parameters of mahabo; without it Tune's param_space is used.
    points_to_evaluate are configurations to begin with, evaluated_rewards the values of the
    first of them, if they are known. Use tune.search.ConcurrencyLimiter to bound how many run at
    once.
    """

    def __init__(
        self,
        space: Sequence[Parameter] | Mapping[str, Any] | None = None,
        metric: str | None = None,
        mode: str | None = None,
        *,
        points_to_evaluate: List[Dict[str, Any]] | None = None,
        evaluated_rewards: List[float] | None = None,
        method: str | None = None,
        init: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(metric=metric, mode=mode)
        if evaluated_rewards and len(evaluated_rewards) > len(points_to_evaluate or []):
            raise ValueError("evaluated_rewards has more values than points_to_evaluate has points")
        self._space = None if space is None else _Tree(space)
        self._settings = {"method": method, "init": init, "seed": seed}
        self._points = list(points_to_evaluate or [])
        self._rewards = list(evaluated_rewards or [])
        self._server: PrivateServer | None = None
        self._study: Study | None = None
        self._open: Dict[str, Trial] = {}
        self._saved: Dict[str, Any] | None = None  # what the study begins with

    def set_search_properties(self, metric: str | None, mode: str | None, config: Dict[str, Any], **spec: Any) -> bool:
        if self._study is not None or (self._space is not None and config):
            return False
        if config:
            self._space = _Tree(config)
        self._metric, self._mode = metric or self._metric or DEFAULT_METRIC, mode or self._mode
        return self._space is not None

    def suggest(self, trial_id: str) -> Dict[str, Any] | str | None:
        study = self._started()
        try:
            (trial,) = study.ask(1)
        except Exhausted:
            return Searcher.FINISHED
        self._open[trial_id] = trial
        assert self._space is not None
        return self._space.config(trial.params)

    def on_trial_complete(self, trial_id: str, result: Dict[str, Any] | None = None, error: bool = False) -> None:
        trial = self._open.pop(trial_id, None)
        if trial is None:
            return
        value = (result or {}).get(self._metric)
        if error or value is None or not math.isfinite(value):
            trial.fail("error" if error else f"{self._metric} is {value}")
        else:
            trial.tell(value)

    def save(self, checkpoint_path: str) -> None:
        """Write the trials to a file."""
        part = Path(f"{checkpoint_path}.part")
        part.write_text(json.dumps(self._document()))
        os.replace(part, checkpoint_path)

    def restore(self, checkpoint_path: str) -> None:
        """Read the trials from a file: those that ran then are running again."""
        self._close()
        self._saved = json.loads(Path(checkpoint_path).read_text())
        self._metric, self._mode = self._saved["metric"], self._saved["mode"]

    def _document(self) -> Dict[str, Any] | None:
        if self._study is None:
            return self._saved
        ids = {trial.number: id for id, trial in self._open.items()}
        rows = [
            {"id": ids.get(t.number), "state": t.state, "params": self._study.flat(t.params), "value": t.value, "reason": t.reason}
            for t in self._study.trials()
        ]
        return {"metric": self._metric, "mode": self._mode, "trials": rows}

    def _load(self, study: Study, rows: List[Dict[str, Any]]) -> None:
        told = [
            {**row["params"], "value": row["value"], "state": row["state"], "reason": row["reason"]}
            for row in rows
            if row["state"] not in ("waiting", *_OPEN)
        ]
        if told:
            study.import_rows(told)
        running = [row for row in rows if row["state"] in _OPEN]
        for row in [*running, *(row for row in rows if row["state"] == "waiting")]:
            study.enqueue(row["params"])
        for row, trial in zip(running, study.ask(len(running)) if running else []):
            if row["id"] is not None:
                self._open[row["id"]] = trial

    def _started(self) -> Study:
        if self._study is None:
            if self._space is None:
                raise ValueError("there is no space: give one to MahaboSearch, or param_space to the Tuner")
            if self._metric is None or self._mode is None:
                raise ValueError("metric and mode are not known: give them to MahaboSearch or to TuneConfig")
            self._server = PrivateServer(None)
            goal = {"min": "minimize", "max": "maximize"}[self._mode]
            self._study = self._server.client.create_study("tune", self._space.parameters, goal=goal, **self._settings)  # type: ignore[arg-type]
            points = [self._space.point(p) for p in self._points]
            if self._saved is not None:
                self._load(self._study, self._saved["trials"])
            elif points:
                waiting = self._study.enqueue(*points)
                for trial, value in zip(waiting, self._rewards):
                    trial.tell(value)
        return self._study

    def _close(self) -> None:
        if self._server is not None:
            self._server.close()
        self._server, self._study = None, None
        self._open.clear()

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_saved": self._document(), "_server": None, "_study": None, "_open": {}}


class _Tree:
    """A configuration of Tune, which may be nested, and the parameters in it."""

    def __init__(self, space: Sequence[Parameter] | Mapping[str, Any]) -> None:
        self._constants: Dict[str, Any] = {}
        self._domains: Dict[str, Domain] = {}
        self._names: Dict[str, str] = {}  # of parameters, by path
        if not isinstance(space, Mapping):
            self.parameters: List[Parameter] = list(space)
            return
        _, domains, grid = parse_spec_vars(dict(space))
        if grid:
            raise ValueError("grid_search cannot be combined with MahaboSearch: use tune.choice")
        self._domains = {"/".join(str(part) for part in path): d for path, d in domains}
        self._names = {path: f"p{i}" for i, path in enumerate(self._domains)}
        self._constants = {k: v for k, v in flatten_dict(dict(space)).items() if k not in self._domains}
        self.parameters = [_parameter(self._names[path], path, d) for path, d in self._domains.items()]

    def config(self, params: Mapping[str, Any]) -> Dict[str, Any]:
        if not self._domains:
            return dict(params)
        values = {path: _rounded(d, params[self._names[path]]) for path, d in self._domains.items()}
        config: Dict[str, Any] = unflatten_dict({**self._constants, **values})
        return config

    def point(self, config: Mapping[str, Any]) -> Dict[str, Any]:
        if not self._domains:
            return dict(config)
        flat = flatten_dict(dict(config))
        return {name: flat[path] for path, name in self._names.items()}


def _parameter(name: str, path: str, d: Domain) -> Parameter:
    sampler = d.get_sampler()
    if isinstance(sampler, Quantized):
        sampler = sampler.get_sampler()
    log = isinstance(sampler, LogUniform)
    if isinstance(d, Categorical):
        return spaces.Choice(name, d.categories, description=path)
    if isinstance(d, Float) and math.isfinite(d.lower) and math.isfinite(d.upper):
        return (spaces.Log if log else spaces.Float)(name, d.lower, d.upper, description=path)
    if isinstance(d, Integer):
        return (spaces.LogInt if log else spaces.Int)(name, d.lower, d.upper - 1, description=path)
    raise ValueError(f"{path!r} is {d!r}: MahaboSearch knows uniform, loguniform, randint, lograndint, their q forms and choice")


def _rounded(d: Domain, value: Any) -> Any:
    sampler = d.get_sampler()
    if not isinstance(sampler, Quantized):
        return value
    low, high = d.lower, d.upper
    rounded = round(value / sampler.q) * sampler.q
    return type(value)(min(max(rounded, low), high))


