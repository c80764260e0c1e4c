"""Class splits: whether a class is really two, from the answers about pairs of its members.

Two classes that were taken for one explain their answers as a crowd that errs more. Then no
question about them seems informative, and the mistake would stay. So the answers within each class
are fitted by variational EM with a latent half for each member, and the evidence lower bound is
compared with that of a single class.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy

from nextpair.selectors.inference.comparisons import Comparisons
from nextpair.selectors.inference.numerics import Array, Indices

MIN_MEMBERS = 6
"""Classes with fewer members, or answers about two of them, are not split."""
EM_ROUNDS = 8
"""Rounds of variational EM."""
MIN_LOG_ODDS = 4.0
"""The prior log-odds of one class against two."""
TIE_PRIOR, DIFFERENCE_PRIOR = np.array([8.5, 0.75, 0.75]), np.array([8.5, 1.05, 0.45])
"""Dirichlet priors of the outcomes: of a pair in one half (tie, two winners), and of a pair in two
halves, seen from the better document (better, tie, worse)."""


@dataclass(frozen=True, slots=True)
class ClassSplit:
    """A division of a class in two.

    Parameters
    ----------
    upper
        The probability of each member for the upper half.
    gain
        The log-odds of two classes against one.
    """

    members: Indices
    upper: Array
    gain: float


def best_split(comparisons: Comparisons, members: Indices, size: int) -> ClassSplit | None:
    """Return the most likely division of a class, or None if there are too few answers.

    Parameters
    ----------
    size
        How many documents there are.
    """
    if len(members) < MIN_MEMBERS:
        return None
    inside = np.zeros(size, dtype=np.bool_)
    inside[members] = True
    within = inside[comparisons.first] & inside[comparisons.second]
    first, second, outcome = (
        column[within] for column in (comparisons.first, comparisons.second, comparisons.outcome)
    )
    if len(outcome) < MIN_MEMBERS:
        return None
    counts = np.bincount(outcome, minlength=3)
    wins = np.bincount(first, 1.0 - outcome, size) - np.bincount(second, 1.0 - outcome, size)
    upper = expit(wins)
    share = 0.5
    for _ in range(EM_ROUNDS):
        tie, difference = _m_step(first, second, outcome, upper)
        upper, log_likelihood = _e_step(first, second, outcome, upper, share, tie, difference)
        share = float(np.clip(upper[members].mean(), 0.01, 0.99))
    chosen = upper[members]
    divergence = xlogy(chosen, chosen / share) + xlogy(1 - chosen, (1 - chosen) / (1 - share))
    one_class = xlogy(counts, (counts + TIE_PRIOR) / (counts + TIE_PRIOR).sum()).sum()
    gain = float(log_likelihood - divergence.sum() - one_class - MIN_LOG_ODDS)
    return ClassSplit(members, chosen, gain)


def _m_step(first: Indices, second: Indices, outcome: Indices, upper: Array) -> tuple[Array, Array]:
    """Estimate the outcome probabilities of pairs in one half, and in two."""
    better, worse = upper[first] * (1 - upper[second]), (1 - upper[first]) * upper[second]
    tie = np.bincount(outcome, 1 - better - worse, 3) + TIE_PRIOR
    difference = np.bincount(outcome, better, 3) + np.bincount(2 - outcome, worse, 3)
    difference = difference + DIFFERENCE_PRIOR
    # The upper half is the better one: without this bound the mirror image would do as well, with
    # outcomes that are always reversed.
    difference[2] = min(difference[2], difference[0] / 2)
    return tie / tie.sum(), difference / difference.sum()


def _e_step(
    first: Indices,
    second: Indices,
    outcome: Indices,
    upper: Array,
    share: float,
    tie: Array,
    difference: Array,
) -> tuple[Array, float]:
    """Update the members' halves; return them with the log likelihood of the outcomes."""
    as_tie, as_better, as_worse = tie[outcome], difference[outcome], difference[2 - outcome]
    of_first, of_second = upper[first], upper[second]
    first_up = np.log(of_second * as_tie + (1 - of_second) * as_better)
    first_down = np.log(of_second * as_worse + (1 - of_second) * as_tie)
    second_up = np.log(of_first * as_tie + (1 - of_first) * as_worse)
    second_down = np.log(of_first * as_better + (1 - of_first) * as_tie)
    size = len(upper)
    log_odds = np.bincount(first, first_up - first_down, size)
    log_odds += np.bincount(second, second_up - second_down, size)
    updated: Array = expit(np.log(share / (1 - share)) + log_odds)
    of_first, of_second = updated[first], updated[second]
    likelihood = (
        (of_first * of_second + (1 - of_first) * (1 - of_second)) * as_tie
        + of_first * (1 - of_second) * as_better
        + (1 - of_first) * of_second * as_worse
    )
    return updated, float(np.log(likelihood).sum())
