"""How workers answer: how often they are right, and who is not to be relied on.

Most answer as the crowd does, some say better for worse, and some have habits of their own
(`leanings.py`). Each answer is weighed by what its worker's others say: one answer must not vouch
for itself. How the crowd answers is learned from what the answers most likely should have been, or
are known to be.
"""

import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.ordinal_classes import factor_messages
from nextpair.selectors.inference.ordinal_classes.factor_messages import Many
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.inference.workers import confusion_matrices
from nextpair.selectors.inference.workers.worker_types import Leanings
from nextpair.selectors.state.bayesian_selector import Reliability

USUAL_ERROR = 0.15
"""The share of wrong answers that is expected of a worker nobody has heard of."""
PRIOR = 20.0
"""For how many answers that expectation counts."""
TRUST = 20.0
"""For how many answers it counts that who errs about ties is expected to err about differences."""
LEAST_MARGIN = 2.0
"""A crowd as a whole sees a difference the right way round at least this many times as often."""
SUSPICION = 0.1
"""How often others are expected to err, where many are suspected to reverse."""


class Weighed(NamedTuple):
    """What answers are worth.

    Parameters
    ----------
    types
        How likely the worker of each answer is of each type, without that answer.
    chances
        The chance of each answer, by type and relation.
    """

    types: Many
    chances: Many

    @property
    def likelihood(self) -> Many:
        """P(answer | relation) for each answer, one per column, relations as rows."""
        mixed: Many = self.types[0] * self.chances[0]
        mixed += self.types[1] * self.chances[1]
        mixed += self.types[2] * self.chances[2]
        return mixed


