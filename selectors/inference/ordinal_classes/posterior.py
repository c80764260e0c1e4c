"""The posterior over the places of judged documents, by loopy belief propagation.

Notation. Document i has a place x_i among 2K + 1 (`places.py`). Answer a about documents i and j,
by worker w, has the likelihood P(a | r, w), where r is the relation of x_i and x_j and P is w's
confusion matrix.

Prior. A class weighs as many documents as it is expected to have without document i, and the gaps
together weigh what `NewClassPrior` says (a Chinese restaurant process); both times what the
features say. The founder of a class is held in it, so that classes keep their identity.

Updates. Documents and answers form a factor graph. Each answer sends either document a message,
computed from the cavity of the other (`factor_messages.py`); messages that are sent again are
damped. After each sweep the worker model is updated (EM). The Bethe approximation gives the log
evidence, by which sets of classes are compared (`structure_search.py`).

Nothing is decided for good: a later answer moves the posterior of all documents it bears on.
"""

import copy

import numpy as np

from nextpair.selectors.inference.comparisons import TIE, Comparisons
from nextpair.selectors.inference.numerics import Array, Array32, Indices, logsumexp, softmax
from nextpair.selectors.inference.ordinal_classes import factor_messages, places
from nextpair.selectors.inference.ordinal_classes.new_class_prior import NewClassPrior
from nextpair.selectors.inference.workers.crowd import USUAL_ERROR, CrowdModel
from nextpair.selectors.inference.workers.polarity import minority_camp

EQUAL_TOLERANCE = 1e-6
"""Probabilities that differ by less than this share are equal but for rounding."""
FOUNDER_WEIGHT = 100.0
"""The prior odds of the founder of a class without other members for that class."""

DisputedMerge = tuple[Indices, Indices]
"""The documents of two classes that are one class in an explanation nearly as good."""


