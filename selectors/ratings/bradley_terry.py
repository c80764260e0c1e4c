"""Bradley-Terry: scores under which what happened is most probable, all matches at once.

A match counts as the shares of its votes for A, for B, and for a tie, of Davidson's model with ties
(`aggregating/davidson.py`), which without any is the plain one,

    P(A better than B) = 1 / (1 + exp(-(s_A - s_B)))

with the prior s ~ N(0, 2²). Unlike Elo it does not depend on the order of the matches.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from nextpair.selectors.aggregation.davidson import (
    DavidsonModel,
    WeightedComparisons,
    fit_davidson,
    standard_error_of_difference,
    standard_errors,
)
from nextpair.selectors.ratings.base import Rating
from nextpair.selectors.ratings.match import Match


def chance(size: int, matches: Sequence[Match], first: int, second: int) -> float:
    """Return how likely the first of two documents has the higher score, given all matches."""
    data, model = _fit(size, matches)
    error = standard_error_of_difference(data, model, first, second)
    return float(ndtr((model.scores[first] - model.scores[second]) / error))


def _fit(size: int, matches: Sequence[Match]) -> tuple[WeightedComparisons, DavidsonModel]:
    pairs = np.array([match[:2] for match in matches], dtype=np.intp).reshape(-1, 2)
    won = np.array([match.score for match in matches], dtype=np.float64)
    ties = np.array([match.ties for match in matches], dtype=np.float64)
    better, worse = won - ties / 2, 1 - won - ties / 2
    data = WeightedComparisons(size, pairs[:, 0], pairs[:, 1], better, worse, ties)
    return data, fit_davidson(data)


class BradleyTerry(Rating):
    """Scores under which what happened is most probable, all matches at once."""

    name = "bradley-terry"

    def rate(self, size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
        """Rate documents on the logit scale, one without a match at 0."""
        return _fit(size, matches)[1].scores

    def errors(self, size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
        """Return the standard error of each rating; that of the prior for one without a match."""
        return standard_errors(*_fit(size, matches))
