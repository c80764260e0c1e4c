"""A snapshot of the posterior over the places of all documents of a topic, judged or not.

It starts from a fit to most comparisons. Each comparison after that updates only its own two
documents, which takes so little that Python numbers are faster than arrays.
"""

from collections.abc import Sequence
from math import exp, log

import numpy as np

from nextpair.selectors.inference.comparisons import Observation
from nextpair.selectors.inference.numerics import (
    Array,
    Indices,
    Mask,
    entropy,
    in_columns,
    softmax,
)
from nextpair.selectors.inference.ordinal_classes import factor_messages
from nextpair.selectors.inference.ordinal_classes.acquisition import outcome_likelihood
from nextpair.selectors.inference.ordinal_classes.factor_messages import MIN_PROBABILITY
from nextpair.selectors.inference.ordinal_classes.places import DIFFERENCE_IN_GAP, TIE_IN_GAP
from nextpair.selectors.inference.ordinal_classes.posterior import (
    FOUNDER_WEIGHT,
    ClassPosterior,
    DisputedMerge,
)
from nextpair.selectors.state.bayesian_selector import Reliability

BATCH_SIZE = 100
"""From this many comparisons on it is faster to update documents with array operations."""


class ClassSnapshot:
    """The posterior over the places of all documents, one document per row.

    Parameters
    ----------
    documents
        The position of each document in the fit.
    founder
        The document whose class is the first one, as long as there are no comparisons.
    feature_log_odds
        By document and class, the log of how much likelier its features make the class.
    """

    def __init__(
        self,
        fitted: ClassPosterior,
        size: int,
        documents: Sequence[int],
        founder: int,
        feature_log_odds: Array | None,
    ) -> None:
        self.comparisons, self.crowd = fitted.comparisons, fitted.crowd
        self.class_count = fitted.class_count
        self.disputed = _at_positions(documents, fitted.disputed) if fitted.disputed else None
        """Two classes, as documents, that are one in an explanation nearly as good."""
        self._log_posterior: Array = np.tile(np.log(fitted.unjudged_weights), (size, 1))
        if feature_log_odds is not None and fitted.has_feature_odds:
            self._log_posterior[:, 1::2] += feature_log_odds
        if documents:
            self.founders = [documents[number] for number in fitted.founders]
            self._log_posterior[documents] = fitted.log_posterior.T
        elif size:
            self.founders = [founder]
            self._log_posterior[founder, 1] += log(1 + FOUNDER_WEIGHT)
        else:
            self.founders = []
        self.judged = np.zeros(size, dtype=np.bool_)
        self.judged[documents] = True
        self.class_sizes = fitted.class_sizes
        """The expected number of judged documents of each class."""
        self._confusion: dict[str, Array] = {}
        self._outcome_likelihood: dict[str, Array] = {}
        self._summarise()

    def _summarise(self) -> None:
        self.probabilities: Array = softmax(self._log_posterior, axis=1)
        probabilities = self.probabilities
        of_classes = probabilities[:, 1::2]
        self.map_class: Indices = of_classes.argmax(axis=1)
        """The most likely class of each document, by number, the best class being 0."""
        self.map_class_probability: Array = of_classes.max(axis=1)
        """The probability of that class."""
        self.map_place_probability: Array = probabilities.max(axis=1)
        """The probability of the most likely place of each document."""
        self.entropies: Array = entropy(probabilities)
        """The entropy of each document's place, in nats."""

    def confusion(self, worker: str) -> Array:
        """Return the expected confusion matrix of a worker, relations as rows."""
        confusion = self._confusion.get(worker)
        if confusion is None:
            confusion = self._confusion[worker] = self.crowd.confusion(worker)
        return confusion

    def outcome_likelihood(self, worker: str) -> Array:
        """Return the probability of each outcome from a worker, by the places of both documents."""
        likelihood = self._outcome_likelihood.get(worker)
        if likelihood is None:
            width = self._log_posterior.shape[1]
            likelihood = outcome_likelihood(self.confusion(worker), width)
            self._outcome_likelihood[worker] = likelihood
        return likelihood

    def observe(self, observations: Sequence[Observation]) -> None:
        """Update the two documents of each comparison, one comparison after the other."""
        if len(observations) >= BATCH_SIZE:
            self._observe_in_rounds(observations)
            return
        for first, second, outcome, worker in observations:
            better, tie, worse = self.confusion(worker)[:, outcome].tolist()
            of_first = self.probabilities[first].tolist()
            of_second = self.probabilities[second].tolist()
            self._update(first, scalar_factor_message(of_second, better, tie, worse), of_first)
            self._update(second, scalar_factor_message(of_first, worse, tie, better), of_second)

    def _observe_in_rounds(self, observations: Sequence[Observation]) -> None:
        """Update in rounds of comparisons without a common document, which are independent."""
        first, second = (np.array([each[side] for each in observations]) for side in (0, 1))
        likelihood = np.array(
            [self.confusion(worker)[:, outcome] for _, _, outcome, worker in observations]
        )
        left = np.arange(len(observations))
        while len(left):
            in_round = _without_predecessors(first[left], second[left])
            current, left = left[in_round], left[~in_round]
            sides = np.concatenate([first[current], second[current]])
            others = factor_messages.swap_sides(in_columns(self.probabilities[sides]))
            both = factor_messages.stack_directions(in_columns(likelihood[current]))
            messages = factor_messages.factor_messages(both, others)
            self._log_posterior[sides] += np.log(messages).T
            self.probabilities[sides] = softmax(self._log_posterior[sides].T).T
            self.judged[sides] = True
        self._summarise()
        self.class_sizes = self.probabilities[self.judged, 1::2].sum(axis=0)

    def _update(self, document: int, message: Sequence[float], before: Sequence[float]) -> None:
        """Multiply the posterior of a document by a message.

        Parameters
        ----------
        before
            The probabilities before that.
        """
        logs = [
            old + log(new)
            for old, new in zip(self._log_posterior[document].tolist(), message, strict=True)
        ]
        highest = max(logs)
        weights = [exp(each - highest) for each in logs]
        total = sum(weights)
        probabilities = [weight / total for weight in weights]
        self._log_posterior[document], self.probabilities[document] = logs, probabilities
        of_classes = probabilities[1::2]
        self.map_class_probability[document] = most = max(of_classes)
        self.map_class[document] = of_classes.index(most)
        self.map_place_probability[document] = max(probabilities)
        self.entropies[document] = -sum(each * log(each) for each in probabilities if each > 0)
        if self.judged[document]:
            self.class_sizes = self.class_sizes + np.subtract(of_classes, before[1::2])
        else:
            self.judged[document] = True
            self.class_sizes = self.class_sizes + of_classes

    def reliabilities(self) -> list[Reliability]:
        """Describe the workers who have answered."""
        return self.crowd.reliabilities(self.comparisons.worker)


