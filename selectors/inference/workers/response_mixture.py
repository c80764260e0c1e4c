"""Whom to believe: workers who answer by the model, by halves, at random, or the other way round.

After Crowd-BT (Chen et al., WSDM 2013), with ties, and with a few kinds of worker in place of a
number for each: someone new is whatever the crowd is, so a few answers neither condemn nor vouch.
What the crowd is, of several that are tried, is found out from outside (`explaining.py`). What an
answer says of its worker rests on what all other answers say of its documents, and it is weighed by
what the worker's others say.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.gaussian_scores.thurstone import Chances
from nextpair.selectors.inference.ordinal_classes.factor_messages import log_sums, shares
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.inference.workers import confusion_matrices
from nextpair.selectors.state.bayesian_selector import Reliability

KINDS = np.array(
    [[0.98, 0.0, 0.02], [0.75, 0.0, 0.25], [0.4, 0.0, 0.6], [0.0, 0.0, 1.0], [0.0, 0.95, 0.05]]
)
"""By kind: the shares of answers by the model, the other way round, and at random."""
GUESSING, REVERSING = 3, 4
CROWDS = (
    (0.75, (0.93, 0.04, 0.01, 0.015, 0.005)),
    (0.1, (0.70, 0.05, 0.03, 0.20, 0.02)),
    (0.075, (0.50, 0.05, 0.03, 0.40, 0.02)),
    (0.075, (0.72, 0.04, 0.02, 0.02, 0.20)),
)
"""Crowds that are tried: how likely each is beforehand, and its shares of all kinds.

Those who reverse are never the most: the order upside down would explain their answers as well.
"""
KNOWN = 0.9
"""How often an answer that was known beforehand is given by one who answers by the model."""
DAMPING = 0.5


class Workers:
    """Who has answered, and what they said where the answer was known."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._known: dict[int, Array] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, worker: str) -> int:
        """Return a worker's number; those not seen before get the next one."""
        return self._numbers.setdefault(worker, len(self._numbers))

    def find(self, worker: str) -> int | None:
        """Return the number of a worker who has answered."""
        return self._numbers.get(worker)

    @property
    def names(self) -> list[str]:
        """All workers, by number."""
        return list(self._numbers)

    def anchor(self, worker: str, truth: int, said: int) -> None:
        """Keep what someone answered whose answer was known."""
        by_model, opposite = (
            KNOWN if said == right else (1 - KNOWN) / 2 for right in (truth, 2 - truth)
        )
        told = np.log(KINDS @ np.array([by_model, opposite, 1 / 3]))
        number = self.number(worker)
        self._known[number] = self._known.get(number, 0) + told

    def known(self) -> Array:
        """Return what answers that were known say of each worker's kind, as logarithms."""
        told = np.zeros((len(KINDS), len(self)))
        for number, own in self._known.items():
            told[:, number] = own
        return told


class Crowd:
    """What is believed of workers while scores are fitted.

    Parameters
    ----------
    workers
        Who gave each answer, by number.
    known
        What answers that were known say of each worker.
    kinds
        How many of the crowd are of each kind, as shares.
    """

    def __init__(self, workers: NDArray[np.intp], known: Array, kinds: Array) -> None:
        self._workers = workers
        self._known = known
        self._told = np.zeros((len(KINDS), len(workers)))
        self._heard = np.bincount(workers, minlength=known.shape[1])
        self._kinds: Array = np.log(kinds)
        self._leaning: Array = self._kinds[:, None] + known

    def ways(self) -> Array:
        """Say how the worker of each answer answers, as far as their other answers tell."""
        mixed: Array = KINDS.T @ shares(self._leaning[:, self._workers] - self._told)
        return mixed

    def learn(self, said: Chances, opposite: Chances, guess: float) -> None:
        """Learn of workers from how likely their answers were otherwise."""
        by_model, turned, drawn = KINDS.T[:, :, None]
        told = np.log(by_model * said.chance + turned * opposite.chance + drawn * guess)
        self._told = DAMPING * self._told + (1 - DAMPING) * told
        added = [np.bincount(self._workers, row, self._known.shape[1]) for row in self._told]
        self._leaning = np.stack(added) + self._known + self._kinds[:, None]

    def evidence(self) -> float:
        """Return how much better answers are explained together than each by itself.

        Who has only answered what was known tells of the crowd as well.
        """
        otherwise = self._leaning[:, self._workers] - self._told
        each = log_sums(self._leaning[:, self._workers]) - log_sums(otherwise)
        return float(log_sums(self._leaning).sum() - each.sum())

    def believed(self) -> "Believed":
        """Return what is believed now."""
        return Believed(shares(self._leaning), shares(self._kinds[:, None]), self._heard)


class Believed:
    """How likely each worker is of each kind, a column each."""

    def __init__(self, kinds: Array, of_new: Array, answers: NDArray[np.intp]) -> None:
        self._kinds, self._new, self._answers = kinds, of_new, answers

    @classmethod
    def averaged(cls, weights: Array, found: "Sequence[Believed]") -> "Believed":
        """Return an average of several beliefs about the same workers."""
        kinds = np.tensordot(weights, np.stack([one._kinds for one in found]), axes=1)
        of_new = np.tensordot(weights, np.stack([one._new for one in found]), axes=1)
        return cls(kinds, of_new, found[0]._answers)

    def kinds(self, number: int | None) -> Array:
        """Return how likely a worker is of each kind; of one not heard yet, what the crowd is."""
        known = number is not None and number < self._kinds.shape[1]
        return self._kinds[:, number] if known else self._new[:, 0]

    def ways(self, number: int | None) -> Array:
        """Return the shares of a worker's answers by the model, the other way, and at random."""
        mixed: Array = KINDS.T @ self.kinds(number)
        return mixed

    def guesses(self, number: int | None) -> float:
        """Return how likely a worker answers at random."""
        return float(self.kinds(number)[GUESSING])

    def reliabilities(self, names: list[str]) -> list[Reliability]:
        """Describe every worker."""
        found = []
        for number, name in enumerate(names):
            by_model, opposite, drawn = self.ways(number)
            confusion = by_model * np.eye(3) + opposite * np.eye(3)[::-1] + drawn / 3
            # A tie turned round is a tie, but who turns answers round cannot be told from ties.
            answers = int(self._answers[number]) if number < len(self._answers) else 0
            found.append(Reliability(name, answers, *confusion_matrices.worth(confusion + 1e-9)))
        return found
