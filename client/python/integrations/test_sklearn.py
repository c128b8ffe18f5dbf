"""MahaboSearchCV with scikit-learn itself."""

from __future__ import annotations

import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import FitFailedWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mahabo
from mahabo.sklearn import MahaboSearchCV

pytestmark = pytest.mark.usefixtures("private")
X, Y = load_iris(return_X_y=True)
SPACE = [mahabo.Log("svc__C", 1e-3, 1e3), mahabo.Log("svc__gamma", 1e-4, 10), mahabo.Choice("svc__class_weight", [None, "balanced"])]


def test_search() -> None:
    search = MahaboSearchCV(make_pipeline(StandardScaler(), SVC()), SPACE, n_iter=12, batch=3, cv=3, random_state=1)
    search = clone(search)
    search.fit(X, Y)
    assert search.best_score_ > 0.95 and len(search.cv_results_["params"]) == 12
    assert set(search.best_params_) == {"svc__C", "svc__gamma", "svc__class_weight"}
    assert search.predict(X[:3]).shape == (3,) and search.best_estimator_.named_steps["svc"].C == search.best_params_["svc__C"]
    again = clone(search).fit(X, Y)
    assert again.best_params_ == search.best_params_


def test_scores() -> None:
    search = MahaboSearchCV(SVC(), [mahabo.Log("C", 1e-2, 1e2)], n_iter=4, cv=3, scoring=["accuracy", "f1_macro"], refit="f1_macro")
    assert search.fit(X, Y).best_score_ > 0.9
    with pytest.raises(KeyError, match="refit has to name one"):
        MahaboSearchCV(SVC(), [mahabo.Log("C", 1e-2, 1e2)], n_iter=4, scoring=["accuracy", "f1_macro"], refit=False).fit(X, Y)


def test_failures_and_finite_spaces() -> None:
    space = [mahabo.Choice("kernel", ["rbf", "linear", "nonsense"]), mahabo.Bool("shrinking")]
    for batch, shown in ((1, 4), (6, 6)):
        with pytest.warns(FitFailedWarning):
            search = MahaboSearchCV(SVC(), space, n_iter=20, batch=batch, cv=3).fit(X, Y)
        scores = search.cv_results_["mean_test_score"]
        assert len(scores) == shown and search.best_score_ > 0.9
    with pytest.warns(FitFailedWarning), pytest.raises(ValueError, match="fits failed"):
        MahaboSearchCV(SVC(kernel="nonsense"), [mahabo.Log("C", 1e-2, 1e2)], n_iter=20, cv=3).fit(X, Y)
