"""What is to be found out, how much each document matters for it, and when it is enough."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from nextpair.selectors.inference.gaussian_scores.posterior import Beliefs
from nextpair.selectors.inference.ordinal_classes.places import Array

REFERENCES = 32
"""Documents, spread over the order, that all others are compared with to see how sure it is."""
CROWDING = 1.5
"""How much more it matters to learn of documents that are in doubt: the power of that doubt."""
WIDTH = 2 * 1.6449
"""Deviations that an interval with a chance of 90 % is wide."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What has to be reached.

    Parameters
    ----------
    risk
        How many of all pairs may be expected in the wrong order; of the best so many, the chance
        that they are not the right ones.
    top
        Only the best so many are looked for; 0 for the whole order.
    width
        How wide the 90 % intervals of scores may be on average, in place of the risk; 0 for none.
    """

    risk: float
    top: int = 0
    width: float = 0.0

    def look(self, beliefs: Beliefs, margin: float) -> "Reach":
        """Say how far beliefs are from it.

        Parameters
        ----------
        margin
            A difference below which two documents are as good as equal, whichever is better.
        """
        size = len(beliefs.means)
        if 0 < self.top < size:
            weights, wrong = _best(beliefs, self.top, margin)
        else:
            weights, wrong = _whole(beliefs, margin)
            if self.width:
                # Every interval counts, wherever in the order it lies.
                weights = np.ones(size)
        width = float(WIDTH * np.sqrt(beliefs.variances).mean()) if size else 0.0
        enough = width <= self.width if self.width else wrong <= self.risk
        return Reach(weights, wrong, width, enough)


@dataclass(frozen=True, slots=True)
class Reach:
    """How far beliefs are from a goal.

    Parameters
    ----------
    weights
        How much it matters to learn of each document.
    wrong
        What the risk is now.
    width
        How wide the 90 % intervals of scores are on average.
    """

    weights: Array
    wrong: float
    width: float
    enough: bool


def _whole(beliefs: Beliefs, margin: float) -> tuple[Array, float]:
    """Weigh documents by how often they are expected on the wrong side of others.

    Where documents are crowded an order has more to lose, and more than in proportion: an answer
    there is about a pair in doubt, and tells of others in doubt that were compared with the two.
    """
    size = len(beliefs.means)
    count = min(size, REFERENCES)
    places = np.linspace(0, size - 1, count).round().astype(np.intp)
    references = np.argsort(beliefs.means, kind="stable")[places]
    apart = np.abs(beliefs.means[references][:, None] - beliefs.means)
    deviations = np.sqrt(np.maximum(beliefs.spreads(references), 1e-12))
    doubts = ndtr(-apart / deviations)
    itself = (np.arange(count), references)
    doubts[itself] = 0.0
    wrong = doubts
    if margin:
        wrong = ndtr(-(apart + margin) / deviations)
        wrong[itself] = 0.0
    others = np.full(size, count)
    others[references] -= 1
    weights = (doubts.sum(axis=0) / np.maximum(others, 1)) ** CROWDING
    return weights / max(float(weights.mean()), 1e-12), float(wrong.sum() / max(others.sum(), 1))


def _best(beliefs: Beliefs, top: int, margin: float) -> tuple[Array, float]:
    """Weigh documents by how likely they are on the wrong side of where the best so many end."""
    means, order = beliefs.means, np.argsort(-beliefs.means, kind="stable")
    last, next_one = order[top - 1], order[top]
    if top == 1:
        apart = means[last] - means
        deviations = np.sqrt(np.maximum(beliefs.spreads(np.array([last]))[0], 1e-12))
    else:
        apart, margin = np.abs(means - (means[last] + means[next_one]) / 2), margin / 2
        # Of a score and the middle of two others, from the variances of their differences.
        spreads = beliefs.spreads(np.array([last, next_one]))
        variances = spreads.mean(axis=0) - spreads[0, next_one] / 4
        deviations = np.sqrt(np.maximum(variances, 1e-12))
    doubts, wrong = ndtr(-apart / deviations), ndtr(-(apart + margin) / deviations)
    if top == 1:
        doubts[last], wrong[last] = 0.5, 0.0
    return 2 * doubts, min(float(wrong.sum()), 1.0)
