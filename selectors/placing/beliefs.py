"""What is believed of every document's place, from all answers together.

Documents and answers form a graph: an answer ties the places of its two documents together by how
its worker answers. Beliefs are found by passing messages along it (belief propagation): each answer
tells either document what it says of its place, given what is otherwise believed of the other.
Nothing is ever decided for good: a later answer moves the beliefs of all it bears on.
"""

import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from nextpair.selectors.placing import messages, places
from nextpair.selectors.placing.answers import Answers
from nextpair.selectors.placing.crowd import Crowd
from nextpair.selectors.placing.places import Array
from nextpair.selectors.topic.believing import Reliability

DAMPING = 0.5
"""How much of a message is kept when it is sent anew, so that messages do not swing."""
FOUNDER = 100.0
"""How much likelier the founder of a class without other members is of it than of a new one."""


@dataclass(frozen=True, slots=True)
class Rarity:
    """How likely a document is of a class that has not been found yet.

    Parameters
    ----------
    lasting, fading
        Documents' worth of chance, for ever and at the beginning.
    pace
        After so many documents the second part has fallen to a third.
    """

    lasting: float = 1.0
    fading: float = 4.0
    pace: float = 40.0

    def of_new(self, judged: float) -> float:
        """Return the weight of all gaps together, where each judged document weighs 1."""
        return self.lasting + self.fading * float(np.exp(-judged / self.pace))