def _at_positions(documents: Sequence[int], disputed: DisputedMerge) -> DisputedMerge:
    """Return two classes with the positions of documents in place of their numbers."""
    source, target = disputed
    positions = np.array(documents, dtype=np.intp)
    return positions[source], positions[target]


def scalar_factor_message(
    other: Sequence[float], better: float, tie: float, worse: float
) -> list[float]:
    """Return the message of one answer: the same as `factor_messages`, in Python numbers.

    Parameters
    ----------
    other
        The distribution of the other document over places.
    better, tie, worse
        The probability of the answer, were the document better than, tied with and worse than the
        other.
    """
    in_gap = TIE_IN_GAP * tie + DIFFERENCE_IN_GAP * (better + worse)
    above, below, message = 0.0, sum(other), []
    for place, probability in enumerate(other):
        below -= probability
        same_place = tie if place % 2 else in_gap
        likelihood = better * below + same_place * probability + worse * above
        message.append(max(likelihood, MIN_PROBABILITY))
        above += probability
    return message


def _without_predecessors(first: Indices, second: Indices) -> Mask:
    """Return the pairs that have no document in common with a pair before them."""
    order = np.arange(len(first))
    earliest = np.full(max(first.max(), second.max()) + 1, len(first))
    np.minimum.at(earliest, first, order)
    np.minimum.at(earliest, second, order)
    independent: Mask = (earliest[first] == order) & (earliest[second] == order)
    return independent