class ClassPosterior:
    """The posterior over the places of documents, among classes that may change.

    Documents are numbered as answers come to them, so that unjudged documents cost nothing. Arrays
    have places as rows, like messages; only `probabilities` has documents as rows. `founders` has
    the surest member of each class; the first class is that of the first document.

    Parameters
    ----------
    error
        The expected share of wrong answers.
    """

    def __init__(self, error: float = USUAL_ERROR) -> None:
        self.comparisons = Comparisons()
        self.crowd = CrowdModel(error)
        self.founders = [0]
        self.unjudged_weights = np.zeros(0)
        """The prior weight of each place for an unjudged document, features aside."""
        self._new_class_prior = NewClassPrior()
        self._feature_odds: Array | None = None
        self._posterior = self._log_likelihood = np.zeros((places.place_count(self.class_count), 0))
        self._log_prior = self._log_prior_without_founders = self._posterior
        self._messages: Array32 = np.zeros(self._posterior.shape, dtype=np.float32)
        self._sides = np.zeros(0, dtype=np.intp)
        self._incidence = self.comparisons.incidence(0)
        self._sent = 0
        self._answers_log_evidence = 0.0
        self.disputed: DisputedMerge | None = None
        self._update_unjudged_weights(self.class_sizes)

    @property
    def size(self) -> int:
        """How many documents there are."""
        return self._posterior.shape[1]

    @property
    def class_count(self) -> int:
        """How many classes there are."""
        return len(self.founders)

    @property
    def probabilities(self) -> Array:
        """The posterior of each document, one document per row."""
        return self._posterior.T

    @property
    def class_sizes(self) -> Array:
        """The expected number of documents of each class."""
        expected: Array = self._posterior[1::2].sum(axis=1)
        return expected

    @property
    def map_class(self) -> Indices:
        """The most likely class of each document, by number, the best class being 0."""
        numbers: Indices = self._posterior[1::2].argmax(axis=0)
        return numbers

    @property
    def has_feature_odds(self) -> bool:
        """Whether the features' odds are about the classes there are now."""
        return self._feature_odds is not None and len(self._feature_odds) == self.class_count

    @property
    def log_posterior(self) -> Array:
        """The logarithm of the posterior, not normalized."""
        return self._log_prior + self._log_likelihood

    # -- belief propagation ---------------------------------------------------------------------

    def update_prior(self) -> None:
        """Compute the prior of each document from the posterior of the others."""
        members, sizes = self._posterior[1::2], self.class_sizes
        # The founder of a class may turn out to be of another: the surest member takes over.
        self.founders = members.argmax(axis=1).tolist()
        gap_weight = self._update_unjudged_weights(sizes)
        weights = np.full_like(self._posterior, gap_weight)
        # A document does not count as a member in its own prior.
        weights[1::2] += np.maximum(sizes[:, None] - members, 0)
        if self._feature_odds is not None and self.has_feature_odds:
            weights[1::2] *= self._feature_odds
        weights /= weights.sum(axis=0)
        self._log_prior_without_founders = np.log(weights, out=weights)
        self._log_prior = self._log_prior_without_founders.copy()
        # All documents that are equally sure are founders: numbering must not decide.
        surest = members >= (1 - EQUAL_TOLERANCE) * members.max(axis=1, keepdims=True)
        numbers, founders = surest.nonzero()
        alone = np.clip(1 - (sizes[numbers] - members[numbers, founders]), 0, 1)
        self._log_prior[2 * numbers + 1, founders] += np.log1p(FOUNDER_WEIGHT * alone)

    def _update_unjudged_weights(self, sizes: Array) -> float:
        """Compute the prior weights of an unjudged document; return the weight of each gap."""
        gap_weight = self._new_class_prior.weight(float(sizes.sum())) / (self.class_count + 1)
        self.unjudged_weights = np.full(places.place_count(self.class_count), gap_weight)
        self.unjudged_weights[1::2] += sizes
        return gap_weight

    def normalize(self) -> None:
        """Compute the posterior from prior and likelihood."""
        self._posterior = softmax(self.log_posterior)

    def pass_messages(self) -> None:
        """Run one sweep of belief propagation, and update the worker model."""
        count, comparisons, messages = len(self.comparisons), self.comparisons, self._messages
        posterior = softmax(self.log_posterior).astype(np.float32)
        cavity = factor_messages.cavity(
            np.take(posterior, self._sides, axis=1, mode="clip"), messages
        )
        responses = self.crowd.cavity_likelihood(comparisons.worker, comparisons.outcome)
        likelihood = responses.marginal
        new_messages = factor_messages.factor_messages(
            factor_messages.stack_directions(likelihood), factor_messages.swap_sides(cavity)
        )
        self._messages = factor_messages.damped(messages, new_messages)
        # A message that has not been sent before cannot oscillate: it is not damped.
        sent, self._sent = self._sent, count
        for unsent in (slice(sent, count), slice(count + sent, None)):
            self._messages[:, unsent] = new_messages[:, unsent]
        self._combine_messages()
        self.normalize()
        relations = factor_messages.relation_probabilities(cavity[:, :count], cavity[:, count:])
        self._answers_log_evidence = float(
            np.log((likelihood * relations).sum(axis=0)).sum(dtype=np.float64)
        )
        self.crowd.update(comparisons.worker, comparisons.outcome, relations, responses)

    def _combine_messages(self) -> None:
        log_messages = np.ascontiguousarray(np.log(self._messages).T, dtype=np.float64)
        self._log_likelihood = np.ascontiguousarray((self._incidence @ log_messages).T)

    def log_evidence(self) -> float:
        """Return the Bethe approximation of the log evidence of all answers.

        It sums the log evidence of the documents, less that of the answers, which the two documents
        of an answer count twice, plus that of the workers. It is as good as the messages are.
        """
        documents = logsumexp(self._log_prior_without_founders + self._log_likelihood)
        return float(documents.sum()) - self._answers_log_evidence + self.crowd.log_evidence

    def extend(self, documents: int, feature_log_odds: Array | None = None) -> None:
        """Make room for comparisons that have been added, and for their documents.

        Parameters
        ----------
        documents
            How many documents there are now.
        feature_log_odds
            By document and class, the log of how much likelier its features make the class.
        """
        self._feature_odds = None if feature_log_odds is None else np.exp(feature_log_odds.T)
        old, new = self._messages.shape[1] // 2, len(self.comparisons)
        extended = np.ones((len(self._messages), 2 * new), dtype=np.float32)
        extended[:, :old] = self._messages[:, :old]
        extended[:, new : new + old] = self._messages[:, old:]
        self._messages = extended
        self._sides = np.concatenate([self.comparisons.first, self.comparisons.second])
        self._incidence = self.comparisons.incidence(documents)
        self._add_documents(documents - self.size)

    def _add_documents(self, count: int) -> None:
        """Give new documents the prior of an unjudged one."""
        weights = np.repeat(self.unjudged_weights[:, None], count, axis=1)
        if self._feature_odds is not None:
            weights[1::2] *= self._feature_odds[:, self.size :]
        if not self.size:
            tied = len(self.comparisons) and self.comparisons.outcome[0] == TIE
            weights[1, : 2 if tied else 1] *= 1 + FOUNDER_WEIGHT
        self._posterior = np.concatenate([self._posterior, weights / weights.sum(axis=0)], axis=1)
        no_messages = np.zeros(weights.shape)
        self._log_likelihood = np.concatenate([self._log_likelihood, no_messages], axis=1)

    def copy(self, comparisons: int | None = None) -> "ClassPosterior":
        """Return a posterior that can be updated independently.

        Parameters
        ----------
        comparisons
            How many of the comparisons it rests on; None for all there are now.
        """
        # Arrays are replaced when they change, never written to.
        copied = copy.copy(self)
        copied.comparisons = self.comparisons.prefix(comparisons)
        copied.crowd = self.crowd.copy()
        copied.founders = self.founders.copy()
        return copied

    def restarted(self) -> "ClassPosterior":
        """Return a posterior from the same comparisons that starts from the workers' camps only."""
        restarted = ClassPosterior(self.crowd.expected_error)
        restarted.comparisons = self.comparisons.prefix()
        minority = minority_camp(restarted.comparisons, self.crowd.size)
        restarted.crowd = self.crowd.restarted(minority)
        restarted.extend(self.size)
        return restarted

    def reverse_order(self) -> bool:
        """Take the mirror image of the order if it is likelier, given the workers; say whether.

        The mirror image explains the answers equally well, if ordinary and reversing workers change
        roles. Messages may converge to either.
        """
        if not self.crowd.is_mirrored:
            return False
        self.crowd.mirror()
        self.founders.reverse()
        # The features' odds are about the classes in their old order.
        self._feature_odds = None
        self._messages = self._messages[::-1]
        self._log_likelihood = self._log_likelihood[::-1]
        self._posterior = self._posterior[::-1]
        self.update_prior()
        return True

    # -- changing the classes -------------------------------------------------------------------

    def create_class(self, document: int, gap: int) -> None:
        """Create a class in a gap, with a document as its founder."""
        rows = places.split_gap(gap, self.class_count)
        posterior = self._posterior[rows]
        posterior[2 * gap : 2 * gap + 3] /= 3
        posterior[:, document] = 0
        posterior[2 * gap + 1, document] = 1
        self.founders.insert(gap, document)
        self._continue_with(posterior, self._messages[rows])

    def merge_with_next(self, upper: int) -> None:
        """Merge a class and the next one."""
        start, stop = 2 * upper + 1, 2 * upper + 4
        smaller = upper if self.class_sizes[upper] < self.class_sizes[upper + 1] else upper + 1
        del self.founders[smaller]
        self._restart_from(places.merge_places(self._posterior, start, stop))

    def merge_into(self, source: int, target: int) -> None:
        """Merge a class into any other one, and suspect that many workers reverse."""
        posterior = self._posterior.copy()
        posterior[2 * target + 1] += posterior[2 * source + 1]
        posterior[2 * source + 1] = 0
        del self.founders[source]
        self.crowd.suspect_reversal()
        self._restart_from(places.merge_places(posterior, 2 * source, 2 * source + 3))

    def swap_with_next(self, upper: int) -> None:
        """Exchange a class and the next one."""
        rows = np.arange(len(self._posterior))
        rows[[2 * upper + 1, 2 * upper + 3]] = 2 * upper + 3, 2 * upper + 1
        self.founders[upper : upper + 2] = self.founders[upper + 1], self.founders[upper]
        self._restart_from(self._posterior[rows])

    def split_class(self, number: int, members: Indices, upper: Array) -> None:
        """Split a class, given the probability of each member for the upper part."""
        place = 2 * number + 1
        rows = [*range(place + 1), *range(place - 1, places.place_count(self.class_count))]
        posterior = self._posterior[rows]
        posterior[place + 1] = 0
        posterior[[place, place + 2]] /= 2
        posterior[:, members] = 0
        posterior[place, members] = upper
        posterior[place + 2, members] = 1 - upper
        founders = int(members[upper.argmax()]), int(members[upper.argmin()])
        self.founders[number : number + 1] = founders
        self._restart_from(posterior)

    def remove_class(self, number: int) -> None:
        """Remove a class that has no members."""
        del self.founders[number]
        start, stop = 2 * number, 2 * number + 3
        messages = places.merge_places(self._messages, start, stop, mean=True)
        self._continue_with(places.merge_places(self._posterior, start, stop), messages)

    def _restart_from(self, posterior: Array) -> None:
        """Continue from a posterior over other classes, with a worker model fitted to it."""
        # With the old classes right answers passed for errors, and errors for right answers. The
        # worker model has to forget that first.
        comparisons = self.comparisons
        sides = np.take(posterior.astype(np.float32), self._sides, axis=1, mode="clip")
        count = len(comparisons)
        relations = factor_messages.relation_probabilities(sides[:, :count], sides[:, count:])
        worker, outcome = comparisons.worker, comparisons.outcome
        self.crowd.update_given_relations(worker, outcome, relations)
        likelihood = self.crowd.cavity_likelihood(worker, outcome).marginal
        messages = factor_messages.factor_messages(
            factor_messages.stack_directions(likelihood), factor_messages.swap_sides(sides)
        )
        self._continue_with(posterior, messages)
        # These messages were computed without cavities: the next ones replace them undamped.
        self._sent = 0

    def _continue_with(self, posterior: Array, messages: Array32) -> None:
        """Continue with other places than before."""
        self._posterior, self._messages = posterior, messages
        self._feature_odds = None
        self._combine_messages()
        self.update_prior()
        self.normalize()