class Crowd:
    """What is known of all workers of a topic.

    Parameters
    ----------
    error
        The share of wrong answers that is expected of them beforehand.
    """

    def __init__(self, error: float = USUAL_ERROR) -> None:
        self.expected_error = error
        self._prior = PRIOR * np.array([1 - error, error])
        self._names: dict[str, int] = {}
        self._habits = confusion_matrices.expected(error)
        self._leanings = Leanings()
        self.plausibility = 0.0
        """How plausible such habits are, as a logarithm, less what answers say of their workers."""

    def twin(self) -> "Crowd":
        """Return a crowd that can learn other things than this one."""
        twin = copy.copy(self)
        twin._names = self._names.copy()
        twin._leanings = self._leanings.twin()
        return twin

    @property
    def size(self) -> int:
        """How many workers there are."""
        return len(self._names)

    def number(self, worker: str) -> int:
        """Return a worker's number; those not seen before get the next one."""
        return self._names.setdefault(worker, len(self._names))

    def anchor(self, worker: str, truth: int, answer: int) -> None:
        """Keep what someone answered whose answer was known; it is learned from with the rest."""
        self._leanings.anchors.add(self.number(worker), truth, answer)

    # -- telling --------------------------------------------------------------------------------

    @property
    def ordinary(self) -> Array:
        """How an ordinary worker answers: P(answer | relation), relation by row."""
        ordinary: Array = confusion_matrices.confusion(self._habits[None])[0]
        return ordinary

    @property
    def sees_ties(self) -> float:
        """How often an ordinary worker calls two documents of one class equal."""
        return float(self._habits[0])

    @property
    def reversals(self) -> float:
        """How often an ordinary worker sees a difference the wrong way round."""
        return float(self._habits[4])

    @property
    def reversing(self) -> NDArray[np.bool_]:
        """Who probably says better for worse, by number."""
        probably: NDArray[np.bool_] = (
            factor_messages.shares(self._leanings.of(self.size)[0])[1] > 0.5
        )
        return probably

    @property
    def mirrored(self) -> bool:
        """Whether more seem to reverse than not: then rather the order is upside down."""
        return self._leanings.upside_down > 0

    @property
    def upright(self) -> bool:
        """Whether the order is surely not upside down, as far as that can be told."""
        return self._leanings.upright

    def of(self, worker: str) -> Array:
        """Say how a worker answers: P(answer | relation), relation by row."""
        # Of who has not been seen is known what is known of the next one to come.
        number = self._names.get(worker, self.size)
        leaning, strange = self._leanings.of(self.size + 1)
        own: Array = self._mixed(leaning[:, number : number + 1], strange[number : number + 1])[0]
        return own

    def reliabilities(self, workers: NDArray[np.intp]) -> list[Reliability]:
        """Describe every worker.

        Parameters
        ----------
        workers
            Who gave each answer, by number.
        """
        answers = np.bincount(workers, minlength=self.size)
        return [
            Reliability(name, int(answers[number]), *confusion_matrices.worth(self.of(name)))
            for name, number in self._names.items()
        ]

    def _mixed(self, leaning: Array, strange: Array) -> Array:
        """Say how workers answer, whatever type they are of: by worker, relation and answer."""
        types = factor_messages.shares(leaning)[:, :, None, None]
        ordinary = self.ordinary
        mixed: Array = types[0] * ordinary + types[1] * ordinary[::-1]
        mixed += types[2] * confusion_matrices.confusion(strange)
        return mixed

    # -- weighing -------------------------------------------------------------------------------

    def likelihood(self, workers: NDArray[np.intp], answers: NDArray[np.intp]) -> Many:
        """Return P(answer | relation) for each new answer, one per column, relations as rows."""
        mixed = self._mixed(*self._leanings.of(self.size))
        by_relation = mixed.transpose(1, 0, 2).reshape(3, -1).astype(np.float32)
        chances: Many = by_relation[:, workers * 3 + answers]
        return chances

    def weigh(self, workers: NDArray[np.intp], answers: NDArray[np.intp]) -> Weighed:
        """Weigh all answers, each without what it says itself of its worker."""
        types = self._leanings.otherwise(workers, self.size)
        return Weighed(types, self._by_type(workers, answers))

    def _by_type(self, workers: NDArray[np.intp], answers: NDArray[np.intp]) -> Many:
        """Return the chance of each answer, by type and relation."""
        ordinary = self.ordinary.astype(np.float32)
        habits_of_strange = self._leanings.of(self.size)[1]
        strange = confusion_matrices.confusion(habits_of_strange).transpose(1, 0, 2).reshape(3, -1)
        return np.stack(
            [
                ordinary[:, answers],
                ordinary[::-1][:, answers],
                strange.astype(np.float32)[:, workers * 3 + answers],
            ]
        )

    # -- learning -------------------------------------------------------------------------------

    def learn(
        self,
        workers: NDArray[np.intp],
        answers: NDArray[np.intp],
        related: Many,
        weighed: Weighed | None = None,
    ) -> None:
        """Learn from all answers and from how likely each relation is otherwise, by row.

        Parameters
        ----------
        weighed
            The answers as they weigh now, where that is at hand.
        """
        weighed = weighed or self.weigh(workers, answers)
        joint = weighed.chances * related
        heard = joint.sum(axis=1)
        joint *= weighed.types[:, None]
        answered = (weighed.types * heard).sum(axis=0)
        joint /= answered
        self._take_in(workers, answers, heard, joint, answered)

    def learn_anew(
        self, workers: NDArray[np.intp], answers: NDArray[np.intp], related: Many
    ) -> None:
        """Learn where relations are likely as given, whatever was answered.

        How the crowd answers was learned from others.
        """
        heard = (self._by_type(workers, answers) * related).sum(axis=1)
        self._leanings.hear_anew(np.log(heard), workers, self.size, self.ordinary)
        types = self._leanings.otherwise(workers, self.size)
        joint = types[:, None] * related
        joint /= joint.sum(axis=(0, 1))
        self._take_in(workers, answers, heard, joint, (types * heard).sum(axis=0))

    def _take_in(
        self,
        workers: NDArray[np.intp],
        answers: NDArray[np.intp],
        heard: Many,
        joint: Many,
        answered: Many,
    ) -> None:
        """Learn from how likely answers are by type, and with which relation; and at all."""
        self._leanings.hear(np.log(heard))
        self._learn_habits(answers, joint)
        cells, truths = workers * 3 + answers, joint.sum(axis=0)
        by_answer: list[Array] = [
            np.bincount(cells, row, 3 * self.size).reshape(-1, 3).T.astype(np.float64)
            for row in truths
        ]
        self.plausibility += self._leanings.learn(workers, self.size, by_answer, self.ordinary)
        self.plausibility -= float(np.log(answered).sum(dtype=np.float64))

    def _learn_habits(self, answers: NDArray[np.intp], joint: Many) -> None:
        """Learn how the crowd answers, from those who do, and the other way round from the rest."""
        given = confusion_matrices.given(answers, joint[0]) + confusion_matrices.given(
            answers, joint[1, ::-1]
        )
        if self._leanings.anchors:
            types = factor_messages.shares(self._leanings.of(self.size)[0])
            counts = self._leanings.anchors.counts(self.size)
            given = given + np.tensordot(types[0], counts, axes=1)
            given += np.tensordot(types[1], counts[:, ::-1], axes=1)
        seen = confusion_matrices.tally(*given)
        right = seen[[0, 2]].sum() + self._prior[0]
        error = float(1 - right / (seen.sum() + PRIOR))
        expected = confusion_matrices.expected(error)
        differences = seen[2:] + TRUST * expected[2:]
        # The mirror image of an order explains the answers just as well, with a crowd that
        # reverses everything.
        differences[2] = min(differences[2], differences[0] / LEAST_MARGIN)
        # And two halves of one class look like two, with a crowd that misses most differences.
        differences[1] = min(differences[1], differences[0])
        ties = confusion_matrices.shares(seen[:2] + TRUST * expected[:2])
        self._habits = np.concatenate([ties, confusion_matrices.shares(differences)])
        self.plausibility = float(
            self._prior @ np.log([1 - error, error])
            + TRUST * (expected * np.log(self._habits / expected)).sum()
        )

    # -- other explanations ---------------------------------------------------------------------

    def mirror(self) -> None:
        """Take those who seemed to reverse for ordinary, and the ordinary for reversing."""
        self._leanings.mirror()

    def suspect(self) -> None:
        """Expect that some reverse what they are asked, rather than that all err often."""
        self._habits = confusion_matrices.expected(SUSPICION)
        self._leanings.suspect(self.ordinary)

    def anew(self, reversing: NDArray[np.bool_]) -> "Crowd":
        """Return the same workers, of whom nothing is known but who may reverse, by number."""
        crowd = Crowd(self.expected_error)
        crowd._names = self._names.copy()
        crowd._leanings = self._leanings.anew(reversing, crowd.ordinary)
        return crowd
