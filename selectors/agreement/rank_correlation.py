"""Rank correlation of two scores of the same documents.

Agree / disagree / unknown are yang-2018's: of all pairs of documents, those that both scores order
alike (concordant), those that they order oppositely (discordant), and those tied in at least one.
Pairwise agreement is roitero-2018's (section 4.2.1), which is not symmetric: the share of all pairs
that the baseline orders and the other score orders the same way. Tau-b is SciPy's, AUC is
scikit-learn's.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nextpair.selectors.aggregation.responses import FloatArray, check_same_length, read_numbers
from nextpair.selectors.errors import BadInput


@dataclass(frozen=True, slots=True)
class Concordance:
    """Pairs of documents that two scores order alike, oppositely, or not both."""

    agree: int
    disagree: int
    unknown: int

    @property
    def pairs(self) -> int:
        """The number of all pairs."""
        return self.agree + self.disagree + self.unknown

    @property
    def shares(self) -> tuple[float, float, float]:
        """The three counts as shares of all pairs; NaN if there are none."""
        if not self.pairs:
            return (np.nan, np.nan, np.nan)
        return (self.agree / self.pairs, self.disagree / self.pairs, self.unknown / self.pairs)

    def __add__(self, other: "Concordance") -> "Concordance":
        """Add up the pairs of two topics."""
        return Concordance(
            self.agree + other.agree,
            self.disagree + other.disagree,
            self.unknown + other.unknown,
        )


def concordance(first: ArrayLike, second: ArrayLike) -> Concordance:
    """Count the concordant and discordant pairs of two scores.

    >>> concordance([3, 2, 1], [3, 1, 1])
    Concordance(agree=2, disagree=0, unknown=1)
    """
    left, right = _read_both(first, second)
    agree = disagree = 0
    # One document at a time: all pairs at once take quadratic memory.
    for place in range(1, len(left)):
        sign = np.sign(left[:place] - left[place]) * np.sign(right[:place] - right[place])
        agree += int((sign > 0).sum())
        disagree += int((sign < 0).sum())
    pairs = len(left) * (len(left) - 1) // 2
    return Concordance(agree, disagree, pairs - agree - disagree)


def pairwise_agreement(
    baseline: ArrayLike, other: ArrayLike, *, only_ordered: bool = False
) -> float:
    """Return the share of pairs that the baseline orders and the other score orders alike.

    Parameters
    ----------
    only_ordered
        Divide by the pairs that the baseline orders instead of by all: a baseline of two grades
        leaves most pairs tied, so the paper's figure cannot come near 1.
    """
    base, _ = _read_both(baseline, other)
    counts = concordance(baseline, other)
    ordered = concordance(base, base).agree
    pairs = ordered if only_ordered else counts.pairs
    return counts.agree / pairs if pairs else np.nan


def tau_b(first: ArrayLike, second: ArrayLike) -> float:
    """Return Kendall's tau-b; NaN if one of the two scores is constant."""
    left, right = _read_both(first, second)
    if len(set(left)) < 2 or len(set(right)) < 2:
        return np.nan
    from nextpair.selectors.deferred.measures import kendalltau

    return float(kendalltau(left, right).statistic)


def auc(relevant: ArrayLike, scores: ArrayLike) -> float:
    """Return the area under the ROC curve: the probability that a relevant document scores higher.

    NaN if all documents are relevant, or none is.
    """
    truth, scored = _read_both(relevant, scores)
    if not np.isin(truth, (0, 1)).all():
        raise BadInput("relevant must be 0 or 1")
    if len(set(truth)) < 2:
        return np.nan
    from nextpair.selectors.deferred.learners import roc_auc_score

    return float(roc_auc_score(truth, scored))


def _read_both(first: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
    left, right = read_numbers(first, "scores"), read_numbers(second, "scores")
    check_same_length(left, right)
    return left, right
