"""What a topic's state says: how documents compare and why, their classes and their scores."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from nextpair.selectors import ratings
from nextpair.selectors.base import Selector
from nextpair.selectors.errors import SelfComparison
from nextpair.selectors.ratings import bradley_terry
from nextpair.selectors.ratings.match import Match
from nextpair.selectors.state.ballots import Ballots, VoteRule
from nextpair.selectors.state.bayesian_selector import (
    Believer,
    Reliability,
    agreeing,
    contradictions,
)
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.evidence import Evidence
from nextpair.selectors.state.isotonic import monotone
from nextpair.selectors.state.judgments import Finding, Judgment, Outcome, Pair, unordered
from nextpair.selectors.state.layout import Picture, picture, picture_of_levels
from nextpair.selectors.state.order import Order
from nextpair.selectors.state.rank_bounds import Standing, standing
from nextpair.selectors.state.reported_order import (
    ReportedOrder,
    bounds_from,
    count_worse,
    statuses,
)
from nextpair.selectors.state.settings import Conflict, Reason


class Knowledge:
    """The half of a topic that only tells."""

    documents: Documents
    selector: Selector
    _order: Order
    _evidence: Evidence
    _log: list[Judgment]
    _conflicts: list[Conflict]
    _ballots: Ballots
    _answered: Mapping[str, Mapping[Pair, int]]
    _nothing: Order
    _reports: dict[str | None, ReportedOrder]

    @property
    def order(self) -> Order:
        """What is known, or taken for settled, of how the documents compare.

        Of a selector that infers nothing: nothing beyond the pairs people were asked about.
        """
        if isinstance(self.selector, Believer):
            return self.selector.settled()
        return self._order if self.selector.infers else self._nothing

    def _findings(self) -> list[Finding]:
        """Tell every judgment as a finding of its own."""
        position = self.documents.position
        return [
            Finding(position(one.first), position(one.second), one.outcome, (one.number,))
            for one in self._log
        ]

    @property
    def _rates(self) -> bool:
        """Whether the selector leaves it to a rating to order the documents."""
        return not self.selector.infers and not isinstance(self.selector, Believer)

    # -- the reported order ---------------------------------------------------------------------

    def reported(self, rating: str | None = None) -> ReportedOrder:
        """Return what is reported of the documents: their order, scores and statuses.

        As long as no answer contradicts another, the reported order agrees with all of them.

        Parameters
        ----------
        rating
            Rank by this rating instead, exactly as it comes; the selector's own when not given.
        """
        if rating not in self._reports:
            self._reports[rating] = self._report(rating)
        return self._reports[rating]

    def _report(self, rating: str | None) -> ReportedOrder:
        named = rating or self.selector.rating
        judged = self.judged()
        if rating is None or named == "order":
            estimates, has_classes = self._estimates(judged)
        else:
            estimates, has_classes = ratings.rate(named, len(self.documents), self.matches()), False
        return ReportedOrder(
            self.documents.ids,
            named,
            estimates,
            self._errors(named),
            statuses(judged, self._settled_documents()),
            has_classes,
            self._rank_bounds(),
        )

    def _estimates(self, judged: NDArray[np.bool_]) -> tuple[NDArray[np.float64], bool]:
        """Return the score of every document, and whether equal ones are tied."""
        if isinstance(self.selector, Believer):
            base, has_classes = self.selector.guesses(), self.selector.has_classes
        elif self._rates:
            base = ratings.rate(self.selector.rating, len(self.documents), self.matches())
            has_classes = False
        else:
            base, has_classes = np.array(self.order.net_wins(), dtype=np.float64), True
        found = monotone(base, self.order.extended(self._believed_findings()))
        if not has_classes:
            return found, False
        classes = found.copy()
        classes[judged] = count_worse(found[judged])
        if judged.any():
            # An unjudged document is expected in the nearest class of those there are.
            nearest = np.abs(found[~judged][:, None] - found[judged]).argmin(axis=1)
            classes[~judged] = classes[judged][nearest]
        return classes, True

    def _believed_findings(self) -> list[Finding]:
        """Tell the judgments of workers who are believed to be right more often than not."""
        if not isinstance(self.selector, Believer):
            return self._findings()
        doubted = {one.worker for one in self.reliabilities() if one.right < 0.5}
        numbers = {one.number for one in self._log if one.worker not in doubted}
        return [one for one in self._findings() if one.judgments[0] in numbers]

    def judged(self) -> NDArray[np.bool_]:
        """Say which documents somebody has judged."""
        found: NDArray[np.bool_] = np.zeros(len(self.documents), dtype=np.bool_)
        for pairs in self._answered.values():
            for pair in pairs:
                found[list(pair)] = True
        return found

    def count_settled(self) -> int:
        """Count the settled documents; the reported order says which, and takes far longer."""
        if None in self._reports:
            return self._reports[None].settled
        return int((self.judged() & self._settled_documents()).sum())

    def _settled_documents(self) -> NDArray[np.bool_]:
        if isinstance(self.selector, Believer):
            return self.selector.settled_documents()
        settled: NDArray[np.bool_] = np.ones(len(self.documents), dtype=np.bool_)
        planned = self.selector.planned()
        if planned is not None:
            settled[[document for pair in planned for document in pair]] = False
        elif self.selector.infers:
            ranks = standing(self.order)
            settled = ranks.best == ranks.worst
        return settled

    def _rank_bounds(self) -> Standing:
        if not self._rates:
            return standing(self.order)
        wins, losses = ([0] * len(self.documents) for _ in range(2))
        for match in self.matches():
            winner, loser = match.first, match.second
            if match.score < 0.5:
                winner, loser = loser, winner
            if match.score != 0.5:
                wins[winner] += 1
                losses[loser] += 1
        return bounds_from(wins, losses)

    def pair(self, first: str, second: str) -> Pair:
        """Return the unordered pair of two documents, by their ids."""
        one, other = self.documents.position(first), self.documents.position(second)
        if one == other:
            raise SelfComparison(f"document {first!r} cannot be compared with itself")
        return unordered(one, other)

    def relation(self, first: str, second: str) -> Outcome | None:
        """Say how two documents compare, or None where that is not known."""
        pair = self.pair(first, second)
        places = self.documents.position(first), self.documents.position(second)
        if not self._rates:
            return self.order.relation(*places)
        told = self._direct(pair)
        return None if told is None else told.told_from(places[0]).outcome

    def _direct(self, pair: Pair) -> Finding | None:
        """Return what the votes on a pair came to, unless the reported order says otherwise."""
        ballot = self._ballots.of(pair)
        if ballot is None or ballot.outcome is None:
            return None
        first, second = self.reported().estimates[list(pair)]
        by_order = Outcome.BETTER if first > second else Outcome.WORSE
        agrees = ballot.outcome in (Outcome.TIE, by_order)
        return Finding(*pair, ballot.outcome, ballot.judgments) if agrees else None

    def explain(self, first: str, second: str) -> tuple[Reason, ...]:
        """Return the shortest chain of findings from which a relation follows; () if none does."""
        relation = self.relation(first, second)
        if relation is None:
            return ()
        positions = self.documents.position(first), self.documents.position(second)
        ids, evidence = self.documents.ids, self._evidence
        if isinstance(self.selector, Believer):
            evidence = agreeing(self.order, self._findings())
        elif self._rates:
            evidence = Evidence()
            told = self._direct(self.pair(first, second))
            assert told is not None, "there is a relation"
            evidence.add(told)
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
        """List the judged documents in groups of equals, best first, by their ids."""
        return self.reported().classes

    def certainty(self) -> NDArray[np.float64] | None:
        """Return how likely each document is of its class, if the selector weighs that."""
        return self.selector.certainty() if isinstance(self.selector, Believer) else None

    def picture(self) -> Picture:
        """Return the classes in order, and what is open between them."""
        if self._rates:
            return picture_of_levels(self.reported().levels)
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
        """Return how likely the first of two documents is the better one, a tie counting half.

        From the model that the order is reported from, so that the two never contradict.
        """
        self.pair(first, second)
        places = self.documents.position(first), self.documents.position(second)
        reported = self.reported()
        apart = float(reported.estimates[places[0]] - reported.estimates[places[1]])
        if self._rates:
            error = math.hypot(*reported.errors[list(places)])
            return float(ndtr(apart / error)) if error > 0 else 0.5
        relation = self.order.relation(*places)
        if relation is Outcome.TIE:
            return 0.5
        if isinstance(self.selector, Believer):
            found = self.selector.chance(*places)
        elif relation is not None:
            return float(relation is Outcome.BETTER)
        else:
            found = bradley_terry.chance(len(self.documents), self.matches(), *places)
        return max(found, 0.5) if apart > 0 else min(found, 0.5) if apart < 0 else found

    def _errors(self, rating: str) -> NDArray[np.float64]:
        """Return the standard error of each document's score, NaN where there is none."""
        if rating != "order":
            return ratings.errors(rating, len(self.documents), self.matches())
        if isinstance(self.selector, Believer):
            return self.selector.errors()
        return np.full(len(self.documents), np.nan)

    def errors(self, rating: str | None = None) -> NDArray[np.float64]:
        """Return the standard error of each document's score, NaN where there is none."""
        return self.reported(rating).errors

    def scores(self, rating: str | None = None) -> NDArray[np.float64]:
        """Return a number for each document, larger is better, unjudged ones included.

        Parameters
        ----------
        rating
            `order`, or the name of a rating; the selector's own when not given.
        """
        return self.reported(rating).estimates
