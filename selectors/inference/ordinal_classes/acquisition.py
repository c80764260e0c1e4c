"""Acquisition: the pair whose answer is most informative about the places of both documents.

The information is the mutual information of the answer and both places (BALD; Houlsby et al.,
2011).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from nextpair.selectors.inference.numerics import TINY, Array, Indices, Mask
from nextpair.selectors.inference.ordinal_classes import places
from nextpair.selectors.state.judgments import Pair

MAX_CANDIDATES = 8
"""The number of most uncertain documents that are tried with all opponents."""
OPPONENTS_PER_GROUP = 8
"""The number of reference documents of each class, and of unjudged ones, that candidates are tried
with: those of one class are about equally informative, and should not always be the same."""


@dataclass(frozen=True, slots=True)
class InformativePair:
    """A pair, and the information its answer is expected to give, in nats."""

    pair: Pair
    information: float


@dataclass(frozen=True, slots=True)
class ClassAcquisition:
    """The acquisition function for one worker, and the pairs it is evaluated on.

    Parameters
    ----------
    probabilities
        The posterior over places, one document per row.
    outcome_likelihood
        The probability of each outcome from this worker, by the places of both documents.
    reference
        Documents whose place is certain enough to compare others with.
    unjudged
        Documents that are neither judged nor in an open pair. Two of them are more informative than
        one and a reference document: their answer is about both.
    opponents
        The reference and unjudged documents that candidates are tried with.
    uncertainty
        The entropy of each document's place, as far as it matters.
    relevant_places
        How many places, best first, have to be told from each other; all others are as one.
    is_allowed
        Whether a pair may go to this worker.
    jitter
        A small random number per document, which breaks ties.
    """

    probabilities: Array
    outcome_likelihood: Array
    reference: Mask
    unjudged: Mask
    opponents: Indices
    uncertainty: Array
    relevant_places: int
    is_allowed: Callable[[int, int], bool]
    jitter: Array

    def best_pair(self, candidates: Sequence[int]) -> InformativePair | None:
        """Return the most informative allowed pair of a candidate and an opponent."""
        best: InformativePair | None = None
        if not candidates:
            return best
        gains = self.gains(candidates, self.opponents)
        highest = gains.max(axis=1).tolist()
        for document, own_gains, own_highest in zip(candidates, gains, highest, strict=True):
            if own_highest < 0 or (best is not None and own_highest <= best.information):
                continue
            pair = self._best_allowed(document, own_gains)
            if pair is not None and (best is None or pair.information > best.information):
                best = pair
        return best

    def _best_allowed(self, document: int, gains: Array) -> InformativePair | None:
        """Return the most informative allowed pair of a document and an opponent."""
        opponent = int(self.opponents[gains.argmax()])
        if self.is_allowed(document, opponent):
            return InformativePair((document, opponent), float(gains.max()))
        for column in np.argsort(-gains).tolist():
            opponent = int(self.opponents[column])
            if gains[column] < 0:
                break
            if self.is_allowed(document, opponent):
                return InformativePair((document, opponent), float(gains[column]))
        return None

    def most_uncertain(self, among: Mask, count: int = MAX_CANDIDATES) -> list[int]:
        """Return the documents with the highest uncertainty, highest first."""
        documents = among.nonzero()[0]
        count = min(count, len(documents))
        if not count:
            return []
        certainty = -(self.uncertainty[documents] + self.jitter[documents])
        selected = certainty.argpartition(count - 1)[:count]
        ordered: list[int] = documents[selected[certainty[selected].argsort()]].tolist()
        return ordered

    def gains(self, documents: Sequence[int], opponents: Indices) -> Array:
        """Return the information of the pair of each document with each opponent.

        It is negative where a document cannot be compared with the opponent.
        """
        rows = np.array(documents, dtype=np.intp)
        gains = mutual_information(
            self.probabilities[rows],
            self.probabilities[opponents],
            self.outcome_likelihood,
            self.relevant_places,
        )
        gains += self.jitter[opponents]
        useful = self.unjudged[rows][:, None] & self.unjudged[opponents]
        useful |= self.reference[opponents]
        useful &= rows[:, None] != opponents
        gains[~useful] = -1
        return gains


def documents_of(pairs: Iterable[Pair]) -> list[int]:
    """List the documents of pairs, each as often as it is in one."""
    return [document for pair in pairs for document in pair]


def draw_opponents(
    reference: Mask, unjudged: Mask, map_class: Indices, rng: np.random.Generator
) -> Indices:
    """Draw some reference documents of each class, and some unjudged documents.

    Parameters
    ----------
    map_class
        The most likely class of each document.
    """
    documents = reference.nonzero()[0]
    # Short integers: numpy sorts these by radix.
    numbers = map_class[documents].astype(np.int16)
    grouped = np.concatenate([documents[numbers.argsort(kind="stable")], unjudged.nonzero()[0]])
    ends = [*np.bincount(numbers).cumsum().tolist(), len(grouped)]
    drawn: set[int] = set()
    positions = rng.random((len(ends), OPPONENTS_PER_GROUP))
    for position, start, end in zip(positions, [0, *ends], ends, strict=False):
        group = grouped[start:end]
        if len(group) > OPPONENTS_PER_GROUP:
            group = group[(position * len(group)).astype(np.intp)]
        drawn.update(group.tolist())
    return np.array(sorted(drawn), dtype=np.intp)


def outcome_likelihood(confusion: Array, width: int) -> Array:
    """Return the probability of each outcome, by the places of both documents.

    Parameters
    ----------
    confusion
        The confusion matrix of the worker, relations as rows.
    width
        How many places there are.

    Returns
    -------
    NDArray
        At [0], [1] and [2] the probability of each outcome, by both places, and at [3] the expected
        negative entropy of the outcome given the relation, in nats.
    """
    noise = (confusion * np.log(confusion)).sum(axis=1)
    relations = places.relations_by_place(np.eye(width)).transpose(0, 2, 1)
    return np.tensordot(np.vstack([confusion.T, noise]), relations, axes=1)


def mutual_information(
    documents: Array, others: Array, likelihood: Array, relevant_places: int | None = None
) -> Array:
    """Return the mutual information of the answer about each pair and its documents' places.

    Parameters
    ----------
    documents, others
        Distributions over places, one document per row.
    likelihood
        The `outcome_likelihood` of the worker.
    relevant_places
        How many places, best first, have to be told from each other; None for all.
    """
    outcomes = documents @ likelihood @ others.T
    noise = outcomes[3]
    if relevant_places is not None and relevant_places < documents.shape[1] - 1:
        noise = _noise_with_rest_as_one(documents, others, likelihood, relevant_places)
    probabilities = np.maximum(outcomes[:3], TINY)
    probabilities *= np.log(probabilities)
    information: Array = noise - probabilities.sum(axis=0)
    return information


def _noise_with_rest_as_one(
    documents: Array, others: Array, likelihood: Array, start: int
) -> Array:
    """Return the negative conditional entropy of outcomes, with the places from one on as one."""
    best, rest = slice(None, start), slice(start, None)
    noise: Array = documents[:, best] @ likelihood[3, best, best] @ others[:, best].T
    # The joint probability of an outcome and of a document in the rest, by the other one's place.
    in_rest = documents[:, rest] @ likelihood[:3, rest, best]
    other_in_rest = likelihood[:3, best, rest] @ others[:, rest].T
    mass, other_mass = (each[:, rest].sum(axis=1) for each in (documents, others))
    noise += _conditional_negentropy(in_rest, mass[:, None]) @ others[:, best].T
    noise += documents[:, best] @ _conditional_negentropy(other_in_rest, other_mass)
    both_in_rest = documents[:, rest] @ likelihood[:3, rest, rest] @ others[:, rest].T
    return noise + _conditional_negentropy(both_in_rest, mass[:, None] * other_mass)


def _conditional_negentropy(joint: Array, mass: Array) -> Array:
    """Return the negative entropy of outcomes given an event, times its probability."""
    logs = np.log(np.maximum(joint, TINY)) - np.log(np.maximum(mass, TINY))
    negentropy: Array = (joint * logs).sum(axis=0)
    return negentropy
