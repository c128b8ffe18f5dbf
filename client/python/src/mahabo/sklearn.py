"""mahabo as a search of scikit-learn.

    search = MahaboSearchCV(SVC(), [mahabo.Log("C", 1e-3, 1e3), mahabo.Choice("kernel", ["rbf", "poly"])], n_iter=40)
    search.fit(X, y)
"""

from __future__ import annotations

import math
import warnings
from typing import Any, Callable, Sequence

from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import check_random_state

from .errors import Exhausted
from .private import PrivateServer
from .space import Parameter

_HOPELESS = 10  # points that may fail before any works


class MahaboSearchCV(BaseSearchCV):  # type: ignore[misc]
    """Searches parameters of an estimator by cross-validation, as RandomizedSearchCV does.

    param_space is a list of parameters, named as in set_params ("svc__C"). n_iter points are
    evaluated, batch at a time (the number of jobs that are reasonable at once, divided by the
    folds, is a good choice); those of a batch are chosen together. The score that refit
    names is maximised. A point whose score is not finite is a failed one; scikit-learn leaves
    out batches in which every fit failed.
    """

    def __init__(
        self,
        estimator: Any,
        param_space: Sequence[Parameter],
        *,
        n_iter: int = 50,
        batch: int = 1,
        method: str | None = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = math.nan,
        return_train_score: bool = False,
    ) -> None:
        self.param_space = param_space
        self.n_iter = n_iter
        self.batch = batch
        self.method = method
        self.random_state = random_state
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )

    def _run_search(self, evaluate_candidates: Callable[[list[dict[str, Any]]], dict[str, Any]]) -> None:
        if self.n_iter < 1 or self.batch < 1:
            raise ValueError(f"n_iter is {self.n_iter} and batch {self.batch}: both have to be at least 1")
        if callable(self.refit):
            raise ValueError("refit is a function: name the score that is to be maximised")
        score = f"mean_test_{self.refit if isinstance(self.refit, str) else 'score'}"
        seed = int(check_random_state(self.random_state).randint(2**31))
        with PrivateServer(None) as server:
            study = server.client.create_study(
                "search", list(self.param_space), method=self.method, goal="maximize", seed=seed, batch=self.batch, budget=self.n_iter
            )
            done, worked = 0, False
            while done < self.n_iter:
                try:
                    trials = study.ask(min(self.batch, self.n_iter - done))
                except Exhausted:
                    return
                done += len(trials)
                try:
                    results = evaluate_candidates([t.params for t in trials])
                except ValueError as e:  # also raised when all fits of a batch failed
                    if not worked and done >= min(_HOPELESS, self.n_iter) or self.error_score == "raise":
                        raise
                    warnings.warn(f"all fits of a batch failed: {e}", FitFailedWarning, stacklevel=2)
                    for trial in trials:
                        trial.fail("all fits of the batch failed")
                    continue
                if score not in results:
                    raise KeyError(f"there is no score {score[10:]!r}: with several scores refit has to name one")
                for trial, value in zip(trials, results[score][-len(trials) :]):
                    if math.isfinite(value):
                        trial.tell(value)
                        worked = True
                    else:
                        trial.fail(f"the score is {value}")
