"""SciPy's statistics."""

from scipy.stats import binomtest, kendalltau, t

__all__ = ["binomtest", "kendalltau", "t"]
