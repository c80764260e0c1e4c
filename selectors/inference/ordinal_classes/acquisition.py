"""Which pair teaches most: the information an answer is expected to give about both places."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.ordinal_classes import places
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.state.judgments import Pair

CANDIDATES = 8
"""How many of the least certain documents are looked at with all others."""
OPPONENTS = 8
"""How many firm documents of each class, and how many fresh ones, are tried with them: those of one
class teach about the same, and which of them is asked should not always be the same."""
LEAST = 1e-300
"""No chance is smaller, so that it has a logarithm."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Question:
    """A pair, and how much its answer is expected to teach, in nats."""

    pair: Pair
    information: float


@dataclass(frozen=True, slots=True)
class Situation:
    """What a question is chosen from.

    Parameters
    ----------
    lessons
        What answers of the worker who asks teach, at each two places.
    firm
        Documents whose place is certain enough to measure others by.
    fresh
        Documents nobody has judged or is judging. Two of them teach more than one and a firm one:
        their answer says something of both.
    opponents
        The firm and fresh documents that candidates are tried with.
    doubt
        How uncertain each document's place is, as far as it matters.
    told_apart
        How many places, best first, need to be told from each other; all others are as one.
    allowed
        Whether a pair may go to this worker.
    chance
        A small random number per document, which decides between equals.
    """

    beliefs: Array
    lessons: Array
    firm: Mask
    fresh: Mask
    opponents: NDArray[np.intp]
    doubt: Array
    told_apart: int
    allowed: Callable[[int, int], bool]
    chance: Array

    def best(self, candidates: Sequence[int]) -> Question | None:
        """Choose the best pair with one of some candidates in it."""
        best: Question | None = None
        if not candidates:
            return best
        gains = self.gains(candidates, self.opponents)
        for document, gain, most in zip(candidates, gains, gains.max(axis=1).tolist(), strict=True):
            if most < 0 or (best is not None and most <= best.information):
                continue
            found = self._first_allowed(document, gain)
            if found is not None and (best is None or found.information > best.information):
                best = found
        return best

    def _first_allowed(self, document: int, gain: Array) -> Question | None:
        """Return the best pair of a document and an opponent that may be asked."""
        other = int(self.opponents[gain.argmax()])
        if self.allowed(document, other):
            return Question((document, other), float(gain.max()))
        for place in np.argsort(-gain).tolist():
            other = int(self.opponents[place])
            if gain[place] < 0:
                break
            if self.allowed(document, other):
                return Question((document, other), float(gain[place]))
        return None

    def least_certain(self, among: Mask, most: int = CANDIDATES) -> list[int]:
        """Return those of some documents whose places are least certain, least certain first."""
        documents = among.nonzero()[0]
        count = min(most, len(documents))
        if not count:
            return []
        certainty = -(self.doubt[documents] + self.chance[documents])
        found = certainty.argpartition(count - 1)[:count]
        ordered: list[int] = documents[found[certainty[found].argsort()]].tolist()
        return ordered

    def gains(self, documents: Sequence[int], opponents: NDArray[np.intp]) -> Array:
        """Return how much answers about documents and each opponent would teach.

        It is less than 0 where a document cannot be measured by the opponent.
        """
        rows = np.array(documents, dtype=np.intp)
        gains = information(
            self.beliefs[rows], self.beliefs[opponents], self.lessons, self.told_apart
        )
        gains += self.chance[opponents]
        useful = self.fresh[rows][:, None] & self.fresh[opponents]
        useful |= self.firm[opponents]
        useful &= rows[:, None] != opponents
        gains[~useful] = -1
        return gains


def documents_of(pairs: Iterable[Pair]) -> list[int]:
    """List the documents of some pairs, each as often as it is in one."""
    return [document for pair in pairs for document in pair]


def draw_opponents(
    firm: Mask, fresh: Mask, classes: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw documents to try others with: some firm ones of each class, and some fresh ones.

    Parameters
    ----------
    classes
        The class each document is most likely of.
    """
    documents = firm.nonzero()[0]
    # Short numbers: of these numpy sorts many in no time.
    numbers = classes[documents].astype(np.int16)
    grouped = np.concatenate([documents[numbers.argsort(kind="stable")], fresh.nonzero()[0]])
    ends = [*np.bincount(numbers).cumsum().tolist(), len(grouped)]
    drawn: set[int] = set()
    shares = rng.random((len(ends), OPPONENTS))
    for share, start, end in zip(shares, [0, *ends], ends, strict=False):
        group = grouped[start:end]
        few = group if len(group) <= OPPONENTS else group[(share * len(group)).astype(np.intp)]
        drawn.update(few.tolist())
    return np.array(sorted(drawn), dtype=np.intp)


def lessons(confusion: Array, width: int) -> Array:
    """Prepare what a worker's answers teach.

    Parameters
    ----------
    confusion
        How the worker answers: P(answer | relation), relation by row.
    width
        How many places there are.

    Returns
    -------
    NDArray
        For two places, the chance of each answer about documents there, and at [3] how much of it
        is chance, as a negative entropy in nats.
    """
    noise = (confusion * np.log(confusion)).sum(axis=1)
    relations = places.relations(np.eye(width)).transpose(0, 2, 1)
    return np.tensordot(np.vstack([confusion.T, noise]), relations, axes=1)


def information(
    documents: Array, others: Array, lessons: Array, told_apart: int | None = None
) -> Array:
    """Return how much an answer about each of some documents and each of others would teach.

    Parameters
    ----------
    documents, others
        Beliefs over places, one document per row.
    lessons
        What answers teach at each two places.
    told_apart
        How many places, best first, need to be told from each other; None for all.
    """
    said = documents @ lessons @ others.T
    noise = said[3]
    if told_apart is not None and told_apart < documents.shape[1] - 1:
        noise = _noise(documents, others, lessons, told_apart)
    answers = np.maximum(said[:3], LEAST)
    answers *= np.log(answers)
    taught: Array = noise - answers.sum(axis=0)
    return taught


def _noise(documents: Array, others: Array, lessons: Array, start: int) -> Array:
    """Return how much of answers is chance, given places of which those from one on are as one."""
    best, rest = slice(None, start), slice(start, None)
    noise: Array = documents[:, best] @ lessons[3, best, best] @ others[:, best].T
    # The chance of answers, and that a document is of the rest, with each of the best places.
    one = documents[:, rest] @ lessons[:3, rest, best]
    other = lessons[:3, best, rest] @ others[:, rest].T
    mass, other_mass = (each[:, rest].sum(axis=1) for each in (documents, others))
    noise += _unsure(one, mass[:, None]) @ others[:, best].T
    noise += documents[:, best] @ _unsure(other, other_mass)
    both = documents[:, rest] @ lessons[:3, rest, rest] @ others[:, rest].T
    return noise + _unsure(both, mass[:, None] * other_mass)


def _unsure(answers: Array, mass: Array) -> Array:
    """Return the negative entropy of answers, given what their chances add up to."""
    logs = np.log(np.maximum(answers, LEAST)) - np.log(np.maximum(mass, LEAST))
    unsure: Array = (answers * logs).sum(axis=0)
    return unsure


def entropy(shares: Array) -> Array:
    """Return the entropy of each row, in nats."""
    logs = np.log(np.maximum(shares, LEAST))
    total: Array = -(shares * logs).sum(axis=-1)
    return total
