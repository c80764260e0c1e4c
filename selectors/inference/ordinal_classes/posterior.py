"""What is believed of the places of judged documents, from all answers together.

Documents and answers form a graph: an answer ties the places of its two documents together by how
its worker answers. Beliefs are found by passing messages along it (belief propagation): each answer
tells either document what it says of its place, given what is otherwise believed of the other.
Nothing is ever decided for good: a later answer moves the beliefs of all it bears on.
"""

import copy

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.ordinal_classes import factor_messages, places
from nextpair.selectors.inference.ordinal_classes.comparisons import TIED, Answers, Disputed
from nextpair.selectors.inference.ordinal_classes.new_class_prior import Rarity
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.inference.workers.crowd import USUAL_ERROR, Crowd
from nextpair.selectors.inference.workers.polarity import opposed

EQUAL = 1e-6
"""Chances that differ by less than this share are equal but for rounding."""
FOUNDER = 100.0
"""How much likelier the founder of a class without other members is of it than of a new one."""


class Beliefs:
    """Beliefs over the places of documents, among classes that may change.

    Documents are numbered as answers come to them, so that those nobody has judged cost nothing.
    Arrays have places as rows, like messages; `beliefs` has documents as rows. `founders` has the
    surest member of each class; the first class is that of the first document.

    Parameters
    ----------
    error
        The share of wrong answers that is expected of workers beforehand.
    """

    def __init__(self, error: float = USUAL_ERROR) -> None:
        self.answers = Answers()
        self.crowd = Crowd(error)
        self.founders = [0]
        self.newcomer = np.zeros(0)
        """The weight of each place for a document nobody has judged, features aside."""
        self._rarity = Rarity()
        self._odds: Array | None = None
        self._chances = self._evidence = np.zeros((places.place_count(self.classes), 0))
        self._prior = self._plain_prior = self._chances
        self._messages = np.zeros(self._chances.shape, dtype=np.float32)
        self._sides = np.zeros(0, dtype=np.intp)
        self._incidence = self.answers.incidence(0)
        self._sent = 0
        self._explained = 0.0
        self.disputed: Disputed | None = None
        self._weigh_newcomer(self.counts)

    @property
    def size(self) -> int:
        """How many documents there are beliefs about."""
        return self._chances.shape[1]

    @property
    def classes(self) -> int:
        """How many classes have been found."""
        return len(self.founders)

    @property
    def beliefs(self) -> Array:
        """How likely each document is at each place, one document per row."""
        return self._chances.T

    @property
    def counts(self) -> Array:
        """How many documents each class is expected to have."""
        expected: Array = self._chances[1::2].sum(axis=1)
        return expected

    @property
    def likeliest(self) -> NDArray[np.intp]:
        """The class each document is most likely of, by number, the best class being 0."""
        numbers: NDArray[np.intp] = self._chances[1::2].argmax(axis=0)
        return numbers

    @property
    def hinted(self) -> bool:
        """Whether what features say is about the classes there are now."""
        return self._odds is not None and len(self._odds) == self.classes

    @property
    def logs(self) -> Array:
        """How likely each document is at each place, as logarithms that need not add up."""
        return self._prior + self._evidence

    # -- passing messages -----------------------------------------------------------------------

    def set_prior(self) -> None:
        """Say what is likely of a document before anybody has judged it."""
        own, counts = self._chances[1::2], self.counts
        # Who founded a class may turn out to be of another: the surest member takes over.
        self.founders = own.argmax(axis=1).tolist()
        new = self._weigh_newcomer(counts)
        weights = np.full_like(self._chances, new)
        # A document's own belief does not speak for itself.
        weights[1::2] += np.maximum(counts[:, None] - own, 0)
        if self._odds is not None and self.hinted:
            weights[1::2] *= self._odds
        weights /= weights.sum(axis=0)
        self._plain_prior = np.log(weights, out=weights)
        self._prior = self._plain_prior.copy()
        # Of documents that are equally sure none is the founder more than another.
        surest = own >= (1 - EQUAL) * own.max(axis=1, keepdims=True)
        numbers, founders = surest.nonzero()
        alone = np.clip(1 - (counts[numbers] - own[numbers, founders]), 0, 1)
        self._prior[2 * numbers + 1, founders] += np.log1p(FOUNDER * alone)

    def _weigh_newcomer(self, counts: Array) -> float:
        """Weigh the places of who has not been judged, and return what each gap weighs."""
        new = self._rarity.of_new(float(counts.sum())) / (self.classes + 1)
        self.newcomer = np.full(places.place_count(self.classes), new)
        self.newcomer[1::2] += counts
        return new

    def believe(self) -> None:
        """Put prior and evidence together."""
        self._chances = factor_messages.shares(self.logs)

    def pass_messages(self) -> None:
        """Send every message once, and learn how workers answer from what comes out."""
        count, answers, told = len(self.answers), self.answers, self._messages
        chances = factor_messages.shares(self.logs).astype(np.float32)
        # What is believed of each side without what this very answer told it.
        otherwise = factor_messages.without(
            np.take(chances, self._sides, axis=1, mode="clip"), told
        )
        weighed = self.crowd.weigh(answers.worker, answers.answer)
        likelihood = weighed.likelihood
        sent = factor_messages.tell(
            factor_messages.both_ways(likelihood), factor_messages.swapped(otherwise)
        )
        self._messages = factor_messages.damped(told, sent)
        # What has not been sent yet cannot swing: a first message counts in full.
        old, self._sent = self._sent, count
        for new in (slice(old, count), slice(count + old, None)):
            self._messages[:, new] = sent[:, new]
        self._gather_evidence()
        self.believe()
        related = factor_messages.relate(otherwise[:, :count], otherwise[:, count:])
        self._explained = float(np.log((likelihood * related).sum(axis=0)).sum(dtype=np.float64))
        self.crowd.learn(answers.worker, answers.answer, related, weighed)

    def _gather_evidence(self) -> None:
        logs = np.ascontiguousarray(np.log(self._messages).T, dtype=np.float64)
        self._evidence = np.ascontiguousarray((self._incidence @ logs).T)

    def support(self) -> float:
        """Return how well classes and workers explain all answers, as a logarithm.

        This is Bethe's approximation, as good as the messages are: it counts what documents say of
        their answers, less what the two documents of an answer say twice.
        """
        documents = factor_messages.log_sums(self._plain_prior + self._evidence)
        return float(documents.sum()) - self._explained + self.crowd.plausibility

    def extend(self, documents: int, hints: Array | None = None) -> None:
        """Make room for answers that have come since, and for the documents they are about.

        Parameters
        ----------
        documents
            How many there are now.
        hints
            What features say of each: the log of how much likelier they make each class.
        """
        self._odds = None if hints is None else np.exp(hints.T)
        old, new = self._messages.shape[1] // 2, len(self.answers)
        extended = np.ones((len(self._messages), 2 * new), dtype=np.float32)
        extended[:, :old] = self._messages[:, :old]
        extended[:, new : new + old] = self._messages[:, old:]
        self._messages = extended
        self._sides = np.concatenate([self.answers.first, self.answers.second])
        self._incidence = self.answers.incidence(documents)
        self._welcome(documents - self.size)

    def _welcome(self, documents: int) -> None:
        """Say of new documents what is likely of anyone."""
        weights = np.repeat(self.newcomer[:, None], documents, axis=1)
        if self._odds is not None:
            weights[1::2] *= self._odds[:, self.size :]
        if not self.size:
            tied = len(self.answers) and self.answers.answer[0] == TIED
            weights[1, : 2 if tied else 1] *= 1 + FOUNDER
        self._chances = np.concatenate([self._chances, weights / weights.sum(axis=0)], axis=1)
        nothing = np.zeros(weights.shape)
        self._evidence = np.concatenate([self._evidence, nothing], axis=1)

    def twin(self, answers: int | None = None) -> "Beliefs":
        """Return beliefs that can be changed without changing these.

        Parameters
        ----------
        answers
            How many of the answers they are to know of; None for all there are now.
        """
        # Arrays are replaced when they change, never written to.
        twin = copy.copy(self)
        twin.answers = self.answers.first_ones(answers)
        twin.crowd = self.crowd.twin()
        twin.founders = self.founders.copy()
        return twin

    def anew(self) -> "Beliefs":
        """Return beliefs in the same answers that know nothing but which workers disagree."""
        other = Beliefs(self.crowd.expected_error)
        other.answers = self.answers.first_ones()
        other.crowd = self.crowd.anew(opposed(other.answers, self.crowd.size))
        other.extend(self.size)
        return other

    def turn_over(self) -> bool:
        """Turn the order upside down if most workers would have to reverse it; say whether.

        The mirror image explains answers as well, if who seemed to reverse does not and the others
        do. The beliefs that messages settle on may be either.
        """
        if not self.crowd.mirrored:
            return False
        self.crowd.mirror()
        self.founders.reverse()
        # What features say is of the classes as they were.
        self._odds = None
        self._messages = self._messages[::-1]
        self._evidence = self._evidence[::-1]
        self._chances = self._chances[::-1]
        self.set_prior()
        return True

    # -- changing the classes -------------------------------------------------------------------

    def found(self, document: int, gap: int) -> None:
        """Make a document the founder of a class in a gap."""
        rows = places.split_gap(gap, self.classes)
        chances = self._chances[rows]
        chances[2 * gap : 2 * gap + 3] /= 3
        chances[:, document] = 0
        chances[2 * gap + 1, document] = 1
        self.founders.insert(gap, document)
        self._continue(chances, self._messages[rows])

    def join(self, upper: int) -> None:
        """Make one class of a class and the next."""
        start, stop = 2 * upper + 1, 2 * upper + 4
        smaller = upper if self.counts[upper] < self.counts[upper + 1] else upper + 1
        del self.founders[smaller]
        self._start_from(places.gather(self._chances, start, stop))

    def lay(self, gone: int, over: int) -> None:
        """Make one class of two anywhere, in the belief that many reverse."""
        chances = self._chances.copy()
        chances[2 * over + 1] += chances[2 * gone + 1]
        chances[2 * gone + 1] = 0
        del self.founders[gone]
        self.crowd.suspect()
        self._start_from(places.gather(chances, 2 * gone, 2 * gone + 3))

    def swap(self, upper: int) -> None:
        """Let a class and the next change places."""
        rows = np.arange(len(self._chances))
        rows[[2 * upper + 1, 2 * upper + 3]] = 2 * upper + 3, 2 * upper + 1
        self.founders[upper : upper + 2] = self.founders[upper + 1], self.founders[upper]
        self._start_from(self._chances[rows])

    def split(self, whole: int, members: NDArray[np.intp], upper: Array) -> None:
        """Make two classes of one, given how likely each member is of the upper part."""
        place = 2 * whole + 1
        rows = [*range(place + 1), *range(place - 1, places.place_count(self.classes))]
        chances = self._chances[rows]
        chances[place + 1] = 0
        chances[[place, place + 2]] /= 2
        chances[:, members] = 0
        chances[place, members] = upper
        chances[place + 2, members] = 1 - upper
        founders = int(members[upper.argmax()]), int(members[upper.argmin()])
        self.founders[whole : whole + 1] = founders
        self._start_from(chances)

    def _start_from(self, chances: Array) -> None:
        """Go on from beliefs over other classes than before, as if they were well founded."""
        # Workers seemed to err where they were right, or to be right where they erred: that has to
        # be unlearned first.
        answers = self.answers
        sides = np.take(chances.astype(np.float32), self._sides, axis=1, mode="clip")
        related = factor_messages.relate(sides[:, : len(answers)], sides[:, len(answers) :])
        self.crowd.learn_anew(answers.worker, answers.answer, related)
        likelihood = self.crowd.weigh(answers.worker, answers.answer).likelihood
        told = factor_messages.tell(
            factor_messages.both_ways(likelihood), factor_messages.swapped(sides)
        )
        self._continue(chances, told)
        # Here an answer heard itself, in what was believed: none of that is to be kept.
        self._sent = 0

    def drop(self, gone: int) -> None:
        """Give up a class that has no member."""
        del self.founders[gone]
        start, stop = 2 * gone, 2 * gone + 3
        told = places.gather(self._messages, start, stop, mean=True)
        self._continue(places.gather(self._chances, start, stop), told)

    def _continue(self, chances: Array, told: factor_messages.Many) -> None:
        """Go on with other places than before."""
        self._chances, self._messages = chances, told
        self._odds = None
        self._gather_evidence()
        self.set_prior()
        self.believe()
