"""Bradley-Terry: scores under which what happened is most probable, all matches at once.

A match won with share S counts as S wins and 1 - S losses of the plain model,

    P(A better than B) = 1 / (1 + exp(-(s_A - s_B)))

with the prior s ~ N(0, 2²). Unlike Elo it does not depend on the order of the matches.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.aggregating.davidson import (
    Comparisons,
    Davidson,
    fit_davidson,
    standard_errors,
)
from nextpair.selectors.ratings.match import Match


def rate(size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
    """Rate documents on the logit scale, one without a match at 0."""
    return _fit(size, matches)[1].scores


def errors(size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
    """Return the standard error of each rating; that of the prior for one without a match."""
    return standard_errors(*_fit(size, matches))


def _fit(size: int, matches: Sequence[Match]) -> tuple[Comparisons, Davidson]:
    pairs = np.array([match[:2] for match in matches], dtype=np.intp).reshape(-1, 2)
    won = np.array([match.score for match in matches], dtype=np.float64)
    data = Comparisons(size, pairs[:, 0], pairs[:, 1], won, 1 - won, np.zeros(len(won)))
    return data, fit_davidson(data)
