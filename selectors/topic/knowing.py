"""What a topic's state says: how documents compare and why, their classes and their scores."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors import ratings
from nextpair.selectors.base import Selector
from nextpair.selectors.errors import SelfComparison
from nextpair.selectors.ratings import bradley_terry
from nextpair.selectors.ratings.match import Match
from nextpair.selectors.topic.believing import Believer, Reliability, agreeing, contradictions
from nextpair.selectors.topic.documents import Documents
from nextpair.selectors.topic.evidence import Evidence
from nextpair.selectors.topic.judgments import Finding, Judgment, Outcome, Pair, unordered
from nextpair.selectors.topic.order import Order
from nextpair.selectors.topic.picture import Picture, picture
from nextpair.selectors.topic.settings import Conflict, Reason
from nextpair.selectors.topic.votes import Ballots, VoteRule


class Knowledge:
    """The half of a topic that only tells."""

    documents: Documents
    selector: Selector
    _order: Order
    _evidence: Evidence
    _log: list[Judgment]
    _conflicts: list[Conflict]
    _ballots: Ballots

    @property
    def order(self) -> Order:
        """What is known, or taken for settled, of how the documents compare."""
        return self.selector.settled() if isinstance(self.selector, Believer) else self._order

    def _findings(self) -> list[Finding]:
        """Tell every judgment as a finding of its own."""
        position = self.documents.position
        return [
            Finding(position(one.first), position(one.second), one.outcome, (one.number,))
            for one in self._log
        ]

    def pair(self, first: str, second: str) -> Pair:
        """Return the unordered pair of two documents, by their ids."""
        one, other = self.documents.position(first), self.documents.position(second)
        if one == other:
            raise SelfComparison(f"document {first!r} cannot be compared with itself")
        return unordered(one, other)

    def relation(self, first: str, second: str) -> Outcome | None:
        """Say how two documents compare, or None where that is not known."""
        self.pair(first, second)
        return self.order.relation(self.documents.position(first), self.documents.position(second))

    def explain(self, first: str, second: str) -> tuple[Reason, ...]:
        """Return the shortest chain of findings from which a relation follows; () if none does."""
        relation = self.relation(first, second)
        if relation is None:
            return ()
        positions = self.documents.position(first), self.documents.position(second)
        ids, evidence = self.documents.ids, self._evidence
        if isinstance(self.selector, Believer):
            evidence = agreeing(self.order, self._findings())
        return tuple(
            Reason(ids[step.first], ids[step.second], step.outcome, step.judgments)
            for step in evidence.chain(*positions, relation)
        )

    def __len__(self) -> int:
        return len(self._log)

    @property
    def log(self) -> tuple[Judgment, ...]:
        """The judgments absorbed so far."""
        return tuple(self._log)

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Every finding that contradicted the order, in the order in which they came.

        Of a selector that believes: every judgment that contradicts what is settled now.
        """
        if isinstance(self.selector, Believer):
            return tuple(contradictions(self.order, self._findings()))
        return tuple(self._conflicts)

    def classes(self) -> list[tuple[str, ...]]:
        """List the tie classes, best first as far as is known, by document ids."""
        return [
            tuple(self.documents.ids[document] for document in members)
            for members in self.order.classes()
        ]

    def certainty(self) -> NDArray[np.float64] | None:
        """Return how likely each document is of its class, if the selector weighs that."""
        return self.selector.certainty() if isinstance(self.selector, Believer) else None

    def picture(self) -> Picture:
        """Return the classes in order, and what is open between them."""
        spans = self.selector.spans() if isinstance(self.selector, Believer) else None
        return picture(self.order, spans)

    def reliabilities(self) -> Sequence[Reliability]:
        """Describe the workers who have answered, if the selector weighs them."""
        return self.selector.reliabilities() if isinstance(self.selector, Believer) else ()

    def matches(self) -> list[Match]:
        """List the pairs with a vote, in the order in which they were first asked."""
        ballots = self._ballots
        if isinstance(self.selector, Believer):
            ballots = Ballots(VoteRule())
            for finding in self._findings():
                told = finding.told_from(min(finding.first, finding.second))
                ballots.cast((told.first, told.second), told.judgments[0], told.outcome)
        return [Match(*pair, ballot.score, ballot.ties) for pair, ballot in ballots.items()]

    def chance(self, first: str, second: str) -> float:
        """Return how likely the first of two documents is the better one, given all judgments.

        From the scores a selector believes in, or else from Bradley-Terry's.
        """
        self.pair(first, second)
        places = self.documents.position(first), self.documents.position(second)
        own = self.selector.chance(*places) if isinstance(self.selector, Believer) else None
        if own is not None:
            return own
        return bradley_terry.chance(len(self.documents), self.matches(), *places)

    def errors(self, rating: str) -> NDArray[np.float64]:
        """Return the standard error of each document's score, NaN where there is none."""
        if rating != "order":
            return ratings.errors(rating, len(self.documents), self.matches())
        if isinstance(self.selector, Believer):
            return self.selector.errors()
        return np.full(len(self.documents), np.nan)

    def scores(self, rating: str | None = None) -> NDArray[np.float64]:
        """Return a number for each document, larger is better.

        Parameters
        ----------
        rating
            `order`, or the name of a rating; the selector's own when not given.
        """
        rating = rating or self.selector.rating
        if rating == "order" and isinstance(self.selector, Believer):
            return self.selector.guesses()
        if rating == "order":
            return np.array(self.order.net_wins(), dtype=np.float64)
        return ratings.rate(rating, len(self.documents), self.matches())
