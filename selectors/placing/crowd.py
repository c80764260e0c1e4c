"""How workers answer: how often they are right, and who is not to be relied on.

A worker is of one of three types: an ordinary one, who answers as the crowd does; one who does so
too, but says better for worse and worse for better; or a strange one, with habits of their own.
Which one is believed from all their answers, and each answer is weighed by what the worker's others
say: one answer must not vouch for itself. How the crowd answers is learned from what the answers
most likely should have been, or are known to be.
"""

import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.placing import habits, messages
from nextpair.selectors.placing.anchors import Anchors
from nextpair.selectors.placing.messages import Many
from nextpair.selectors.placing.places import Array
from nextpair.selectors.topic.believing import Reliability

PRIOR = np.array([17.0, 3.0])
"""Answers that everybody starts with: right, wrong."""
TRUST = 20.0
"""For how many answers it counts that who errs about ties is expected to err about differences."""
TYPES = np.array([19.0, 0.2, 1.0])
"""Workers that every crowd starts with: ordinary, reversing, strange."""
MOST_REVERSING = 0.4
"""More of a crowd never are, or right and wrong could not be told apart."""
LEAST_MARGIN = 2.0
"""A crowd as a whole sees a difference the right way round at least this many times as often."""
SUSPICION, SUSPECTED = 0.1, np.array([0.65, 0.3, 0.05])
"""How often others err, and how many are of each type, where many are suspected to reverse."""
DIVIDED, SIGNS = 0.05, (0.06, 0.05)
"""How surely the members of either camp are of their type to begin with; and how often differences
are seen the wrong way round, or how many seem to reverse, where a crowd may be of two camps."""
UPRIGHT = 40.0
"""How much likelier than its mirror image an order must be, as a logarithm, where some may reverse.

Far more than it seems to take: documents were placed to agree with the very answers that count."""
DAMPING = 0.5
"""How much of what an answer says of its worker is kept when it is said anew."""
NOTHING_KNOWN = np.array([1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3])


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
    """What is known of all workers of a topic."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._anchors = Anchors()
        self._ordinary = habits.expected(float(PRIOR[1] / PRIOR.sum()))
        self._types = np.log(TYPES / TYPES.sum())
        self._strange, self._unknown = np.zeros((0, 5)), np.zeros(0)
        self._leaning = np.zeros((3, 0))
        self._told: Many = np.zeros((3, 0), dtype=np.float32)
        self.plausibility = 0.0
        """How plausible such habits are, as a logarithm, less what answers say of their workers."""

    def twin(self) -> "Crowd":
        """Return a crowd that can learn other things than this one."""
        twin = copy.copy(self)
        twin._names = self._names.copy()
        twin._anchors = self._anchors.twin()
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
        self._anchors.add(self.number(worker), truth, answer)

    @property
    def ordinary(self) -> Array:
        """How an ordinary worker answers: P(answer | relation), relation by row."""
        ordinary: Array = habits.confusion(self._ordinary[None])[0]
        return ordinary

    def of(self, worker: str) -> Array:
        """Say how a worker answers: P(answer | relation), relation by row."""
        known = self._names.get(worker)
        leaning, strange = self._known_types()
        if known is None:
            leaning, strange, known = self._types[:, None], NOTHING_KNOWN[None], 0
        own: Array = self._mixed(leaning[:, known : known + 1], strange[known : known + 1])[0]
        return own

    def likelihood(self, workers: NDArray[np.intp], answers: NDArray[np.intp]) -> Many:
        """Return P(answer | relation) for each new answer, one per column, relations as rows."""
        mixed = self._mixed(*self._known_types())
        by_relation = mixed.transpose(1, 0, 2).reshape(3, -1).astype(np.float32)
        chances: Many = by_relation[:, workers * 3 + answers]
        return chances

    def weigh(self, workers: NDArray[np.intp], answers: NDArray[np.intp]) -> Weighed:
        """Weigh all answers, each without what it says itself of its worker."""
        return Weighed(self._otherwise(workers), self._by_type(workers, answers))

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
        self._tell(workers, answers, heard, joint, answered)

    def learn_anew(
        self, workers: NDArray[np.intp], answers: NDArray[np.intp], related: Many
    ) -> None:
        """Learn where relations are likely as given, whatever was answered.

        How the crowd answers was learned from others.
        """
        heard = (self._by_type(workers, answers) * related).sum(axis=1)
        told: Many = np.log(heard)
        self._told = told
        self._lean(workers)
        types = self._otherwise(workers)
        joint = types[:, None] * related
        joint /= joint.sum(axis=(0, 1))
        self._tell(workers, answers, heard, joint, (types * heard).sum(axis=0))

    def _tell(
        self,
        workers: NDArray[np.intp],
        answers: NDArray[np.intp],
        heard: Many,
        joint: Many,
        answered: Many,
    ) -> None:
        told: Many = np.log(heard)
        self._told = DAMPING * self._so_far(len(answers)) + (1 - DAMPING) * told
        self._learn_ordinary(answers, joint)
        self._learn_types(workers, answers, joint.sum(axis=0))
        self.plausibility -= float(np.log(answered).sum(dtype=np.float64))

    @property
    def mirrored(self) -> bool:
        """Whether more seem to reverse than not: then rather the order is upside down."""
        return self.upside_down > 0

    @property
    def upside_down(self) -> float:
        """How much likelier workers make the mirror image of the order, as a logarithm."""
        prior = np.log(TYPES / TYPES.sum())[:, None]
        leaning, known = self._leaning_by_order(), self._told_by_anchors(self._leaning.shape[1])
        turned = messages.log_sums(leaning[[1, 0, 2]] + known + prior)
        return float((turned - messages.log_sums(leaning + known + prior)).sum())

    @property
    def upright(self) -> bool:
        """Whether the order is surely not upside down, as far as that can be told."""
        types = messages.shares(self._leaning)
        # Once it is known who reverses, more answers change nothing.
        most = float((types[0] - types[1]).sum() * np.log(TYPES[0] / TYPES[1]))
        return not self.divided or -self.upside_down >= min(UPRIGHT, most / 2)

    def mirror(self) -> None:
        """Take those who seemed to reverse for ordinary, and the ordinary for reversing."""
        self._told = self._told[[1, 0, 2]]
        leaning = self._leaning_by_order()[[1, 0, 2]]
        self._types = np.log(TYPES / TYPES.sum())
        self._leaning = (
            leaning + self._told_by_anchors(self._leaning.shape[1]) + self._types[:, None]
        )

    def _leaning_by_order(self) -> Array:
        """Return what answers say of their workers that would be turned over with the order."""
        leaning: Array = (
            self._leaning - self._types[:, None] - self._told_by_anchors(self._leaning.shape[1])
        )
        return leaning

    @property
    def sees_ties(self) -> float:
        """How often an ordinary worker calls two documents of one class equal."""
        return float(self._ordinary[0])

    @property
    def reversals(self) -> float:
        """How often an ordinary worker sees a difference the wrong way round."""
        return float(self._ordinary[4])

    def suspect(self) -> None:
        """Expect that some reverse what they are asked, rather than that all err often."""
        self._ordinary = habits.expected(SUSPICION)
        self._types = np.log(SUSPECTED)
        self._told = np.zeros_like(self._told)
        self._leaning = self._told_by_anchors(self._leaning.shape[1]) + self._types[:, None]

    @property
    def divided(self) -> bool:
        """Whether there are signs that some reverse what they are asked."""
        often, many = SIGNS
        return self.reversals >= often or float(np.exp(self._types[1])) >= many

    def anew(self, reversing: NDArray[np.bool_]) -> "Crowd":
        """Return the same workers, of whom nothing is known but who may reverse, by number."""
        crowd = Crowd()
        crowd._names, crowd._anchors = self._names.copy(), self._anchors.twin()
        crowd._types = np.log(SUSPECTED)
        ordinary = np.log([1 - 2 * DIVIDED, DIVIDED, DIVIDED])
        told = crowd._told_by_anchors(len(reversing))
        crowd._leaning = told + np.where(reversing, ordinary[[1, 0, 2], None], ordinary[:, None])
        return crowd

    def reliabilities(self, workers: NDArray[np.intp]) -> list[Reliability]:
        """Describe every worker.

        Parameters
        ----------
        workers
            Who gave each answer, by number.
        """
        answers = np.bincount(workers, minlength=len(self._names))
        return [
            Reliability(name, int(answers[number]), *habits.worth(self.of(name)))
            for name, number in self._names.items()
        ]

    # -- learning -------------------------------------------------------------------------------

    def _learn_ordinary(self, answers: NDArray[np.intp], joint: Many) -> None:
        """Learn how the crowd answers, from those who do, and the other way round from the rest."""
        given = habits.given(answers, joint[0]) + habits.given(answers, joint[1, ::-1])
        if self._anchors:
            types = messages.shares(self._known_types()[0])
            counts = self._anchors.counts(len(self._names))
            given = given + np.tensordot(types[0], counts, axes=1)
            given += np.tensordot(types[1], counts[:, ::-1], axes=1)
        seen = habits.tally(*given)
        right = seen[[0, 2]].sum() + PRIOR[0]
        error = float(1 - right / (seen.sum() + PRIOR.sum()))
        expected = habits.expected(error)
        differences = seen[2:] + TRUST * expected[2:]
        # The mirror image of an order explains the answers just as well, with a crowd that
        # reverses everything.
        differences[2] = min(differences[2], differences[0] / LEAST_MARGIN)
        # And two halves of one class look like two, with a crowd that misses most differences.
        differences[1] = min(differences[1], differences[0])
        ties = habits.shares(seen[:2] + TRUST * expected[:2])
        self._ordinary = np.concatenate([ties, habits.shares(differences)])
        self.plausibility = float(
            PRIOR @ np.log([1 - error, error])
            + TRUST * (expected * np.log(self._ordinary / expected)).sum()
        )

    def _learn_types(
        self, workers: NDArray[np.intp], answers: NDArray[np.intp], truths: Many
    ) -> None:
        """Learn who is of which type, and how many are."""
        known, cells = len(self._names), workers * 3 + answers
        by_answer: list[Array] = [
            np.bincount(cells, row, 3 * known).reshape(known, 3).T.astype(np.float64)
            for row in truths
        ]
        if self._anchors:
            by_truth = self._anchors.counts(known).transpose(1, 2, 0)
            by_answer = [seen + asked for seen, asked in zip(by_answer, by_truth, strict=True)]
        self._strange, self._unknown = habits.any_habit(habits.tally(*by_answer))
        said = self._lean(workers)
        leaning = said + self._types[:, None]
        weights = messages.shares(leaning)
        of_types = habits.shares(weights.sum(axis=1) + TYPES)
        of_types[2] = TYPES[2] / TYPES.sum()
        of_types[1] = min(of_types[1], MOST_REVERSING)
        of_types[0] = 1 - of_types[1] - of_types[2]
        self._types = np.log(of_types)
        self._leaning = said + self._types[:, None]
        self.plausibility += float(messages.log_sums(self._leaning).sum() + TYPES @ self._types)

    def _lean(self, workers: NDArray[np.intp]) -> Array:
        """Add up what answers say of their workers' types."""
        known = len(self._names)
        said: Array = np.stack(
            [np.bincount(workers, row, known).astype(np.float64) for row in self._told]
        )
        said[2, : len(self._unknown)] += self._unknown
        said += self._told_by_anchors(known)
        self._leaning = said + self._types[:, None]
        return said

    def _told_by_anchors(self, known: int) -> Array:
        """Return what answers that were known say of the types of the first so many workers."""
        if not self._anchors:
            return np.zeros((3, known))
        strange = np.tile(NOTHING_KNOWN, (known, 1))
        strange[: len(self._strange)] = self._strange[:known]
        return self._anchors.told(self.ordinary, habits.confusion(strange))

    # -- telling --------------------------------------------------------------------------------

    def _known_types(self) -> tuple[Array, Array]:
        """Return how likely each worker is of each type, as logarithms, and strange habits."""
        known = len(self._names)
        leaning, strange = np.tile(self._types[:, None], known), np.tile(NOTHING_KNOWN, (known, 1))
        leaning[:, : self._leaning.shape[1]] = self._leaning
        strange[: len(self._strange)] = self._strange
        return leaning, strange

    def _mixed(self, leaning: Array, strange: Array) -> Array:
        """Say how workers answer, whatever type they are of: by worker, relation and answer."""
        types = messages.shares(leaning)[:, :, None, None]
        ordinary = self.ordinary
        mixed: Array = types[0] * ordinary + types[1] * ordinary[::-1]
        mixed += types[2] * habits.confusion(strange)
        return mixed

    def _otherwise(self, workers: NDArray[np.intp]) -> Many:
        leaning = self._known_types()[0].astype(np.float32)
        others: Many = leaning[:, workers] - self._so_far(len(workers))
        return messages.shares(others)

    def _so_far(self, count: int) -> Many:
        """Return what answers have told of their workers; new ones have told nothing."""
        told = np.zeros((3, count), dtype=np.float32)
        told[:, : self._told.shape[1]] = self._told
        return told

    def _by_type(self, workers: NDArray[np.intp], answers: NDArray[np.intp]) -> Many:
        """Return the chance of each answer, by type and relation."""
        ordinary = self.ordinary.astype(np.float32)
        strange = habits.confusion(self._known_types()[1]).transpose(1, 0, 2).reshape(3, -1)
        return np.stack(
            [
                ordinary[:, answers],
                ordinary[::-1][:, answers],
                strange.astype(np.float32)[:, workers * 3 + answers],
            ]
        )
