"""One topic's state: a deterministic fold over its documents and its judgment log."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from heapq import merge
from itertools import combinations
from operator import attrgetter

import numpy as np

from nextpair.selectors.base import (
    Choice,
    End,
    Idle,
    Worker,
    find_selector,
    make_options,
    options_for,
)
from nextpair.selectors.errors import OutOfSequence, UnknownJudgment
from nextpair.selectors.state.ballots import Ballots, VoteRule
from nextpair.selectors.state.bayesian_selector import Believer
from nextpair.selectors.state.documents import Document, Documents
from nextpair.selectors.state.evidence import Evidence
from nextpair.selectors.state.judgments import Finding, Judgment, Outcome, Pair, unordered
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Merge, Order
from nextpair.selectors.state.queries import Knowledge
from nextpair.selectors.state.reported_order import ReportedOrder
from nextpair.selectors.state.settings import (
    Conflict,
    ConflictPolicy,
    Forecast,
    Lease,
    Settings,
)


class Topic(Knowledge):
    """What is known about one topic, and what to ask next."""

    def __init__(self, documents: Sequence[Document], settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self._given = tuple(documents)
        self.documents = Documents(documents)
        named = find_selector(self.settings.selector)
        given = options_for(named, self.settings.judges, self.settings.options)
        self._options = make_options(named, given)
        self._selector_class = named.variant(self._options)
        self._log: list[Judgment] = []
        self._checks: list[Judgment] = []
        """Answers to questions whose answers were known."""
        self._last = -1
        self._nothing = Order(len(self.documents))
        self._reports: dict[str | None, ReportedOrder] = {}
        self._ballots = Ballots(self._vote_rule())
        self._answered: defaultdict[str, dict[Pair, int]] = defaultdict(dict)
        self._conflicts: list[Conflict] = []
        self._overruled: list[Finding] = []
        self._reopened: defaultdict[int, int] = defaultdict(int)
        self._rest_on(())

    def _vote_rule(self) -> VoteRule:
        votes = self.settings.votes
        if self._selector_class.infers:
            return VoteRule(votes)
        return VoteRule(votes, most=votes, early_stop=False)

    def _rest_on(self, findings: Iterable[Finding]) -> None:
        """Start the order and the selector anew from these findings."""
        self._order = Order(len(self.documents))
        self._evidence = Evidence()
        self.selector = self._selector_class(
            self.documents, self._order, self._options, self.settings.seed
        )
        for finding in findings:
            self._accept(finding)

    # -- absorbing ------------------------------------------------------------------------------

    def absorb(self, judgment: Judgment) -> None:
        """Take in the next judgment of the log."""
        if judgment.number <= self._last:
            raise OutOfSequence(f"judgment {judgment.number} came after judgment {self._last}")
        self._reports.clear()
        if judgment.truth is not None:
            self._checks.append(judgment)
            self._last = judgment.number
            self.selector.hear_known(judgment.truth, judgment.outcome, judgment.worker)
            return
        first = self.documents.position(judgment.first)
        second = self.documents.position(judgment.second)
        self._log.append(judgment)
        self._last = judgment.number
        pair, outcome = (first, second), judgment.outcome
        if first > second:
            pair, outcome = (second, first), outcome.reversed
        self._answered[judgment.worker][pair] = judgment.number
        if isinstance(self.selector, Believer):
            # It has no votes to wait for; who wants to see them counts them then.
            self.selector.hear(*pair, outcome, judgment.worker)
            return
        finding = self._ballots.cast(pair, judgment.number, outcome)
        if finding is not None:
            self._absorb_finding(finding)

    def _absorb_finding(self, finding: Finding) -> None:
        known = self._order.relation(finding.first, finding.second)
        if known is None:
            self._accept(finding)
        elif known is finding.outcome:
            self._keep(finding, None)
        else:
            self._meet_conflict(finding, known)

    def _accept(self, finding: Finding) -> None:
        self._keep(finding, self._order.absorb(finding.first, finding.second, finding.outcome))

    def _keep(self, finding: Finding, merge: Merge | None) -> None:
        self._evidence.add(finding)
        self.selector.absorb(finding, merge)

    def _meet_conflict(self, finding: Finding, known: Outcome) -> None:
        document = self._to_reopen(finding)
        self._conflicts.append(Conflict(finding, known, document, self._explainer(finding, known)))
        if document is None:
            self._overrule(finding)
        else:
            self._reopen(document, finding)

    def _explainer(self, finding: Finding, known: Outcome) -> Callable[[], tuple[Finding, ...]]:
        """Remember what explains a conflict; the search waits until someone wants to know."""
        places, size = (finding.first, finding.second), len(self._evidence)
        if self.settings.on_conflict != ConflictPolicy.REOPEN:
            return partial(self._evidence.chain, *places, known, size)
        # Evidence is replaced with every re-opening, and is too much to be kept each time.
        chain = self._evidence.chain(*places, known)
        return partial(tuple, chain)

    def _overrule(self, finding: Finding) -> None:
        self._overruled.append(finding)
        self.selector.absorb(finding, None)

    def _to_reopen(self, finding: Finding) -> int | None:
        # What concludes nothing from others has nothing to take back.
        if self.settings.on_conflict != ConflictPolicy.REOPEN or not self.selector.infers:
            return None
        document = min(finding.first, finding.second, key=self._evidence.count)
        return document if self._reopened[document] < self.settings.reopenings else None

    def _reopen(self, document: int, finding: Finding) -> None:
        self._reopened[document] += 1
        resting, overruled = tuple(self._evidence), (*self._overruled, finding)
        for doubted in (*resting, *overruled):
            if doubted.about(document):
                self._ballots.reopen((doubted.first, doubted.second))
        self._rest_on(kept for kept in resting if not kept.about(document))
        self._overruled = []
        # What was overruled by evidence that is now in doubt may hold after all.
        for again in (kept for kept in overruled if not kept.about(document)):
            if self._order.relation(again.first, again.second) in (None, again.outcome):
                self._accept(again)
            else:
                self._overrule(again)

    def retract(self, *numbers: int) -> "Topic":
        """Return the state as it would be had these judgments never been made."""
        gone = set(numbers)
        heard = list(merge(self._log, self._checks, key=attrgetter("number")))
        unknown = sorted(gone - {judgment.number for judgment in heard})
        if unknown:
            raise UnknownJudgment(f"the topic has no judgment {', '.join(map(str, unknown))}")
        left = (judgment for judgment in heard if judgment.number not in gone)
        return fold(self._given, left, self.settings)

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
        answered = self._asked_of(worker)
        held = {unordered(*lease.pair) for lease in leases if lease.worker == worker}
        skipped = {unordered(*pair) for pair in barred}
        who = Worker(worker, answered, frozenset(held | skipped))
        choice = self._choose(who, leases, skipped, rng)
        if choice is not Idle.WAIT:
            return choice
        idle = self._why_not(who, leases)
        # The one judge has answered all of it; what they skipped may be asked of somebody else.
        return Idle.DONE if idle is Idle.SEEN and self.settings.alone and not skipped else idle

    def _asked_of(self, worker: str) -> dict[Pair, int]:
        """Return the pairs that must not be put to a worker again, oldest first."""
        if not self.settings.alone:
            return self._answered.get(worker, {})
        return {pair: number for pairs in self._answered.values() for pair, number in pairs.items()}

    def _choose(
        self, who: Worker, leases: Sequence[Lease], skipped: set[Pair], rng: np.random.Generator
    ) -> Choice:
        if isinstance(self.selector, Believer):
            return self.selector.ask(who, Counter(unordered(*one.pair) for one in leases), rng)
        asked_before = [pair for pair in self._ballots.dormant if pair in who.answered]
        open_pairs = OpenPairs(self._order, self._wanting(leases), (*skipped, *asked_before))
        return self.selector.select(open_pairs, who, rng)

    def _why_not(self, who: Worker, leases: Sequence[Lease]) -> Idle:
        """Say why a worker gets nothing: an answer is awaited only from someone who has a question.

        Who has seen every pair that is left waits for nobody: no answer leads to one for them.
        """
        others = any(lease.worker != who.id for lease in leases)
        if others and self._has_unseen(who):
            return Idle.WAIT
        if any(lease.worker == who.id for lease in leases):
            return Idle.HELD
        return Idle.SEEN if others or who.answered or who.held else Idle.DONE

    def _has_unseen(self, who: Worker) -> bool:
        """Say whether a pair is left that may be asked, and that this worker has not seen."""
        return any(not who.has_seen(unordered(*pair)) for pair in self._pairs_left())

    def _pairs_left(self) -> Iterable[Pair]:
        """Yield the pairs that may still be asked, whoever is."""
        planned = self.selector.planned()
        if planned is not None:
            return planned
        if isinstance(self.selector, Believer):
            return combinations(range(len(self.documents)), 2)
        return self._order.unrelated()

    def _wanting(self, leases: Iterable[Lease]) -> dict[Pair, int]:
        wanting = {pair: self._votes_wanted(pair) for pair in self._ballots.voting}
        for lease in leases:
            pair = unordered(*lease.pair)
            wanting[pair] = (wanting[pair] if pair in wanting else self._votes_wanted(pair)) - 1
        return wanting

    def _votes_wanted(self, pair: Pair) -> int:
        if self.selector.infers and self._order.relation(*pair) is not None:
            return 0
        return self._ballots.needed(pair)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to ask, whoever comes."""
        return self.select("", (), self.settings.question_rng(0)) is Idle.DONE

    @property
    def ended(self) -> End | None:
        """Why nothing is left to ask, whoever comes; None while something is."""
        if not self.finished:
            return None
        if self.selector.planned() is not None:
            return End.PLAN
        if self.selector.reached:
            return End.KNOWN
        return End.BUDGET if self.selector.spent else End.EXHAUSTED

    def forecast(self) -> Forecast | None:
        """Say how many more judgments are needed, if the selector can tell."""
        planned = self.selector.planned()
        if planned is None:
            told = self.selector.forecast()
            if told is None or isinstance(self.selector, Believer):
                return told
            # Votes that agree: who expects others has no reason to foresee an order.
            votes = self._vote_rule().needed_at_first
            return Forecast(told.expected * votes, told.low * votes, told.high * votes)
        votes = sum(self._votes_wanted(pair) for pair in planned)
        return Forecast(votes, votes, votes)


def fold(
    documents: Sequence[Document], log: Iterable[Judgment], settings: Settings | None = None
) -> Topic:
    """Rebuild a topic from its log."""
    topic = Topic(documents, settings)
    for judgment in log:
        topic.absorb(judgment)
    return topic
