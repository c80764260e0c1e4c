"""The stopping rule of scores, and the importance of each document for it."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from nextpair.selectors.inference.gaussian_scores.posterior import ScorePosterior
from nextpair.selectors.inference.numerics import Z_90, Array

REFERENCES = 32
"""The number of documents, spread over the order, with which all others are compared."""
IMPORTANCE_EXPONENT = 1.5
"""The power of a document's uncertainty that is its importance."""


@dataclass(frozen=True, slots=True)
class ScoreStoppingRule:
    """When scores are certain enough.

    Parameters
    ----------
    risk
        The expected share of pairs in the wrong order; for the top, the probability that these are
        not the best documents.
    top
        Only this many of the best documents are looked for; 0 for the whole order.
    width
        The mean width of the 90 % intervals of scores, in place of the risk; 0 for none.
    """

    risk: float
    top: int = 0
    width: float = 0.0

    def status(self, posterior: ScorePosterior, margin: float) -> "ScoreStoppingStatus":
        """Return how far the posterior is from being certain enough.

        Parameters
        ----------
        margin
            A difference below which the order of two documents does not matter.
        """
        size = len(posterior.means)
        if 0 < self.top < size:
            importance, risk = _top(posterior, self.top, margin)
        else:
            importance, risk = _whole_order(posterior, margin)
            if self.width:
                # Every interval counts equally, wherever in the order it lies.
                importance = np.ones(size)
        width = float(2 * Z_90 * np.sqrt(posterior.variances).mean()) if size else 0.0
        is_met = width <= self.width if self.width else risk <= self.risk
        return ScoreStoppingStatus(importance, risk, width, is_met)


@dataclass(frozen=True, slots=True)
class ScoreStoppingStatus:
    """How far a posterior is from meeting the stopping rule.

    Parameters
    ----------
    importance
        How much the stopping rule depends on each document.
    risk
        The current risk.
    width
        The current mean width of the 90 % intervals of scores.
    is_met
        Whether nothing more has to be asked.
    """

    importance: Array
    risk: float
    width: float
    is_met: bool


def _whole_order(posterior: ScorePosterior, margin: float) -> tuple[Array, float]:
    """Return the importance of each document, and the expected share of pairs in the wrong order.

    Where documents are crowded an order has more to lose, and more than in proportion: an answer
    there is about an uncertain pair, and informative about other uncertain documents that were
    compared with the two.
    """
    size = len(posterior.means)
    count = min(size, REFERENCES)
    ranks = np.linspace(0, size - 1, count).round().astype(np.intp)
    references = np.argsort(posterior.means, kind="stable")[ranks]
    distances = np.abs(posterior.means[references][:, None] - posterior.means)
    deviations = np.sqrt(np.maximum(posterior.difference_variances(references), 1e-12))
    uncertainty = ndtr(-distances / deviations)
    diagonal = (np.arange(count), references)
    uncertainty[diagonal] = 0.0
    wrong = uncertainty
    if margin:
        wrong = ndtr(-(distances + margin) / deviations)
        wrong[diagonal] = 0.0
    others = np.full(size, count)
    others[references] -= 1
    importance = (uncertainty.sum(axis=0) / np.maximum(others, 1)) ** IMPORTANCE_EXPONENT
    importance = importance / max(float(importance.mean()), 1e-12)
    return importance, float(wrong.sum() / max(others.sum(), 1))


def _top(posterior: ScorePosterior, top: int, margin: float) -> tuple[Array, float]:
    """Return the importance of each document, and the probability that these are not the best.

    The importance is the probability of being on the wrong side of where the top ends.
    """
    means, order = posterior.means, np.argsort(-posterior.means, kind="stable")
    last, next_one = order[top - 1], order[top]
    if top == 1:
        distances = means[last] - means
        variances = posterior.difference_variances(np.array([last]))[0]
    else:
        distances, margin = np.abs(means - (means[last] + means[next_one]) / 2), margin / 2
        # Of a score and the middle of two others, from the variances of their differences.
        of_both = posterior.difference_variances(np.array([last, next_one]))
        variances = of_both.mean(axis=0) - of_both[0, next_one] / 4
    deviations = np.sqrt(np.maximum(variances, 1e-12))
    uncertainty, wrong = ndtr(-distances / deviations), ndtr(-(distances + margin) / deviations)
    if top == 1:
        uncertainty[last], wrong[last] = 0.5, 0.0
    return 2 * uncertainty, min(float(wrong.sum()), 1.0)
