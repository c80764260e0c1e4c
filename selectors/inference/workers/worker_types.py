"""Leanings: of which type each worker seems to be.

A worker is of one of three types: an ordinary one, who answers as the crowd does; one who does so
too, but says better for worse and worse for better; or a strange one, with habits of their own.
Every answer says something of its worker, and is weighed by what their other answers say. The
mirror image of an order explains all answers as well, if who seemed to reverse does not and the
others do: which of the two is right, only leanings and known answers can tell.
"""

import copy

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.ordinal_classes import factor_messages
from nextpair.selectors.inference.ordinal_classes.factor_messages import Many
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.inference.workers import confusion_matrices
from nextpair.selectors.inference.workers.gold_responses import Anchors

TYPES = np.array([19.0, 0.2, 1.0])
"""Workers that every crowd starts with: ordinary, reversing, strange."""
MOST_REVERSING = 0.4
"""More of a crowd never are, or right and wrong could not be told apart."""
SUSPECTED = np.array([0.65, 0.3, 0.05])
"""How many are of each type, where many are suspected to reverse."""
DIVIDED = 0.05
"""How surely the members of either camp are of their type to begin with."""
UPRIGHT = 40.0
"""How much likelier than its mirror image an order must be, as a logarithm, where some may reverse.

Far more than it seems to take: documents were placed to agree with the very answers that count."""
DAMPING = 0.5
"""How much of what an answer says of its worker is kept when it is said anew."""
NOTHING_KNOWN = np.array([1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3])
_USUAL = np.log(TYPES / TYPES.sum())


