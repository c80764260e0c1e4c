"""The state of one topic: a deterministic fold over its documents and its judgment log."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from heapq import merge
from operator import attrgetter

import numpy as np

from nextpair.selectors.base import (
    Choice,
    End,
    Idle,
    WorkerHistory,
    find_selector,
    make_options,
    with_judges_defaults,
)
from nextpair.selectors.errors import OutOfSequence, UnknownJudgment
from nextpair.selectors.state.ballots import Ballots, VoteRule
from nextpair.selectors.state.documents import Document, Documents
from nextpair.selectors.state.evidence import Evidence
from nextpair.selectors.state.judgments import Comparison, Judgment, Outcome, Pair, unordered
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Merge, Order
from nextpair.selectors.state.queries import TopicQueries
from nextpair.selectors.state.reported_order import ReportedOrder
from nextpair.selectors.state.settings import (
    Conflict,
    ConflictPolicy,
    Forecast,
    Lease,
    Settings,
)


class Topic(TopicQueries):
    """What is known about one topic, and what to ask next."""

    def __init__(self, documents: Sequence[Document], settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self._pool = tuple(documents)
        self.documents = Documents(documents)
        selector = find_selector(self.settings.selector)
        options = with_judges_defaults(selector, self.settings.judges, self.settings.options)
        self._options = make_options(selector, options)
        self._selector_class = selector.implementation(self._options)
        self._log: list[Judgment] = []
        self._gold_log: list[Judgment] = []
        """Answers to gold questions: they tell about workers and not about documents."""
        self._last_number = -1
        self._reports: dict[str | None, ReportedOrder] = {}
        self._ballots = Ballots(self._vote_rule())
        self._answered: defaultdict[str, dict[Pair, int]] = defaultdict(dict)
        self._conflicts: list[Conflict] = []
        self._overruled: list[Comparison] = []
        self._reopenings: defaultdict[int, int] = defaultdict(int)
        self._rebuild_from(())

    def _vote_rule(self) -> VoteRule:
        votes = self.settings.votes
        if self._selector_class.infers:
            return VoteRule(votes)
        return VoteRule(votes, most=votes, early_stop=False)

    def _rebuild_from(self, comparisons: Iterable[Comparison]) -> None:
        """Start order, evidence and selector anew from these comparisons."""
        self._order = Order(len(self.documents))
        self._evidence = Evidence()
        self.selector = self._selector_class(
            self.documents, self._order, self._options, self.settings.seed
        )
        for comparison in comparisons:
            self._accept(comparison)

    # -- absorbing ------------------------------------------------------------------------------

    def absorb(self, judgment: Judgment) -> None:
        """Absorb the next judgment of the log."""
        if judgment.number <= self._last_number:
            raise OutOfSequence(
                f"judgment {judgment.number} came after judgment {self._last_number}"
            )
        self._reports.clear()
        if judgment.truth is not None:
            self._gold_log.append(judgment)
            self._last_number = judgment.number
            self.selector.observe_gold(judgment.truth, judgment.outcome, judgment.worker)
            return
        first = self.documents.position(judgment.first)
        second = self.documents.position(judgment.second)
        self._log.append(judgment)
        self._last_number = judgment.number
        pair, outcome = (first, second), judgment.outcome
        if first > second:
            pair, outcome = (second, first), outcome.reversed
        self._answered[judgment.worker][pair] = judgment.number
        self.selector.observe(*pair, outcome, judgment.worker)
        if self.selector.counts_votes:
            comparison = self._ballots.cast(pair, judgment.number, outcome)
            if comparison is not None:
                self._absorb_comparison(comparison)

    def _absorb_comparison(self, comparison: Comparison) -> None:
        known = self._order.relation(comparison.first, comparison.second)
        if known is None:
            self._accept(comparison)
        elif known is comparison.outcome:
            self._record(comparison, None)
        else:
            self._resolve_conflict(comparison, known)

    def _accept(self, comparison: Comparison) -> None:
        merge = self._order.absorb(comparison.first, comparison.second, comparison.outcome)
        self._record(comparison, merge)

    def _record(self, comparison: Comparison, merge: Merge | None) -> None:
        self._evidence.add(comparison)
        self.selector.absorb(comparison, merge)

    def _resolve_conflict(self, comparison: Comparison, known: Outcome) -> None:
        document = self._document_to_reopen(comparison)
        explain = self._explainer(comparison, known)
        self._conflicts.append(Conflict(comparison, known, document, explain))
        if document is None:
            self._overrule(comparison)
        else:
            self._reopen(document, comparison)

    def _explainer(
        self, comparison: Comparison, known: Outcome
    ) -> Callable[[], tuple[Comparison, ...]]:
        """Return a function that explains a conflict; the search waits until it is called."""
        positions, size = (comparison.first, comparison.second), len(self._evidence)
        if self.settings.on_conflict != ConflictPolicy.REOPEN:
            return partial(self._evidence.shortest_chain, *positions, known, size)
        # Every re-opening replaces the evidence, which is too large to be kept each time.
        chain = self._evidence.shortest_chain(*positions, known)
        return partial(tuple, chain)

    def _overrule(self, comparison: Comparison) -> None:
        self._overruled.append(comparison)
        self.selector.absorb(comparison, None)

    def _document_to_reopen(self, comparison: Comparison) -> int | None:
        # Without inference nothing rests on other comparisons, so there is nothing to take back.
        if self.settings.on_conflict != ConflictPolicy.REOPEN or not self.selector.infers:
            return None
        document = min(comparison.first, comparison.second, key=self._evidence.count)
        return document if self._reopenings[document] < self.settings.reopenings else None

    def _reopen(self, document: int, comparison: Comparison) -> None:
        self._reopenings[document] += 1
        accepted, overruled = tuple(self._evidence), (*self._overruled, comparison)
        for past in (*accepted, *overruled):
            if past.involves(document):
                self._ballots.reopen((past.first, past.second))
        self._rebuild_from(kept for kept in accepted if not kept.involves(document))
        self._overruled = []
        # What was overruled by evidence that is now in doubt may hold after all.
        for again in (kept for kept in overruled if not kept.involves(document)):
            if self._order.relation(again.first, again.second) in (None, again.outcome):
                self._accept(again)
            else:
                self._overrule(again)

    def retract(self, *numbers: int) -> "Topic":
        """Return the state as it would be if these judgments had never been made."""
        retracted = set(numbers)
        log = list(merge(self._log, self._gold_log, key=attrgetter("number")))
        unknown = sorted(retracted - {judgment.number for judgment in log})
        if unknown:
            raise UnknownJudgment(f"the topic has no judgment {', '.join(map(str, unknown))}")
        remaining = (judgment for judgment in log if judgment.number not in retracted)
        return fold(self._pool, remaining, self.settings)

    def answered_by(self, worker: str) -> Mapping[Pair, int]:
        """Return the pairs a worker has judged, each with the number of the judgment."""
        return self._answered.get(worker, {})

    # -- selecting ------------------------------------------------------------------------------

    def select(
        self,
        worker: str,
        leases: Sequence[Lease],
        rng: np.random.Generator,
        barred: Iterable[Pair] = (),
    ) -> Choice:
        """Choose what to ask a worker now: a pair of positions, or why there is none.

        Parameters
        ----------
        barred
            Pairs this worker must not get, such as those they skipped.
        """
        held = {unordered(*lease.pair) for lease in leases if lease.worker == worker}
        skipped = {unordered(*pair) for pair in barred}
        history = WorkerHistory(worker, self._excluded_for(worker), frozenset(held | skipped))
        choice = self._choose(history, leases, skipped, rng)
        if choice is not Idle.WAIT:
            return choice
        reason = self._idle_reason(history, leases)
        if reason is Idle.SEEN and self.settings.single_judge and not skipped:
            # The one judge has answered everything; a pair they skipped may go to somebody else.
            return Idle.DONE
        return reason

    def _excluded_for(self, worker: str) -> dict[Pair, int]:
        """Return the answered pairs that must not be put to a worker, oldest first."""
        if not self.settings.single_judge:
            return self._answered.get(worker, {})
        return {pair: number for pairs in self._answered.values() for pair, number in pairs.items()}

    def _choose(
        self,
        history: WorkerHistory,
        leases: Sequence[Lease],
        skipped: set[Pair],
        rng: np.random.Generator,
    ) -> Choice:
        asked_before = [pair for pair in self._ballots.dormant if pair in history.answered]
        open_pairs = OpenPairs(
            self._order,
            self._votes_wanted(leases),
            (*skipped, *asked_before),
            (lease.pair for lease in leases),
        )
        return self.selector.select(open_pairs, history, rng)

    def _idle_reason(self, history: WorkerHistory, leases: Sequence[Lease]) -> Idle:
        """Return why a worker gets no pair: an answer can be awaited only if a pair is leased.

        A worker who has seen every remaining pair waits for nobody: no answer leads to a pair for
        them.
        """
        others = any(lease.worker != history.id for lease in leases)
        if others and self._has_unseen(history):
            return Idle.WAIT
        if any(lease.worker == history.id for lease in leases):
            return Idle.HELD
        return Idle.SEEN if others or history.answered or history.held else Idle.DONE

    def _has_unseen(self, history: WorkerHistory) -> bool:
        """Return whether there is a remaining pair that this worker has not seen."""
        return any(not history.has_seen(unordered(*pair)) for pair in self._remaining_pairs())

    def _remaining_pairs(self) -> Iterable[Pair]:
        """Yield the pairs that may still be asked of anybody."""
        planned = self.selector.planned_pairs()
        return self._order.unrelated() if planned is None else planned

    def _votes_wanted(self, leases: Iterable[Lease]) -> dict[Pair, int]:
        wanted = {pair: self._votes_needed(pair) for pair in self._ballots.voting}
        for lease in leases:
            pair = unordered(*lease.pair)
            wanted[pair] = (wanted[pair] if pair in wanted else self._votes_needed(pair)) - 1
        return wanted

    def _votes_needed(self, pair: Pair) -> int:
        if self.selector.infers and self._order.relation(*pair) is not None:
            return 0
        return self._ballots.needed(pair)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to ask of anybody."""
        return self.select("", (), self.settings.question_rng(0)) is Idle.DONE

    @property
    def ended(self) -> End | None:
        """Why nothing is left to ask of anybody; None while something is."""
        if not self.finished:
            return None
        if self.selector.planned_pairs() is not None:
            return End.PLAN
        if self.selector.goal_reached:
            return End.KNOWN
        return End.BUDGET if self.selector.budget_spent else End.EXHAUSTED

    def forecast(self) -> Forecast | None:
        """Predict how many more judgments are needed, if the selector can."""
        planned = self.selector.planned_pairs()
        if planned is None:
            forecast = self.selector.forecast()
            if forecast is None or not self.selector.counts_votes:
                return forecast
            # A forecast of pairs assumes judges who do not err, so the votes on a pair agree.
            votes = self._vote_rule().needed_at_first
            return Forecast(forecast.expected * votes, forecast.low * votes, forecast.high * votes)
        votes = sum(self._votes_needed(pair) for pair in planned)
        return Forecast(votes, votes, votes)


def fold(
    documents: Sequence[Document], log: Iterable[Judgment], settings: Settings | None = None
) -> Topic:
    """Rebuild a topic from its log."""
    topic = Topic(documents, settings)
    for judgment in log:
        topic.absorb(judgment)
    return topic
