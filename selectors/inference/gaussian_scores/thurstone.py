"""The likelihood of an outcome: Thurstone's model with a margin of ties.

With d the difference of two scores, in units of the standard deviation of a judge's impression of
it, and m the tie margin,

    P(better) = Phi(d - m)        P(worse) = Phi(-d - m)        P(tie) = 1 - P(better) - P(worse)

If d itself is only known to be N(mean, variance), the same holds of mean and m over
sqrt(1 + variance), so nothing here takes an integral. Probit and not logit for that reason; orders
recovered from answers of either kind are alike.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from nextpair.selectors.inference.numerics import Array, Indices

MIN_PROBABILITY = 1e-12
"""No outcome is less likely."""
_ROOT_TWO_PI = np.sqrt(2 * np.pi)


class OutcomeLikelihood(NamedTuple):
    """The probability of an outcome, and its first two derivatives by the mean difference."""

    probability: Array
    slope: Array
    curvature: Array

    def of(self, outcomes: Indices) -> "OutcomeLikelihood":
        """Return the likelihood of one outcome for each column."""
        columns = np.arange(len(outcomes))
        return OutcomeLikelihood(*(rows[outcomes, columns] for rows in self))

    def mixture(
        self, reversed_: "OutcomeLikelihood", weights: Array, random_probability: float
    ) -> "OutcomeLikelihood":
        """Return the likelihood of answers by the model, reversed, or at random.

        Parameters
        ----------
        reversed_
            The likelihood of the reversed outcomes.
        weights
            The probability of the three ways of answering, by row.
        random_probability
            The probability of the outcome if it is random.
        """
        return OutcomeLikelihood(
            weights[0] * self.probability
            + weights[1] * reversed_.probability
            + weights[2] * random_probability,
            weights[0] * self.slope + weights[1] * reversed_.slope,
            weights[0] * self.curvature + weights[1] * reversed_.curvature,
        )

    def log_derivatives(self) -> tuple[Array, Array]:
        """Return the first derivative of the log likelihood, and the second times -1."""
        slope = self.slope / self.probability
        return slope, slope * slope - self.curvature / self.probability


def outcome_likelihood(mean: Array, variance: Array, margin: float) -> OutcomeLikelihood:
    """Return the likelihood of better, tie and worse, a row each."""
    scale = np.sqrt(1 + variance)
    ahead, behind = (mean - margin) / scale, (-mean - margin) / scale
    at_better = np.exp(-ahead * ahead / 2) / (_ROOT_TWO_PI * scale)
    at_worse = np.exp(-behind * behind / 2) / (_ROOT_TWO_PI * scale)
    of_better, of_worse = -ahead * at_better / scale, -behind * at_worse / scale
    return OutcomeLikelihood(
        _probabilities(ahead, behind),
        np.stack([at_better, at_worse - at_better, -at_worse]),
        np.stack([of_better, -of_better - of_worse, of_worse]),
    )


def outcome_probabilities(mean: Array, variance: Array, margin: float) -> Array:
    """Return the same probabilities without their derivatives."""
    scale = np.sqrt(1 + variance)
    return _probabilities((mean - margin) / scale, (-mean - margin) / scale)


def _probabilities(ahead: Array, behind: Array) -> Array:
    better, worse = ndtr(ahead), ndtr(behind)
    return np.maximum(np.stack([better, 1 - better - worse, worse]), MIN_PROBABILITY)
