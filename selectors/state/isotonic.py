"""Scores made to agree with an order that is known: isotonic adjustment over a partial order.

Scores that sum up answers (Elo, shares of wins, posterior means) can put a document above another
that beat it. Where the relation is known, the scores are moved to agree with it. With

    low(d)  = max(score(d), max of low over the documents below d, plus a step)
    high(d) = min(score(d), min of high over the documents above d, minus a step)

both `low` and `high` agree with the order, and so does their mean, which is reported. Scores that
agree already stay as they are, and the result depends neither on names nor on positions.
"""

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.state import bitset
from nextpair.selectors.state.order import Order

STEP = 1e-6
"""The least difference between scores of documents that are known to differ, as a share of the
range of all scores."""


def monotone(scores: NDArray[np.float64], order: Order) -> NDArray[np.float64]:
    """Return scores under which every document is above those known to be worse."""
    labels = bitset.members(order.labels)
    above = {label: order.above(label) for label in labels}
    if not any(above.values()):
        return scores.copy()
    step = STEP * (float(np.ptp(scores)) or 1.0)
    best_first = sorted(labels, key=lambda label: above[label].bit_count())
    high = _bounded(scores, order, best_first, above, -1, step)
    below = {label: order.below(label) for label in labels}
    low = _bounded(scores, order, best_first[::-1], below, 1, step)
    return np.where(low == high, scores, (low + high) / 2)


def _bounded(
    scores: NDArray[np.float64],
    order: Order,
    labels: list[int],
    bounding: dict[int, int],
    sign: int,
    step: float,
) -> NDArray[np.float64]:
    """Raise (sign 1) or lower (sign -1) scores beyond those of the classes that bound them.

    Parameters
    ----------
    labels
        The classes, each after all that bound it.
    bounding
        For each class, the classes that bound it, as a bit set.
    """
    values = sign * scores
    extreme = np.full(order.size, -np.inf)
    for label in labels:
        members = list(order.members(label))
        if bounding[label]:
            bound = extreme[bitset.mask(bounding[label], order.size)].max()
            values[members] = np.maximum(values[members], bound + step)
        extreme[label] = values[members].max()
    return sign * values
