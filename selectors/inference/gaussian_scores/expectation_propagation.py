"""Scores fitted to all answers: expectation propagation, at first between single documents.

Every answer is a message to its two documents: a Gaussian factor on each score, made from what all
other answers say (TrueSkill's way; Minka's expectation propagation). A sweep takes as long as there
are answers. The margin of ties and the workers' kinds are learned along. Then, where documents are
few enough, the answers become factors on differences of scores and the same is done with the whole
covariance (`polishing.py`), which is exact where loops are not. How widely scores spread is given
while that is done, and found out from outside (`spreading.py`).

A fit starts from nothing: it is a function of the answers alone.
"""

import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.gaussian_scores.score_prior import Expecting
from nextpair.selectors.inference.gaussian_scores.thurstone import (
    TIE,
    WORSE,
    chances,
    plain_chances,
)
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.inference.workers.response_mixture import Crowd

MARGINS = 0.05 * 1.1 ** np.arange(45)
"""Margins of ties that are considered, from hardly any to such that nearly all answers are."""
USUAL_MARGIN, MARGIN_WIDTH = 0.3, 1.5
TRUSTING, SWEEPS = 8, 16
"""Sweeps in which all workers are alike, and of all: while nothing is known of the documents, who
is asked about close ones seems to guess, and all seem close."""
DAMPING = 0.3
"""How much of a message is kept when it is sent anew."""
LEAST_PRECISION = 1e-3


@dataclass(frozen=True, slots=True)
class Data:
    """Answers as flat arrays, and what is expected of the documents."""

    size: int
    firsts: NDArray[np.intp]
    seconds: NDArray[np.intp]
    answers: NDArray[np.intp]
    expecting: Expecting

    @property
    def ties(self) -> bool:
        """Whether anyone ever said that two are equal."""
        return bool((self.answers == TIE).any())

    @property
    def guess(self) -> float:
        """The chance of an answer given at random; a tie counts if anyone ever said it."""
        return 1 / 3 if self.ties else 1 / 2

    def add_up(self, of_firsts: Array, of_seconds: Array) -> Array:
        """Add up, by document, what answers say of both sides."""
        total = np.bincount(self.firsts, of_firsts, self.size)
        return np.asarray(total + np.bincount(self.seconds, of_seconds, self.size))


class Fit:
    """Where a fit stands: what is believed of documents, workers and ties, and what told it so.

    `precisions` and `shifts` are the answers as Gaussian factors on differences of scores.

    Parameters
    ----------
    spread
        How widely scores are taken to spread, as a deviation.
    """

    def __init__(self, data: Data, crowd: Crowd, spread: float) -> None:
        self.data, self.crowd, self.spread = data, crowd, spread
        self.ties = data.ties
        self.margin = USUAL_MARGIN if self.ties else 0.0
        self.expected = data.expecting.at_first()
        self.means = self.expected.copy()
        self.variances = np.full(data.size, spread**2)
        self.precisions = np.zeros(len(data.answers))
        self.shifts = np.zeros(len(data.answers))
        self._of_firsts, self._of_seconds = (np.zeros((2, len(data.answers))) for _ in range(2))
        self._trusting = False

    def twin(self) -> "Fit":
        """Return a fit that can go on otherwise than this one."""
        twin = copy.copy(self)
        twin.crowd = copy.copy(self.crowd)
        return twin

    def propagate(self) -> None:
        """Let answers tell their documents what they say, at first as if all workers were alike."""
        self._trusting = True
        self.sweep(TRUSTING)
        self._trusting = False
        self.sweep(SWEEPS - TRUSTING)

    def sweep(self, times: int) -> None:
        """Let answers tell their documents what they say, some times over."""
        for _ in range(times):
            self._tell()
        self._conclude()

    def _tell(self) -> None:
        self._conclude()
        one, other = self.otherwise()
        mean, variance = one[0] - other[0], one[1] + other[1]
        slope, curve = self.hear(mean, variance)
        curve = np.minimum(curve, 0.98 / variance)
        self.precisions, self.shifts = factor(mean, variance, slope, curve)
        if not self._trusting:
            self.expect()
        self._of_firsts = _damped(self._of_firsts, factor(*one, slope, curve))
        self._of_seconds = _damped(self._of_seconds, factor(*other, -slope, curve))

    def _conclude(self) -> None:
        firsts, seconds, held = self._of_firsts, self._of_seconds, 1 / self.spread**2
        precision = held + self.data.add_up(firsts[0], seconds[0])
        shift = held * self.expected + self.data.add_up(firsts[1], seconds[1])
        self.means, self.variances = shift / precision, 1 / precision

    @property
    def told(self) -> tuple[Array, Array]:
        """What each answer told its two documents, as precisions and shifts."""
        return self._of_firsts, self._of_seconds

    def otherwise(self) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Return means and variances of both documents without what each answer told them."""
        return (
            self._without(self.data.firsts, self._of_firsts),
            self._without(self.data.seconds, self._of_seconds),
        )

    def _without(self, documents: NDArray[np.intp], told: Array) -> tuple[Array, Array]:
        """Return means and variances of documents without what each answer told."""
        precision = 1 / self.variances[documents]
        left = np.maximum(precision - told[0], LEAST_PRECISION)
        return (self.means[documents] * precision - told[1]) / left, 1 / left

    def hear(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Return what answers say of differences of which so much is known otherwise."""
        answers, guess = self.data.answers, self.data.guess
        ways = self.crowd.ways()
        every = chances(mean, variance, self.margin)
        said, opposite = every.of(answers), every.of(WORSE - answers)
        if not self._trusting:
            self.crowd.learn(said, opposite, guess)
        if self.ties:
            self.margin = self._likeliest_margin(mean, variance, ways)
        slope, curve = said.mixed(opposite, ways, guess).steps()
        return slope, np.maximum(curve, 1e-6)

    def _likeliest_margin(self, mean: Array, variance: Array, ways: Array) -> float:
        """Move the margin to the likeliest of those near it."""
        answers, guess = self.data.answers, self.data.guess
        now = int(np.abs(MARGINS - self.margin).argmin())
        near = MARGINS[max(now - 2, 0) : now + 3]
        columns = np.arange(len(answers))

        def plausibility(margin: float) -> float:
            every = plain_chances(mean, variance, margin)
            said, opposite = every[answers, columns], every[WORSE - answers, columns]
            chance = ways[0] * said + ways[1] * opposite + ways[2] * guess
            doubt = np.log(margin / USUAL_MARGIN) / MARGIN_WIDTH
            return float(np.log(chance).sum() - doubt**2 / 2)

        return float(max(near.tolist(), key=plausibility))

    def expect(self) -> None:
        """Learn what is expected of documents."""
        if self.data.expecting.informed:
            known = 1 - np.minimum(self.variances / self.spread**2, 1.0)
            self.expected = self.data.expecting.after(self.means, known)


def _damped(told: Array, anew: tuple[Array, Array]) -> Array:
    return DAMPING * told + (1 - DAMPING) * np.stack(anew)


def factor(mean: Array, variance: Array, slope: Array, curve: Array) -> tuple[Array, Array]:
    """Return the Gaussian factor, as precision and shift, that an answer comes to.

    Parameters
    ----------
    mean, variance
        What was known without it.
    """
    left = 1 - variance * curve
    precision = curve / left
    shift: Array = (mean + variance * slope) / (variance * left) - mean / variance
    return precision, shift
