"""How likely an answer is: Thurstone's model with a margin within which two seem equal.

With d the difference of two scores, in units of how much a judge's impression of it varies,

    P(better) = Phi(d - m)        P(worse) = Phi(-d - m)        P(tie) = 1 - P(better) - P(worse)

If d itself is only known to be N(mean, variance), the same holds of mean and m over
sqrt(1 + variance), so nothing here takes an integral. Probit and not logit for that reason; orders
recovered from answers of either kind are alike.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from nextpair.selectors.inference.ordinal_classes.places import Array

BETTER, TIE, WORSE = 0, 1, 2
"""Answers about a first document and a second; two minus an answer is its opposite."""
LEAST = 1e-12
_ROOT = np.sqrt(2 * np.pi)


class Chances(NamedTuple):
    """The chance of an answer, and its first two derivatives by the mean of the difference."""

    chance: Array
    slope: Array
    curve: Array

    def of(self, answers: NDArray[np.intp]) -> "Chances":
        """Pick one answer's from each column."""
        columns = np.arange(len(answers))
        return Chances(*(rows[answers, columns] for rows in self))

    def mixed(self, other: "Chances", ways: Array, guess: float) -> "Chances":
        """Mix the chances of answers by the model, of their opposites, and of a guess."""
        return Chances(
            ways[0] * self.chance + ways[1] * other.chance + ways[2] * guess,
            ways[0] * self.slope + ways[1] * other.slope,
            ways[0] * self.curve + ways[1] * other.curve,
        )

    def steps(self) -> tuple[Array, Array]:
        """Return the derivatives of the log chance, the second with its sign turned."""
        slope = self.slope / self.chance
        return slope, slope * slope - self.curve / self.chance


def chances(mean: Array, variance: Array, margin: float) -> Chances:
    """Return the chances of better, tie and worse, a row each."""
    scale = np.sqrt(1 + variance)
    ahead, behind = (mean - margin) / scale, (-mean - margin) / scale
    at_better = np.exp(-ahead * ahead / 2) / (_ROOT * scale)
    at_worse = np.exp(-behind * behind / 2) / (_ROOT * scale)
    bend, bow = -ahead * at_better / scale, -behind * at_worse / scale
    return Chances(
        _answers(ahead, behind),
        np.stack([at_better, at_worse - at_better, -at_worse]),
        np.stack([bend, -bend - bow, bow]),
    )


def plain_chances(mean: Array, variance: Array, margin: float) -> Array:
    """Return the same chances without their derivatives, for who only compares them."""
    scale = np.sqrt(1 + variance)
    return _answers((mean - margin) / scale, (-mean - margin) / scale)


def _answers(ahead: Array, behind: Array) -> Array:
    better, worse = ndtr(ahead), ndtr(behind)
    return np.maximum(np.stack([better, 1 - better - worse, worse]), LEAST)
