"""Scikit-learn's machines and scores, and SciPy's optimisation."""

# First, for scikit-learn imports it too: whoever loads it at this moment is waited for here.
import nextpair.selectors.deferred.measures  # noqa: F401  # isort: skip

from scipy.optimize import nnls
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score, roc_auc_score
from sklearn.svm import SVC

__all__ = ["SVC", "LogisticRegression", "cohen_kappa_score", "nnls", "roc_auc_score"]
