"""How far two sets of judgments put the same documents in the same order.

Agree / disagree / unknown is yang-2018's: of all pairs of documents, those both sets order alike,
those they order oppositely, and those at least one of them leaves tied. Pairwise agreement is
roitero-2018's (section 4.2.1), which is not symmetric: the share of all pairs that the baseline
orders and the other set orders the same way. Tau-b is SciPy's, AUC is scikit-learn's.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nextpair.selectors.aggregation.responses import Numbers, numbers, same_length
from nextpair.selectors.errors import BadInput


@dataclass(frozen=True, slots=True)
class Concordance:
    """How many pairs of documents two sets of judgments order alike, oppositely, or not both."""

    agree: int
    disagree: int
    unknown: int

    @property
    def pairs(self) -> int:
        """All pairs."""
        return self.agree + self.disagree + self.unknown

    @property
    def shares(self) -> tuple[float, float, float]:
        """The three as shares of all pairs; NaN if there are none."""
        if not self.pairs:
            return (np.nan, np.nan, np.nan)
        return (self.agree / self.pairs, self.disagree / self.pairs, self.unknown / self.pairs)

    def __add__(self, other: "Concordance") -> "Concordance":
        """Put the pairs of two topics together."""
        return Concordance(
            self.agree + other.agree,
            self.disagree + other.disagree,
            self.unknown + other.unknown,
        )


def concordance(one: ArrayLike, other: ArrayLike) -> Concordance:
    """Compare two scores of the same documents, pair by pair.

    >>> concordance([3, 2, 1], [3, 1, 1])
    Concordance(agree=2, disagree=0, unknown=1)
    """
    first, second = _both(one, other)
    agree = disagree = 0
    # A document at a time: all pairs at once would take the square of the memory.
    for place in range(1, len(first)):
        same = np.sign(first[:place] - first[place]) * np.sign(second[:place] - second[place])
        agree += int((same > 0).sum())
        disagree += int((same < 0).sum())
    pairs = len(first) * (len(first) - 1) // 2
    return Concordance(agree, disagree, pairs - agree - disagree)


def pairwise_agreement(
    baseline: ArrayLike, other: ArrayLike, *, only_ordered: bool = False
) -> float:
    """Return the share of pairs that the baseline orders and the other orders the same way.

    Parameters
    ----------
    only_ordered
        Divide by the pairs the baseline orders instead of by all: a baseline of two grades leaves
        most pairs tied, and the paper's figure can then never come near 1.
    """
    base, _ = _both(baseline, other)
    found = concordance(baseline, other)
    of_base = concordance(base, base)
    pairs = of_base.agree if only_ordered else found.pairs
    return found.agree / pairs if pairs else np.nan


def tau_b(one: ArrayLike, other: ArrayLike) -> float:
    """Return Kendall's tau-b; NaN where one of the two orders nothing."""
    first, second = _both(one, other)
    if len(set(first)) < 2 or len(set(second)) < 2:
        return np.nan
    from nextpair.selectors.deferred.measures import kendalltau

    return float(kendalltau(first, second).statistic)


def auc(relevant: ArrayLike, scores: ArrayLike) -> float:
    """Return the chance that a relevant document is scored above one that is not.

    NaN where all documents are relevant, or none is.
    """
    truth, scored = _both(relevant, scores)
    if not np.isin(truth, (0, 1)).all():
        raise BadInput("relevant must be 0 or 1")
    if len(set(truth)) < 2:
        return np.nan
    from nextpair.selectors.deferred.learners import roc_auc_score

    return float(roc_auc_score(truth, scored))


def _both(one: ArrayLike, other: ArrayLike) -> tuple[Numbers, Numbers]:
    first, second = numbers(one, "scores"), numbers(other, "scores")
    same_length(first, second)
    return first, second
