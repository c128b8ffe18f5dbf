"""mahabo as a sampler of Optuna.

    study = optuna.create_study(sampler=mahabo.optuna.MahaboSampler())
    study.optimize(objective, n_trials=200, n_jobs=4)

Optuna's storage is the truth. A server of this process holds a copy in its memory: one study
for each search space, with the trials that have all its parameters. Parameters are p0, p1, ...
there, since Optuna's names may have any characters.
"""

from __future__ import annotations

import math
import os
import threading
import warnings
from typing import Any, Callable, Mapping, Sequence

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers._base import _CONSTRAINTS_KEY, _process_constraints_after_trial
from optuna.trial import FrozenTrial, TrialState

from .errors import Exhausted
from .private import PrivateServer
from .space import Choice, Float, Int, Log, LogInt, Parameter
from .study import Study
from .trial import Trial


class MahaboSampler(optuna.samplers.BaseSampler):
    """Chooses the parameters that the trials of a study have in common with mahabo.

    search_space says which they are from the first trial on; else they are learned from the
    trials that are complete, and parameters that only some trials have are chosen by
    independent_sampler (a random one). method, init and seed are those of a mahabo study.
    Studies with several directions are searched for their front. constraints_func is Optuna's: a
    trial is feasible when none of the numbers it returns is above 0. How many there are is known from
    the first trial that ends; those before it are the independent sampler's.
    """

    def __init__(
        self,
        search_space: Mapping[str, BaseDistribution] | None = None,
        *,
        method: str | None = None,
        init: int | None = None,
        seed: int | None = None,
        independent_sampler: optuna.samplers.BaseSampler | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
    ) -> None:
        self._given = dict(search_space) if search_space is not None else None
        self._method, self._init, self._seed = method, init, seed
        self._constraints_func = constraints_func
        self._independent = independent_sampler or optuna.samplers.RandomSampler(seed=seed)
        self._forget()

    def _forget(self) -> None:
        self._common = optuna.search_space.IntersectionSearchSpace()
        self._lock = threading.RLock()
        self._server: PrivateServer | None = None
        self._copies: dict[tuple[Any, ...], _Copy] = {}
        self._chosen: dict[int, _Copy] = {}  # by id of the trials that this sampler has chosen and that are open

    def __getstate__(self) -> dict[str, Any]:
        keep = ("_given", "_method", "_init", "_seed", "_independent", "_constraints_func")
        return {name: self.__dict__[name] for name in keep}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def reseed_rng(self) -> None:
        self._independent.reseed_rng()

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        with self._lock:
            space = self._given if self._given is not None else self._common.calculate(study)
        return {name: d for name, d in sorted(space.items()) if not d.single()}

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        if not search_space:
            return {}
        with self._lock:
            trials = study.get_trials(deepcopy=False)
            limits = 0
            if self._constraints_func is not None:
                known = [c for t in trials if (c := _constraints(t)) is not None]
                if not known:
                    return {}  # nobody knows yet how many there are
                limits = len(known[0])
            copy = self._copy(study, search_space, limits)
            copy.follow(trials, trial._trial_id)
            try:
                params = copy.ask(trial._trial_id)
            except Exhausted:
                return {}  # every point was tried: the independent sampler repeats some
            self._chosen[trial._trial_id] = copy
            return params

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(
        self, study: optuna.Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        constraints = None
        if self._constraints_func is not None and state in (TrialState.COMPLETE, TrialState.PRUNED):
            _process_constraints_after_trial(self._constraints_func, study, trial, state)
            constraints = _constraints(study._storage.get_trial(trial._trial_id))
        with self._lock:
            copy = self._chosen.pop(trial._trial_id, None)
            if copy is not None:
                copy.tell(trial, state, values, constraints)
        self._independent.after_trial(study, trial, state, values)

    def _copy(self, study: optuna.Study, space: dict[str, BaseDistribution], limits: int) -> _Copy:
        key = (study.study_name, limits, *sorted((name, repr(d)) for name, d in space.items()))
        if key not in self._copies:
            if self._server is None:
                self._server = PrivateServer(None)
            seed = int.from_bytes(os.urandom(4), "big") if self._seed is None else self._seed
            goals = ["maximize" if d == optuna.study.StudyDirection.MAXIMIZE else "minimize" for d in study.directions]
            outcomes: dict[str, Any] | None = None
            if len(goals) > 1 or limits:
                outcomes = {f"o{i}": goal for i, goal in enumerate(goals)}
                outcomes.update({f"c{i}": {"at_most": 0} for i in range(limits)})
            made = self._server.client.create_study(
                f"optuna-{len(self._copies)}",
                [_parameter(f"p{i}", name, d) for i, (name, d) in enumerate(space.items())],
                method=self._method,
                init=self._init,
                seed=seed,
                goal=None if outcomes else goals[0],
                outcomes=outcomes,
            )
            self._copies[key] = _Copy(made, space, list(outcomes or []), len(goals))
        return self._copies[key]

    def close(self) -> None:
        """End the server. The next trial starts another one; at the end of the process it ends by itself."""
        with self._lock:
            if self._server is not None:
                self._server.close()
            self._forget()


class _Copy:
    """The trials of a study of Optuna in a study of mahabo."""

    def __init__(self, study: Study, space: dict[str, BaseDistribution], names: list[str], objectives: int) -> None:
        self._study, self._space = study, space
        self._names, self._objectives = names, objectives  # names of outcomes, none for a single value
        self._known: set[int] = set()  # ids of trials that need no look any more
        self._open: dict[int, Trial] = {}  # by id

    def ask(self, id: int) -> dict[str, Any]:
        (trial,) = self._study.ask(1)
        self._open[id] = trial
        values = trial.params.values()
        return {name: _external(d, v) for (name, d), v in zip(self._space.items(), values)}

    def follow(self, trials: list[FrozenTrial], asking: int) -> None:
        """Take over what others, or this process before, have evaluated or are evaluating."""
        rows = []
        for t in trials:
            id = t._trial_id
            if id in self._known or id == asking:
                continue
            if t.state.is_finished():
                if id in self._open:
                    self.tell(t, t.state, t.values, _constraints(t))
                elif t.state == TrialState.COMPLETE and self._has(t):
                    outcome = self._outcome(t.values, _constraints(t))
                    if outcome is not None:
                        rows.append({**self._point(t), **outcome})
                self._known.add(id)
            elif t.state == TrialState.RUNNING and id not in self._open and self._has(t):
                self._study.enqueue(self._point(t))  # of another process: pending here too
                (self._open[id],) = self._study.ask(1)
        if rows:
            report = self._study.import_rows(rows)
            for line, error in report.bad:
                warnings.warn(f"a trial of the study is left out: {error}", stacklevel=2)

    def _outcome(self, values: Sequence[float] | None, constraints: Sequence[float] | None) -> dict[str, float] | None:
        """Return what a trial told by name, None when some of it is missing or no number."""
        numbers = [*(values or ()), *(constraints or ())]
        if len(values or ()) != self._objectives or len(numbers) != max(1, len(self._names)):
            return None
        if not all(math.isfinite(v) for v in numbers):
            return None
        return dict(zip(self._names or ["value"], map(float, numbers)))

    def tell(
        self, t: FrozenTrial, state: TrialState, values: Sequence[float] | None, constraints: Sequence[float] | None
    ) -> None:
        self._known.add(t._trial_id)
        trial = self._open.pop(t._trial_id, None)
        if trial is None:
            return
        outcome = self._outcome(values, constraints) if state == TrialState.COMPLETE else None
        if not self._has(t):
            trial.release()  # the objective ended before, or asked for others
        elif self._point(t) != self._study.flat(trial.params):
            trial.release()  # the user held some: learn from the point that was evaluated
            if outcome is not None:
                self._study.import_rows([{**self._point(t), **outcome}])
        elif outcome is not None:
            trial.tell(outcome if self._names else outcome["value"])
        elif state == TrialState.PRUNED and self._pruned(t, trial):
            trial.stopped("pruned")  # what it had reached is a bound
        else:
            trial.fail(state.name.lower())

    def _pruned(self, t: FrozenTrial, trial: Trial) -> bool:
        """Report what a pruned trial had reached, if that is one number."""
        step = t.last_step
        if self._names or step is None or not math.isfinite(t.intermediate_values[step]):
            return False
        trial.report(step, t.intermediate_values[step])
        return True

    def _has(self, t: FrozenTrial) -> bool:
        return all(t.distributions.get(name) == d for name, d in self._space.items())

    def _point(self, t: FrozenTrial) -> dict[str, Any]:
        return {f"p{i}": _internal(d, t.params[name]) for i, (name, d) in enumerate(self._space.items())}


def _constraints(t: FrozenTrial) -> Sequence[float] | None:
    found = t.system_attrs.get(_CONSTRAINTS_KEY)
    return None if found is None else list(found)


def _parameter(name: str, description: str, d: BaseDistribution) -> Parameter:
    if isinstance(d, CategoricalDistribution):
        return Choice(name, [str(i) for i in range(len(d.choices))], description=description)
    if not isinstance(d, (FloatDistribution, IntDistribution)):
        raise ValueError(f"parameter {description!r} has a {type(d).__name__}: mahabo knows floats, ints and categories")
    if d.log:
        return (Log if isinstance(d, FloatDistribution) else LogInt)(name, d.low, d.high, description=description)  # type: ignore[operator]
    if _stepped(d):
        return Int(name, 0, round((d.high - d.low) / (d.step or 1)), description=description)
    if isinstance(d, FloatDistribution):
        return Float(name, d.low, d.high, description=description)
    return Int(name, d.low, d.high, description=description)


def _stepped(d: FloatDistribution | IntDistribution) -> bool:
    return d.step is not None and not (isinstance(d, IntDistribution) and d.step == 1)


def _external(d: BaseDistribution, value: Any) -> Any:
    """Return Optuna's value for one of mahabo."""
    if isinstance(d, CategoricalDistribution):
        return d.choices[int(value)]
    assert isinstance(d, (FloatDistribution, IntDistribution))
    if _stepped(d):
        value = min(d.low + value * d.step, d.high)
    return float(value) if isinstance(d, FloatDistribution) else int(value)


def _internal(d: BaseDistribution, value: Any) -> Any:
    """Return mahabo's value for one of Optuna."""
    if isinstance(d, CategoricalDistribution):
        return str(int(d.to_internal_repr(value)))
    assert isinstance(d, (FloatDistribution, IntDistribution))
    return round((value - d.low) / d.step) if _stepped(d) else value

