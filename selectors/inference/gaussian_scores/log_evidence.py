"""How likely all answers are together, if a fit is right (Bethe's approximation).

The chance of every answer given what all others say; less what its messages come to against what
they met, which would be counted twice; plus what all messages come to where they meet, at the
scores and at the workers. With m the messages, that is

    sum log Z(answer) - sum log Z(m, others) + log Z(all m)
"""

import numpy as np

from nextpair.selectors.inference.gaussian_scores.dense_propagation import otherwise
from nextpair.selectors.inference.gaussian_scores.expectation_propagation import Fit
from nextpair.selectors.inference.gaussian_scores.thurstone import WORSE, chances
from nextpair.selectors.inference.ordinal_classes.places import Array


def evidence(fit: Fit, covariance: Array | None) -> float:
    """Return the log evidence of a fit.

    Parameters
    ----------
    covariance
        Of the fit, if answers are factors on differences; None where they tell single documents.
    """
    scores = _one_by_one(fit) if covariance is None else _together(fit, covariance)
    return scores + fit.crowd.evidence()


def _together(fit: Fit, covariance: Array) -> float:
    mean, variance = otherwise(fit, covariance)
    held, expected, data = 1 / fit.spread**2, fit.expected, fit.data
    pull = held * expected + data.add_up(fit.shifts, -fit.shifts)
    volume = np.linalg.slogdet(covariance)[1] - 2 * data.size * np.log(fit.spread)
    met = (volume + pull @ fit.means - held * expected @ expected) / 2
    twice = meeting(mean, variance, fit.precisions, fit.shifts).sum()
    return float(_said(fit, mean, variance) - twice + met)


def _one_by_one(fit: Fit) -> float:
    one, other = fit.otherwise()
    data, (of_firsts, of_seconds) = fit.data, fit.told
    twice = meeting(*one, *of_firsts).sum() + meeting(*other, *of_seconds).sum()
    spread = np.full(data.size, fit.spread**2)
    met = meeting(fit.expected, spread, *map(data.add_up, of_firsts, of_seconds)).sum()
    return float(_said(fit, one[0] - other[0], one[1] + other[1]) - twice + met)


def _said(fit: Fit, mean: Array, variance: Array) -> float:
    """Return the sum of the log chances of answers, each given all others."""
    every, answers = chances(mean, variance, fit.margin), fit.data.answers
    said, opposite = every.of(answers), every.of(WORSE - answers)
    return float(np.log(said.mixed(opposite, fit.crowd.ways(), fit.data.guess).chance).sum())


def meeting(mean: Array, variance: Array, precision: Array, shift: Array) -> Array:
    """Return the log of the integral of N(x; mean, variance) exp(shift x - precision x^2 / 2)."""
    after = (mean / variance + shift) ** 2 / (1 / variance + precision)
    total: Array = (after - mean**2 / variance - np.log1p(precision * variance)) / 2
    return total