class Beliefs:
    """Beliefs over the places of `size` documents, among classes that may change.

    Parameters
    ----------
    founder
        The document whose class is the first one; `founders` has the surest member of each.
    """

    def __init__(self, size: int, founder: int, rarity: Rarity | None = None) -> None:
        self.size = size
        self.answers = Answers(size)
        self.crowd = Crowd()
        self.founders = [founder] if size else []
        self.judged = np.zeros(size, dtype=np.bool_)
        self._rarity = rarity or Rarity()
        self._hints = np.zeros((size, 0))
        width = places.place_count(self.classes)
        self._messages = np.zeros((width, 0), dtype=np.float32)
        self._sides = np.zeros(0, dtype=np.intp)
        self._evidence = np.zeros((size, width))
        self.beliefs = np.zeros((size, width))
        self._prior = self._plain_prior = np.zeros((size, width))
        self._incidence = self.answers.incidence()
        self._explained = 0.0
        self.set_prior()
        self.believe()

    @property
    def classes(self) -> int:
        """How many classes have been found."""
        return len(self.founders)

    @property
    def counts(self) -> Array:
        """How many judged documents each class is expected to have."""
        expected: Array = self.beliefs[self.judged, 1::2].sum(axis=0)
        return expected

    @property
    def likeliest(self) -> NDArray[np.intp]:
        """The class each document is most likely of, by number, the best class being 0."""
        if not self.classes:
            return np.zeros(self.size, dtype=np.intp)
        numbers: NDArray[np.intp] = self.beliefs[:, 1::2].argmax(axis=1)
        return numbers

    def hint(self, hints: Array) -> None:
        """Take over what features say: the log of how much likelier they make each class."""
        self._hints = hints

    @property
    def hinted(self) -> bool:
        """Whether what features say is about the classes there are now."""
        return self._hints.shape[1] == self.classes

    # -- passing messages -----------------------------------------------------------------------

    def set_prior(self) -> None:
        """Say what is likely of a document before anybody has judged it."""
        counts = self.counts
        if self.judged.any():
            # Who founded a class may turn out to be of another: the surest member takes over.
            likely = np.where(self.judged[:, None], self.beliefs[:, 1::2], 0)
            self.founders = likely.argmax(axis=0).tolist()
        new = self._rarity.of_new(counts.sum()) / (self.classes + 1)
        own = self.beliefs[:, 1::2] * self.judged[:, None]
        weights = np.full((self.size, places.place_count(self.classes)), new)
        weights[:, 1::2] = np.maximum(counts - own, 0) + new
        if self.hinted:
            weights[:, 1::2] *= np.exp(self._hints)
        self._plain_prior = np.log(weights / weights.sum(axis=1, keepdims=True))
        alone = np.clip(1 - (counts - np.diag(own[self.founders])), 0, 1)
        self._prior = self._plain_prior.copy()
        classes = np.arange(1, weights.shape[1], 2)
        self._prior[self.founders, classes] += np.log1p(FOUNDER * alone)

    def believe(self) -> None:
        """Put prior and evidence together."""
        self.beliefs = _normalised(self._prior + self._evidence)

    def pass_messages(self) -> None:
        """Send every message once, and learn how workers answer from what comes out."""
        count, answers, told = len(self.answers), self.answers, self._messages
        total = messages.in_columns(self._prior + self._evidence)
        # What is believed of each side without what this very answer told it.
        otherwise = messages.shares(total[:, self._sides] - told)
        np.maximum(otherwise, messages.LEAST, out=otherwise)
        likelihood = self.crowd.likelihood(answers.worker, answers.answer)
        sent = messages.tell(messages.both_ways(likelihood), messages.swapped(otherwise))
        np.log(sent, out=sent)
        self._messages = DAMPING * told + (1 - DAMPING) * sent
        self._gather_evidence()
        self.believe()
        truths = likelihood * messages.relate(otherwise[:, :count], otherwise[:, count:])
        chances = truths.sum(axis=0)
        self._explained = float(np.log(chances).sum(dtype=np.float64))
        self.crowd.learn(answers.worker, answers.answer, truths / chances)

    def _gather_evidence(self) -> None:
        self._evidence = self._incidence @ np.ascontiguousarray(self._messages.T, dtype=np.float64)

    def support(self) -> float:
        """Return how well classes and workers explain all answers, as a logarithm.

        This is Bethe's approximation, as good as the messages are: it counts what documents say of
        their answers, less what the two documents of an answer say twice.
        """
        documents = logsumexp((self._plain_prior + self._evidence)[self.judged], axis=1)
        return float(documents.sum()) - self._explained + self.crowd.plausibility

    def extend(self) -> None:
        """Make room for the messages of answers that have come since."""
        old, new = self._messages.shape[1] // 2, len(self.answers)
        extended = np.zeros((places.place_count(self.classes), 2 * new), dtype=np.float32)
        extended[:, :old] = self._messages[:, :old]
        extended[:, new : new + old] = self._messages[:, old:]
        self._messages = extended
        self._sides = np.concatenate([self.answers.first, self.answers.second])
        self._incidence = self.answers.incidence()
        self.judged[self._sides] = True

    def take_in(self, start: int) -> None:
        """Let each answer from a number on move the beliefs of its two documents, and no others.

        Answers count one after the other; those about other documents can as well count at once.
        """
        numbers = np.arange(start, len(self.answers))
        while len(numbers):
            firsts, seconds = self.answers.first[numbers], self.answers.second[numbers]
            in_turn = _first_of_each(firsts, seconds)
            self._take_in_at_once(numbers[in_turn])
            numbers = numbers[~in_turn]

    def _take_in_at_once(self, numbers: NDArray[np.intp]) -> None:
        answers = self.answers
        sides = np.concatenate([answers.first[numbers], answers.second[numbers]])
        likelihood = self.crowd.likelihood(answers.worker[numbers], answers.answer[numbers])
        others = messages.swapped(messages.in_columns(self.beliefs[sides]))
        told = messages.tell(messages.both_ways(likelihood), others)
        self._evidence[sides] += np.log(told).T
        self.judged[sides] = True
        self.beliefs[sides] = _normalised(self._prior[sides] + self._evidence[sides])

    def restart_from(self, evidence: Array) -> None:
        """Forget what single answers have moved since evidence was as given."""
        self._evidence = evidence.copy()
        self.believe()

    @property
    def evidence(self) -> Array:
        """What all answers say of every document's place, as logarithms."""
        return self._evidence

    def twin(self) -> "Beliefs":
        """Return beliefs that can be changed without changing these."""
        twin = copy.copy(self)
        twin.answers = self.answers.so_far()
        twin.crowd = self.crowd.twin()
        twin.founders = self.founders.copy()
        twin.judged = self.judged.copy()
        twin._evidence = self._evidence.copy()
        twin.beliefs = self.beliefs.copy()
        return twin

    def reliabilities(self) -> list[Reliability]:
        """Describe the workers who have answered."""
        return self.crowd.reliabilities(np.bincount(self.answers.worker))

    # -- changing the classes -------------------------------------------------------------------

    def found(self, document: int, gap: int) -> None:
        """Make a document the founder of a class in a gap."""
        columns = places.split_gap(gap, self.classes)
        beliefs = self.beliefs[:, columns]
        beliefs[:, 2 * gap : 2 * gap + 3] /= 3
        beliefs[document] = 0
        beliefs[document, 2 * gap + 1] = 1
        self.founders.insert(gap, document)
        self._continue(beliefs, self._messages[columns])

    def join(self, upper: int) -> None:
        """Make one class of a class and the next."""
        start, stop = 2 * upper + 1, 2 * upper + 4
        smaller = upper if self.counts[upper] < self.counts[upper + 1] else upper + 1
        del self.founders[smaller]
        self._start_from(places.gather(self.beliefs, start, stop))

    def split(self, whole: int, members: NDArray[np.intp], upper: Array) -> None:
        """Make two classes of one, given how likely each member is of the upper part."""
        place = 2 * whole + 1
        columns = [*range(place + 1), *range(place - 1, places.place_count(self.classes))]
        beliefs = self.beliefs[:, columns]
        beliefs[:, place + 1] = 0
        beliefs[:, [place, place + 2]] /= 2
        beliefs[members] = 0
        beliefs[members, place] = upper
        beliefs[members, place + 2] = 1 - upper
        founders = int(members[upper.argmax()]), int(members[upper.argmin()])
        self.founders[whole : whole + 1] = founders
        self._start_from(beliefs)

    def _start_from(self, beliefs: Array) -> None:
        """Go on from beliefs over other classes than before, as if they were well founded."""
        self.beliefs = beliefs
        # Workers seemed to err where they were right, or to be right where they erred: that has to
        # be unlearned first.
        answers, sides = self.answers, messages.in_columns(beliefs)[:, self._sides]
        related = messages.relate(sides[:, : len(answers)], sides[:, len(answers) :])
        self.crowd.learn(answers.worker, answers.answer, related / related.sum(axis=0))
        likelihood = self.crowd.likelihood(answers.worker, answers.answer)
        told = messages.tell(messages.both_ways(likelihood), messages.swapped(sides))
        self._continue(beliefs, np.log(told))

    def drop(self, gone: int) -> None:
        """Give up a class that has no member."""
        del self.founders[gone]
        start, stop = 2 * gone, 2 * gone + 3
        told = places.gather(np.exp(self._messages.T.astype(np.float64)), start, stop, mean=True)
        logs = messages.in_columns(np.log(told))
        self._continue(places.gather(self.beliefs, start, stop), logs)

    def _continue(self, beliefs: Array, told: messages.Many) -> None:
        """Go on with other places than before."""
        self.beliefs, self._messages = beliefs, told
        self._hints = np.zeros((self.size, 0))
        self._gather_evidence()
        self.set_prior()
        self.believe()


def _normalised(logs: Array) -> Array:
    weights: Array = np.ascontiguousarray(logs.T)
    weights -= weights.max(axis=0)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=0)
    return np.ascontiguousarray(weights.T)


def _first_of_each(firsts: NDArray[np.intp], seconds: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Say which pairs have no document of a pair before them."""
    order = np.arange(len(firsts))
    earliest = np.full(max(firsts.max(), seconds.max()) + 1, len(firsts))
    np.minimum.at(earliest, firsts, order)
    np.minimum.at(earliest, seconds, order)
    first: NDArray[np.bool_] = (earliest[firsts] == order) & (earliest[seconds] == order)
    return first
