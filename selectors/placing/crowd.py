"""How workers answer: how often they are right, and who is not to be relied on.

A worker is described by five numbers: given a tie, how often they say tie or name a winner; given
a difference, how often they see it, say tie, or see it the wrong way round. They are learned
from what the answers most likely should have been. A worker is taken for an ordinary one, who
answers as the crowd does, until their answers are better explained by habits of their own.
"""

import copy

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln

from nextpair.selectors.placing.messages import Many
from nextpair.selectors.placing.places import Array
from nextpair.selectors.topic.believing import Reliability

PRIOR = np.array([17.0, 3.0])
"""Answers that everybody starts with: right, wrong."""
TRUST = 20.0
"""For how many answers it counts that who errs about ties is expected to err about differences."""
MISSED = 0.7
"""How many of wrong answers to differences are expected to be ties; the others are reversed."""
ORDINARY = 0.95
"""How likely a worker is an ordinary one, before their answers are looked at."""
LEAST_MARGIN = 2.0
"""A crowd as a whole sees a difference the right way round at least this many times as often."""


class Crowd:
    """What is known of all workers of a topic."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        expected = _expected(float(PRIOR[1] / PRIOR.sum()))
        self._ties, self._differences = expected[:2], expected[2:]
        self._own = np.zeros((0, 5))
        self.plausibility = 0.0
        """How plausible such habits are, as a logarithm: few workers have any of their own."""

    def twin(self) -> "Crowd":
        """Return a crowd that can learn other things than this one."""
        twin = copy.copy(self)
        twin._names = self._names.copy()
        return twin

    def number(self, worker: str) -> int:
        """Return a worker's number; those not seen before get the next one."""
        return self._names.setdefault(worker, len(self._names))

    @property
    def ordinary(self) -> Array:
        """How an ordinary worker answers: P(answer | relation), relation by row."""
        ordinary: Array = _confusion(np.concatenate([self._ties, self._differences])[None])[0]
        return ordinary

    def of(self, worker: str) -> Array:
        """Say how a worker answers: P(answer | relation), relation by row."""
        known = self._names.get(worker)
        if known is None or known >= len(self._own):
            return self.ordinary
        own: Array = _confusion(self._own[known : known + 1])[0]
        return own

    def likelihood(self, workers: NDArray[np.intp], answers: NDArray[np.intp]) -> Many:
        """Return P(answer | relation) for each answer, one per column, relations as rows."""
        known = len(self._names)
        habits = np.empty((known, 5))
        habits[:] = np.concatenate([self._ties, self._differences])
        habits[: len(self._own)] = self._own
        by_relation = _confusion(habits).transpose(1, 0, 2).reshape(3, -1).astype(np.float32)
        chances: Many = by_relation[:, workers * 3 + answers]
        return chances

    def learn(self, workers: NDArray[np.intp], answers: NDArray[np.intp], truths: Many) -> None:
        """Learn from answers and from how likely each relation was the true one, by row."""
        known, cells = len(self._names), workers * 3 + answers
        better, tie, worse = (
            np.bincount(cells, row, minlength=3 * known).reshape(known, 3).T for row in truths
        )
        own: Array = np.stack(
            [
                tie[1],
                tie[0] + tie[2],
                better[0] + worse[2],
                better[1] + worse[1],
                better[2] + worse[0],
            ],
            axis=1,
        )
        total = own.sum(axis=0)
        right = total[[0, 2]].sum() + PRIOR[0]
        error = float(1 - right / (total.sum() + PRIOR.sum()))
        expected = _expected(error)
        self._ties = _shares(total[:2] + TRUST * expected[:2])
        differences = total[2:] + TRUST * expected[2:]
        # The mirror image of an order explains the answers just as well, with a crowd that
        # reverses everything.
        differences[2] = min(differences[2], differences[0] / LEAST_MARGIN)
        # And two halves of one class look like two, with a crowd that misses most differences.
        differences[1] = min(differences[1], differences[0])
        self._differences = _shares(differences)
        ordinary = np.concatenate([self._ties, self._differences])
        self.plausibility = float(
            PRIOR @ np.log([1 - error, error])
            + TRUST * (expected * np.log(ordinary / expected)).sum()
        )
        self._own = self._habits(own)

    def _habits(self, seen: Array) -> Array:
        """Say how each worker answers: as the crowd does, unless their answers speak against it."""
        ordinary = np.concatenate([self._ties, self._differences])
        strange = np.concatenate([_shares(seen[:, :2] + 1), _shares(seen[:, 2:] + 1)], axis=1)
        for_strange = _evidence(seen[:, :2]) + _evidence(seen[:, 2:])
        odds = np.log(ORDINARY / (1 - ORDINARY)) + seen @ np.log(ordinary) - for_strange
        share = expit(odds)[:, None]
        habits: Array = share * ordinary + (1 - share) * strange
        explained = for_strange + np.log(1 - ORDINARY) + np.logaddexp(0, odds)
        self.plausibility += float((explained - (seen * np.log(habits)).sum(axis=1)).sum())
        return habits

    def reliabilities(self, answers: NDArray[np.intp]) -> list[Reliability]:
        """Describe every worker.

        Parameters
        ----------
        answers
            How many each gave, by number.
        """
        return [
            Reliability(name, int(answers[number]), *_worth(self.of(name)))
            for name, number in self._names.items()
        ]


def _expected(error: float) -> Array:
    """Say how someone is expected to answer who errs so often."""
    return np.array([1 - error, error, 1 - error, MISSED * error, (1 - MISSED) * error])


def _shares(counts: Array) -> Array:
    shares: Array = counts / counts.sum(axis=-1, keepdims=True)
    return shares


def _evidence(counts: Array) -> Array:
    """Return the log chance of answers from someone who may have any habit."""
    kinds = counts.shape[1]
    chances: Array = gammaln(counts + 1).sum(axis=1) - gammaln(counts.sum(axis=1) + kinds)
    return chances + gammaln(kinds)


def _confusion(habits: Array) -> Array:
    """Spell five numbers out as P(answer | relation), by worker, relation and answer."""
    tie, wrong, right, missed, reversed_ = habits.T
    return np.stack(
        [
            np.stack([right, missed, reversed_], axis=-1),
            np.stack([wrong / 2, tie, wrong / 2], axis=-1),
            np.stack([reversed_, missed, right], axis=-1),
        ],
        axis=1,
    )


def _worth(confusion: Array) -> tuple[float, float]:
    """Return the share of right answers and the information, were all relations equally likely."""
    answers = confusion.mean(axis=0)
    noise = -(confusion * np.log(confusion)).sum() / 3
    information = (-(answers * np.log(answers)).sum() - noise) / np.log(3)
    return float(np.trace(confusion) / 3), float(max(information, 0.0))
