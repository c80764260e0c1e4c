"""The read side of a topic: relations and explanations, ranking and conflicts."""

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
from nextpair.selectors.state.bayesian_selector import contradictions, supporting_evidence
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.evidence import Evidence
from nextpair.selectors.state.isotonic import isotonic_adjustment
from nextpair.selectors.state.judgments import Comparison, Judgment, Outcome, Pair, unordered
from nextpair.selectors.state.layout import OrderLayout, lay_out, lay_out_levels
from nextpair.selectors.state.order import Order
from nextpair.selectors.state.rank_bounds import RankBounds, rank_bounds, rank_bounds_from_counts
from nextpair.selectors.state.reported_order import ReportedOrder, dense_ranks, statuses
from nextpair.selectors.state.settings import Conflict, ExplanationStep, Reliability


class TopicQueries:
    """The read side of `Topic`: it changes nothing but its cache of reported orders."""

    documents: Documents
    selector: Selector
    _evidence: Evidence
    _log: list[Judgment]
    _conflicts: list[Conflict]
    _ballots: Ballots
    _answered: Mapping[str, Mapping[Pair, int]]
    _reports: dict[str | None, ReportedOrder]

    def __len__(self) -> int:
        return len(self._log)

    @property
    def log(self) -> tuple[Judgment, ...]:
        """The judgments absorbed so far."""
        return tuple(self._log)

    @property
    def order(self) -> Order:
        """The relations that are known, or that the posterior takes for settled.

        Empty for a selector that infers nothing and has no posterior.
        """
        return self.selector.settled_order()

    def _comparisons(self) -> list[Comparison]:
        """Return every judgment as a comparison of its own."""
        position = self.documents.position
        return [
            Comparison(
                position(judgment.first),
                position(judgment.second),
                judgment.outcome,
                (judgment.number,),
            )
            for judgment in self._log
        ]

    @property
    def _ranked_by_rating(self) -> bool:
        """Whether the selector leaves the order to a rating."""
        return self.selector.counts_votes and not self.selector.infers

    # -- the reported order ---------------------------------------------------------------------

    def reported(self, rating: str | None = None) -> ReportedOrder:
        """Return the reported order: documents with scores, ties and statuses.

        While no answer contradicts another, it agrees with all of them.

        Parameters
        ----------
        rating
            Rank by this rating, without adjustment; by the selector's own when not given.
        """
        if rating not in self._reports:
            self._reports[rating] = self._report(rating)
        return self._reports[rating]

    def _report(self, rating: str | None) -> ReportedOrder:
        name = rating or self.selector.rating
        judged = self.judged()
        if rating is None or name == "order":
            estimates, has_classes = self._estimates(judged)
        else:
            estimates, has_classes = ratings.rate(name, len(self.documents), self.matches()), False
        return ReportedOrder(
            self.documents.ids,
            name,
            estimates,
            self._standard_errors(name),
            statuses(judged, self.selector.settled_documents()),
            has_classes,
            self._rank_bounds(),
        )

    def _estimates(self, judged: NDArray[np.bool_]) -> tuple[NDArray[np.float64], bool]:
        """Return the score of every document, and whether equal scores are ties."""
        if self._ranked_by_rating:
            base = ratings.rate(self.selector.rating, len(self.documents), self.matches())
        else:
            base = self.selector.point_estimates()
        adjusted = isotonic_adjustment(base, self.order.extended_by(self._trusted_comparisons()))
        if not self.selector.has_classes:
            return adjusted, False
        classes = adjusted.copy()
        classes[judged] = dense_ranks(adjusted[judged])
        if judged.any():
            # An unjudged document is expected in the nearest of the judged documents' classes.
            nearest = np.abs(adjusted[~judged][:, None] - adjusted[judged]).argmin(axis=1)
            classes[~judged] = classes[judged][nearest]
        return classes, True

    def _trusted_comparisons(self) -> list[Comparison]:
        """Return the judgments of workers whose expected share of right answers is at least half.

        Without a model of workers, all judgments.
        """
        doubted = {worker.worker for worker in self.reliabilities() if worker.right < 0.5}
        numbers = {judgment.number for judgment in self._log if judgment.worker not in doubted}
        return [
            comparison for comparison in self._comparisons() if comparison.judgments[0] in numbers
        ]

    def judged(self) -> NDArray[np.bool_]:
        """Return which documents have been judged."""
        judged: NDArray[np.bool_] = np.zeros(len(self.documents), dtype=np.bool_)
        for pairs in self._answered.values():
            for pair in pairs:
                judged[list(pair)] = True
        return judged

    def count_settled(self) -> int:
        """Count the settled documents without the reported order, which takes far longer."""
        if None in self._reports:
            return self._reports[None].settled
        return int((self.judged() & self.selector.settled_documents()).sum())

    def _rank_bounds(self) -> RankBounds:
        if not self._ranked_by_rating:
            return rank_bounds(self.order)
        wins, losses = ([0] * len(self.documents) for _ in range(2))
        for match in self.matches():
            winner, loser = match.first, match.second
            if match.score < 0.5:
                winner, loser = loser, winner
            if match.score != 0.5:
                wins[winner] += 1
                losses[loser] += 1
        return rank_bounds_from_counts(wins, losses)

    # -- relations ------------------------------------------------------------------------------

    def pair(self, first: str, second: str) -> Pair:
        """Return the unordered pair of two documents, by their ids."""
        return unordered(*self._positions(first, second))

    def _positions(self, first: str, second: str) -> Pair:
        positions = self.documents.position(first), self.documents.position(second)
        if positions[0] == positions[1]:
            raise SelfComparison(f"document {first!r} cannot be compared with itself")
        return positions

    def relation(self, first: str, second: str) -> Outcome | None:
        """Return how the first document compares with the second; None if that is not known."""
        positions = self._positions(first, second)
        if not self._ranked_by_rating:
            return self.order.relation(*positions)
        majority = self._majority(unordered(*positions))
        return None if majority is None else majority.seen_from(positions[0]).outcome

    def _majority(self, pair: Pair) -> Comparison | None:
        """Return the majority of the votes on a pair, unless the reported order contradicts it."""
        ballot = self._ballots.of(pair)
        if ballot is None or ballot.outcome is None:
            return None
        first, second = self.reported().estimates[list(pair)]
        by_order = Outcome.BETTER if first > second else Outcome.WORSE
        agrees = ballot.outcome in (Outcome.TIE, by_order)
        return Comparison(*pair, ballot.outcome, ballot.judgments) if agrees else None

    def explain(self, first: str, second: str) -> tuple[ExplanationStep, ...]:
        """Return the shortest chain of comparisons that implies a relation; () if none does."""
        relation = self.relation(first, second)
        if relation is None:
            return ()
        positions = self._positions(first, second)
        ids = self.documents.ids
        chain = self._supporting_evidence(positions).shortest_chain(*positions, relation)
        return tuple(
            ExplanationStep(ids[step.first], ids[step.second], step.outcome, step.judgments)
            for step in chain
        )

    def _supporting_evidence(self, positions: Pair) -> Evidence:
        """Return the comparisons from which the relation of a pair may follow."""
        if not self.selector.counts_votes:
            return supporting_evidence(self.order, self._comparisons())
        if self.selector.infers:
            return self._evidence
        evidence = Evidence()
        majority = self._majority(unordered(*positions))
        assert majority is not None, "there is a relation"
        evidence.add(majority)
        return evidence

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The comparisons that contradicted the order, in the order in which they came.

        For a Bayesian selector: the judgments that contradict what is settled at present.
        """
        if not self.selector.counts_votes:
            return tuple(contradictions(self.order, self._comparisons()))
        return tuple(self._conflicts)

    def win_probability(self, first: str, second: str) -> float:
        """Return the probability that the first document is better, a tie counting half.

        From the model that the order is reported from, so that the two never contradict.
        """
        positions = self._positions(first, second)
        reported = self.reported()
        difference = float(reported.estimates[positions[0]] - reported.estimates[positions[1]])
        if self._ranked_by_rating:
            error = math.hypot(*reported.standard_errors[list(positions)])
            return float(ndtr(difference / error)) if error > 0 else 0.5
        relation = self.order.relation(*positions)
        if relation is Outcome.TIE:
            return 0.5
        probability = self.selector.win_probability(*positions)
        if probability is None:
            if relation is not None:
                return float(relation is Outcome.BETTER)
            probability = bradley_terry.chance(len(self.documents), self.matches(), *positions)
        if difference > 0:
            return max(probability, 0.5)
        return min(probability, 0.5) if difference < 0 else probability

    # -- scores, classes, workers ---------------------------------------------------------------

    def classes(self) -> list[tuple[str, ...]]:
        """List the judged documents in classes of equals, best first, by their ids."""
        return self.reported().classes

    def layout(self) -> OrderLayout:
        """Return the classes in order, and the places that remain possible for other documents."""
        if self._ranked_by_rating:
            return lay_out_levels(self.reported().levels)
        return lay_out(self.order, self.selector.place_intervals())

    def certainty(self) -> NDArray[np.float64] | None:
        """Return the posterior probability of each document's place, if there is a posterior."""
        return self.selector.certainty()

    def reliabilities(self) -> Sequence[Reliability]:
        """Describe the workers who have answered, if the selector models workers."""
        return self.selector.reliabilities()

    def matches(self) -> list[Match]:
        """List the pairs with a vote, in the order in which they were first asked."""
        ballots = self._ballots
        if not self.selector.counts_votes:
            ballots = Ballots(VoteRule())
            for comparison in self._comparisons():
                vote = comparison.seen_from(min(comparison.first, comparison.second))
                ballots.cast((vote.first, vote.second), vote.judgments[0], vote.outcome)
        return [Match(*pair, ballot.score, ballot.ties) for pair, ballot in ballots.items()]

    def _standard_errors(self, rating: str) -> NDArray[np.float64]:
        if rating != "order":
            return ratings.errors(rating, len(self.documents), self.matches())
        return self.selector.standard_errors()

    def standard_errors(self, rating: str | None = None) -> NDArray[np.float64]:
        """Return the standard error of each document's score, NaN where there is none."""
        return self.reported(rating).standard_errors

    def scores(self, rating: str | None = None) -> NDArray[np.float64]:
        """Return a number for each document, larger is better, unjudged ones included.

        Parameters
        ----------
        rating
            `order`, or the name of a rating; the selector's own when not given.
        """
        return self.reported(rating).estimates
