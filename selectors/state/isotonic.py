"""Isotonic adjustment of scores to a partial order.

Scores that summarise answers (Elo, shares of wins, posterior means) can put a document above one
that is known to be better. The adjustment makes them strictly monotone in the order. With

    low(d)  = max(score(d), max of low over the documents below d, plus a step)
    high(d) = min(score(d), min of high over the documents above d, minus a step)

`low` and `high` are both monotone, and so is their mean, which is returned. Least-squares isotonic
regression would tie documents that are known to differ. Monotone scores do not change, and the
result depends neither on names nor on positions.
"""

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.state import bitset
from nextpair.selectors.state.order import Order

STEP = 1e-6
"""The minimum difference between scores of documents that are known to differ, as a share of the
range of all scores."""


def isotonic_adjustment(scores: NDArray[np.float64], order: Order) -> NDArray[np.float64]:
    """Return scores that are higher for every document than for those known to be worse."""
    labels = bitset.members(order.labels)
    above = {label: order.above(label) for label in labels}
    if not any(above.values()):
        return scores.copy()
    step = STEP * (float(np.ptp(scores)) or 1.0)
    best_first = sorted(labels, key=lambda label: above[label].bit_count())
    high = _propagate(scores, order, best_first, above, -1, step)
    below = {label: order.below(label) for label in labels}
    low = _propagate(scores, order, best_first[::-1], below, 1, step)
    return np.where(low == high, scores, (low + high) / 2)


def _propagate(
    scores: NDArray[np.float64],
    order: Order,
    labels: list[int],
    bounds: dict[int, int],
    sign: int,
    step: float,
) -> NDArray[np.float64]:
    """Raise (sign 1) or lower (sign -1) scores beyond those of the classes that bound them.

    Parameters
    ----------
    labels
        The classes in topological order: each after all that bound it.
    bounds
        For each class, the classes that bound it, as a bit set.
    """
    values = sign * scores
    extreme = np.full(order.size, -np.inf)
    for label in labels:
        members = list(order.members(label))
        if bounds[label]:
            bound = extreme[bitset.mask(bounds[label], order.size)].max()
            values[members] = np.maximum(values[members], bound + step)
        extreme[label] = values[members].max()
    return sign * values
