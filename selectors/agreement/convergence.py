"""Convergence of a ranking: tau-b of each earlier ranking with the last one (yang-2018)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from nextpair.selectors.aggregation.responses import FloatArray
from nextpair.selectors.agreement.rank_correlation import tau_b


def convergence(rankings: Sequence[ArrayLike]) -> FloatArray:
    """Return tau-b of each ranking with the last; NaN if one of the two is constant.

    Parameters
    ----------
    rankings
        The scores of all documents after every k judgments, the final ones last.
    """
    return np.array([tau_b(ranking, rankings[-1]) for ranking in rankings], dtype=np.float64)