class Leanings:
    """What is believed of the types of workers, by number: logarithms, types as rows."""

    def __init__(self) -> None:
        self.anchors = Anchors()
        self.shares = _USUAL
        """How many workers are of each type."""
        self._strange, self._unknown = np.zeros((0, 5)), np.zeros(0)
        self._leaning = self._anchored = np.zeros((3, 0))
        self._told: Many = np.zeros((3, 0), dtype=np.float32)

    def twin(self) -> "Leanings":
        """Return leanings that can change without changing these."""
        # Arrays are replaced when they change, never written to.
        twin = copy.copy(self)
        twin.anchors = self.anchors.twin()
        return twin

    def anew(self, reversing: NDArray[np.bool_], ordinary: Array) -> "Leanings":
        """Return those of the same workers if nothing is known but who may reverse.

        Parameters
        ----------
        ordinary
            P(answer | relation) of an ordinary worker, relation by row.
        """
        other = Leanings()
        other.anchors = self.anchors.twin()
        other.shares = np.log(SUSPECTED)
        camp = np.log([1 - 2 * DIVIDED, DIVIDED, DIVIDED])
        other._anchored = other._told_by_anchors(len(reversing), ordinary)
        other._leaning = other._anchored + np.where(reversing, camp[[1, 0, 2], None], camp[:, None])
        return other

    # -- telling --------------------------------------------------------------------------------

    def of(self, workers: int) -> tuple[Array, Array]:
        """Return the leanings of the first so many workers, and habits, were they strange."""
        leaning = np.tile(self.shares[:, None], workers)
        strange = np.tile(NOTHING_KNOWN, (workers, 1))
        leaning[:, : self._leaning.shape[1]] = self._leaning
        strange[: len(self._strange)] = self._strange
        return leaning, strange

    def otherwise(self, workers: NDArray[np.intp], known: int) -> Many:
        """Say how likely the worker of each answer is of each type, without that answer.

        Parameters
        ----------
        known
            How many workers there are.
        """
        leaning = self.of(known)[0].astype(np.float32)
        others: Many = leaning[:, workers] - self._so_far(len(workers))
        return factor_messages.shares(others)

    def _so_far(self, count: int) -> Many:
        """Return what answers have told of their workers; new ones have told nothing."""
        told = np.zeros((3, count), dtype=np.float32)
        told[:, : self._told.shape[1]] = self._told
        return told

    @property
    def upside_down(self) -> float:
        """How much likelier workers make the mirror image of the order, as a logarithm."""
        by_order, apart = self._by_order(), self._anchored + _USUAL[:, None]
        turned = factor_messages.log_sums(by_order[[1, 0, 2]] + apart)
        return float((turned - factor_messages.log_sums(by_order + apart)).sum())

    @property
    def upright(self) -> bool:
        """Whether the order is surely not upside down, as far as that can be told."""
        types = factor_messages.shares(self._leaning)
        # Once it is known who reverses, more answers change nothing.
        most = float((types[0] - types[1]).sum() * (_USUAL[0] - _USUAL[1]))
        return -self.upside_down >= min(UPRIGHT, most / 2)

    def _by_order(self) -> Array:
        """Return what answers say of their workers that would be turned over with the order."""
        leaning: Array = self._leaning - self.shares[:, None] - self._anchored
        return leaning

    # -- learning -------------------------------------------------------------------------------

    def hear(self, told: Many) -> None:
        """Take in what all answers say of their workers' types; it moves half way only."""
        self._told = DAMPING * self._so_far(told.shape[1]) + (1 - DAMPING) * told

    def hear_anew(self, told: Many, workers: NDArray[np.intp], known: int, usual: Array) -> None:
        """Believe nothing but what answers say now."""
        self._told = told
        self._lean(workers, known, usual)

    def learn(
        self, workers: NDArray[np.intp], known: int, by_answer: list[Array], ordinary: Array
    ) -> float:
        """Learn who is of which type, and how many are; return how plausible that is, as a log.

        Parameters
        ----------
        by_answer
            For each relation how often each answer was given to it, answers as rows, by worker.
        """
        if self.anchors:
            by_truth = self.anchors.counts(known).transpose(1, 2, 0)
            by_answer = [seen + asked for seen, asked in zip(by_answer, by_truth, strict=True)]
        self._strange, self._unknown = confusion_matrices.any_habit(
            confusion_matrices.tally(*by_answer)
        )
        said = self._lean(workers, known, ordinary)
        weights = factor_messages.shares(self._leaning)
        of_types = confusion_matrices.shares(weights.sum(axis=1) + TYPES)
        of_types[2] = TYPES[2] / TYPES.sum()
        of_types[1] = min(of_types[1], MOST_REVERSING)
        of_types[0] = 1 - of_types[1] - of_types[2]
        self.shares = np.log(of_types)
        self._leaning = said + self.shares[:, None]
        return float(factor_messages.log_sums(self._leaning).sum() + TYPES @ self.shares)

    def _lean(self, workers: NDArray[np.intp], known: int, ordinary: Array) -> Array:
        """Add up what answers say of their workers' types."""
        said: Array = np.stack(
            [np.bincount(workers, row, known).astype(np.float64) for row in self._told]
        )
        said[2, : len(self._unknown)] += self._unknown
        self._anchored = self._told_by_anchors(known, ordinary)
        said += self._anchored
        self._leaning = said + self.shares[:, None]
        return said

    def _told_by_anchors(self, known: int, ordinary: Array) -> Array:
        """Return what answers that were known say of the types of the first so many workers."""
        if not self.anchors:
            return np.zeros((3, known))
        strange = self.of(known)[1][:known]
        return self.anchors.told(ordinary, confusion_matrices.confusion(strange))

    # -- turning over ---------------------------------------------------------------------------

    def mirror(self) -> None:
        """Take those who seemed to reverse for ordinary, and the ordinary for reversing."""
        self._told = self._told[[1, 0, 2]]
        by_order = self._by_order()[[1, 0, 2]]
        self.shares = _USUAL
        self._leaning = by_order + self._anchored + self.shares[:, None]

    def suspect(self, ordinary: Array) -> None:
        """Expect that many reverse what they are asked, and forget what answers said."""
        self.shares = np.log(SUSPECTED)
        self._told = np.zeros_like(self._told)
        self._anchored = self._told_by_anchors(self._leaning.shape[1], ordinary)
        self._leaning = self._anchored + self.shares[:, None]
