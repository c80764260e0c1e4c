"""The contract of `Selector`, tested on every selector."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import grades, truth

from nextpair.selectors.base import Idle, selector_names
from nextpair.selectors.state import bitset
from nextpair.selectors.state.bayesian_selector import BayesianSelector
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome, Pair, unordered
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.settings import Lease, Settings
from nextpair.selectors.state.topic_state import Topic

VARIANTS: dict[str, tuple[str, dict[str, object]]] = {
    "placement, certain": ("placement", {"risk": 0.0}),
}
"""Options with which another class implements a selector."""
ALL = [*selector_names(), *VARIANTS]
WORKERS = [f"w{number}" for number in range(12)]


def rules(name: str, votes: int = 1, seed: int = 0) -> Settings:
    """Make the settings of a selector or of a variant of one."""
    selector, options = VARIANTS.get(name, (name, {}))
    return Settings(selector, options, votes=votes, seed=seed)


SELECTORS = {name: Topic([], rules(name)).selector for name in ALL}
BAYESIAN = [name for name in ALL if isinstance(SELECTORS[name], BayesianSelector)]
TRANSITIVE = [name for name in ALL if SELECTORS[name].infers]
PLANNED = [name for name in ALL if name not in (*BAYESIAN, *TRANSITIVE)]


def pool(of: Sequence[int], prefix: str = "d") -> list[Document]:
    """Make documents with one informative feature and one that is sometimes missing."""
    return [
        Document(
            f"{prefix}{place}",
            {"hint": float(grade) + place % 3, "other": None if place % 2 else 1.0},
            prior=float(-place),
        )
        for place, grade in enumerate(of)
    ]


def fewer(name: str, of: list[int]) -> list[int]:
    """Leave documents out if every answer takes a fit; a few test the same."""
    return of[:8] if name in BAYESIAN else of


class Office:
    """Workers at a topic, several at once, whose answers come back in any order."""

    def __init__(self, of: Sequence[int], name: str, seed: int = 0, votes: int = 1) -> None:
        self.of = list(of)
        self.topic = Topic(pool(of), rules(name, votes, seed))
        self.leases: list[Lease] = []
        self.issued: list[tuple[str, Pair]] = []
        self._rng = np.random.default_rng(seed)

    def ask(self, worker: str) -> Pair | Idle:
        choice = self.topic.select(worker, self.leases, self._rng)
        if not isinstance(choice, Idle):
            self.leases.append(Lease(choice, worker))
            self.issued.append((worker, unordered(*choice)))
        return choice

    def answer(self, place: int = 0) -> None:
        lease = self.leases.pop(place)
        first, second = (self.topic.documents.ids[document] for document in lease.pair)
        outcome = truth(*lease.pair, self.of)
        judgment = Judgment(len(self.topic.log), first, second, outcome, lease.worker)
        self.topic.absorb(judgment)

    def play(self, at_once: int) -> None:
        turn = 0
        while True:
            reason = None
            while len(self.leases) < at_once and reason is None:
                worker = WORKERS[turn % len(WORKERS)]
                turn += 1
                if all(lease.worker != worker for lease in self.leases):
                    choice = self.ask(worker)
                    reason = choice if isinstance(choice, Idle) else None
            if not self.leases:
                assert reason is not None
                if reason is Idle.DONE or turn > 10_000:
                    assert reason is Idle.DONE
                    return
            else:
                self.answer(int(self._rng.integers(len(self.leases))))


@pytest.mark.parametrize("name", ALL)
@given(of=grades(least=0, most=14), at_once=st.sampled_from([1, 2, 5]), seed=st.integers(0, 99))
@settings(max_examples=25)
def test_it_finishes_and_nobody_gets_a_pair_twice(
    name: str, of: list[int], at_once: int, seed: int
) -> None:
    office = Office(fewer(name, of), name, seed)
    office.play(at_once)
    assert len(set(office.issued)) == len(office.issued)
    if name not in BAYESIAN:  # which may doubt an answer, though it is right
        assert not office.topic.conflicts


@pytest.mark.parametrize("name", TRANSITIVE)
@given(of=grades(least=0, most=14), at_once=st.sampled_from([1, 3, 8]), seed=st.integers(0, 99))
@settings(max_examples=25)
def test_an_inferring_selector_recovers_the_order_and_asks_nothing_that_follows(
    name: str, of: list[int], at_once: int, seed: int
) -> None:
    office = Office(of, name, seed)
    office.play(at_once)
    order = office.topic.order
    for first in range(len(of)):
        for second in range(first):
            assert order.relation(first, second) is truth(first, second, of)
    # Each pair taught something: no answer was known when it came, however many came at once.
    replayed = Topic(pool(of), rules(name, seed=seed))
    for judgment in office.topic.log:
        assert replayed.relation(judgment.first, judgment.second) is None
        replayed.absorb(judgment)


@pytest.mark.parametrize("name", ALL)
@given(of=grades(least=2, most=10), seed=st.integers(0, 99))
@settings(max_examples=15)
def test_with_votes_it_finishes_too(name: str, of: list[int], seed: int) -> None:
    office = Office(fewer(name, of), name, seed, votes=3)
    office.play(at_once=4)
    assert len(set(office.issued)) == len(office.issued)
    if name in BAYESIAN:  # which do not count votes
        return
    per_pair = {pair: 0 for _, pair in office.issued}
    for _, pair in office.issued:
        per_pair[pair] += 1
    assert set(per_pair.values()) <= ({2} if name in TRANSITIVE else {3})


@pytest.mark.parametrize("name", TRANSITIVE)
@given(of=grades(least=3, most=12), seed=st.integers(0, 99), at_once=st.integers(1, 6))
@settings(max_examples=25)
def test_it_waits_only_when_everything_useful_may_follow(
    name: str, of: list[int], seed: int, at_once: int
) -> None:
    office = Office(of, name, seed)
    for worker in WORKERS[:at_once]:
        before = list(office.leases)
        choice = office.ask(worker)
        wanting = {unordered(*lease.pair): 0 for lease in before}
        opened = OpenPairs(office.topic.order, wanting)
        if not isinstance(choice, Idle):
            assert opened.is_free(*choice)
        elif name != "quick-sort":  # to which only comparisons with its pivots are useful
            labels = bitset.members(office.topic.order.labels)
            assert not any(opened.free(label) for label in labels)


@pytest.mark.parametrize("name", ALL)
def test_selecting_changes_nothing_and_the_same_seed_gives_the_same_pair(name: str) -> None:
    of = [0, 2, 1, 0, 0, 1, 3, 0, 2, 1]
    office = Office(of, name, seed=5)
    for _ in range(8):
        office.ask("w0")
        office.answer()
    chosen = [
        office.topic.select("w1", [], np.random.default_rng(seed)) for seed in (1, 2, 1, 3, 1)
    ]
    assert chosen[0] == chosen[2] == chosen[4]
    refolded = Topic(pool(of), rules(name, seed=5))
    for judgment in office.topic.log:
        refolded.absorb(judgment)
    assert refolded.select("w1", [], np.random.default_rng(1)) == chosen[0]


@pytest.mark.parametrize("name", ALL)
def test_renaming_the_documents_renames_the_choice(name: str) -> None:
    of = [0, 2, 1, 0, 0, 1]
    topics = [Topic(pool(of, prefix), rules(name, seed=3)) for prefix in ("d", "z")]
    for number in range(6):
        choices = [topic.select("w", [], np.random.default_rng(number)) for topic in topics]
        assert choices[0] == choices[1]
        if isinstance(choices[0], Idle):
            break
        for topic in topics:
            first, second = (topic.documents.ids[place] for place in choices[0])
            topic.absorb(Judgment(number, first, second, truth(*choices[0], of), "w"))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("of", [[], [1], [1, 1], [0, 1], [2] * 9, list(range(9))])
def test_edges_of_size_and_shape(name: str, of: list[int]) -> None:
    office = Office(of, name)
    office.play(at_once=3)
    if len(of) < 2:
        assert not office.topic.log


@pytest.mark.parametrize("name", ALL)
def test_an_answer_nobody_asked_for_is_taken_in(name: str) -> None:
    of = [0, 1, 2, 3, 0, 1]
    office = Office(of, name)
    office.topic.absorb(Judgment(0, "d0", "d3", Outcome.WORSE, "guest"))
    office.topic.absorb(Judgment(1, "d3", "d5", Outcome.BETTER, "guest"))
    office.play(at_once=2)
    assert office.topic.relation("d3", "d0") is Outcome.BETTER


@pytest.mark.parametrize("name", PLANNED)
def test_a_planning_selector_asks_its_whole_plan_whatever_follows(name: str) -> None:
    counts = set()
    for of in ([0] * 12, list(range(12))):
        office = Office(of, name, seed=1)
        office.play(at_once=1)
        counts.add(len(office.topic.log))
    assert len(counts) == 1
