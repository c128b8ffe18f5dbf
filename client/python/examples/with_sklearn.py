"""MahaboSearchCV in place of RandomizedSearchCV."""

from sklearn.datasets import load_iris
from sklearn.svm import SVC

import mahabo
from mahabo.sklearn import MahaboSearchCV

X, y = load_iris(return_X_y=True)
space = [mahabo.Log("C", 1e-3, 1e3), mahabo.Log("gamma", 1e-4, 10), mahabo.Choice("kernel", ["rbf", "poly"])]
search = MahaboSearchCV(SVC(), space, n_iter=20, batch=2, cv=3, random_state=1).fit(X, y)
print("best value", search.best_score_, "with", search.best_params_)
