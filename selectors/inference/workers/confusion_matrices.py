"""Habits: how often a worker gives which answer, as five numbers.

Given a tie: how often they say tie, or name a winner. Given a difference: how often they see it,
say tie, or see it the wrong way round.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from nextpair.selectors.inference.ordinal_classes.places import Array

MISSED = 0.7
"""How many of wrong answers to differences are expected to be ties; the others are reversed."""


HABIT = np.array([[2, 3, 4], [1, 0, 1], [4, 3, 2]])
"""Which habit each answer, by column, to each relation, by row, is a case of."""
EITHER_WAY = np.array([1, 0.5, 1, 1, 1])
"""Who names a winner of a tie names one as often as the other."""


def expected(error: float) -> Array:
    """Say how someone is expected to answer who errs so often."""
    return np.array([1 - error, error, 1 - error, MISSED * error, (1 - MISSED) * error])


def shares(counts: Array) -> Array:
    """Return each of some counts as a share of their sum."""
    found: Array = counts / counts.sum(axis=-1, keepdims=True)
    return found


def tally(better: Array, tie: Array, worse: Array) -> Array:
    """Count habits from how often each answer was given to each relation, answers as rows."""
    counts: Array = np.stack(
        [
            tie[1],
            tie[0] + tie[2],
            better[0] + worse[2],
            better[1] + worse[1],
            better[2] + worse[0],
        ],
        axis=-1,
    )
    return counts


def any_habit(seen: Array) -> tuple[Array, Array]:
    """Describe workers who may have any habits: those to be expected, and how likely they make it.

    Parameters
    ----------
    seen
        What each worker was seen to do, as counts.

    Returns
    -------
    tuple
        Habits by worker; and the log chance of what was seen from someone of whom nothing is known
        beforehand, less that from someone known to have these habits.
    """
    habits: Array = np.concatenate([shares(seen[:, :2] + 1), shares(seen[:, 2:] + 1)], axis=1)
    chance = _evidence(seen[:, :2]) + _evidence(seen[:, 2:])
    return habits, chance - (seen * np.log(habits)).sum(axis=1)


def _evidence(counts: Array) -> Array:
    kinds = counts.shape[1]
    chances: Array = gammaln(counts + 1).sum(axis=1) - gammaln(counts.sum(axis=1) + kinds)
    return chances + gammaln(kinds)


def confusion(habits: Array) -> Array:
    """Spell habits out as P(answer | relation), by worker, relation and answer."""
    spelt: Array = (habits * EITHER_WAY)[:, HABIT]
    return spelt


def worth(chances: Array) -> tuple[float, float]:
    """Return the share of right answers and the information, were all relations equally likely."""
    answers = chances.mean(axis=0)
    noise = -(chances * np.log(chances)).sum() / 3
    information = (-(answers * np.log(answers)).sum() - noise) / np.log(3)
    return float(np.trace(chances) / 3), float(max(information, 0.0))


def given(answers: NDArray[np.intp], weights: NDArray[np.float32]) -> Array:
    """Add up weights by row and by what was answered."""
    return np.stack([np.bincount(answers, row, 3) for row in weights])
