"""Late answers: a lease ends, its pair goes to others, and the first worker answers after all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import grades, truth

from nextpair.selectors.base import Idle, find_selector, selector_names
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome, Pair, unordered
from nextpair.selectors.state.settings import ConflictPolicy, Lease, Settings
from nextpair.selectors.state.topic_state import Topic

B, W, T = Outcome.BETTER, Outcome.WORSE, Outcome.TIE
CROWD = [f"w{number}" for number in range(60)]
MOST = 3000


class CarelessOffice:
    """Workers who err and are late; what they held is leased to others when their lease ends."""

    def __init__(self, of: list[int], how: Settings, error: float, at_once: int) -> None:
        self.of, self.error, self.at_once = of, error, at_once
        self.topic = Topic([Document(f"d{place}") for place in range(len(of))], how)
        self.rng = np.random.default_rng(how.seed)
        self.leases: list[Lease] = []
        self.late: list[Lease] = []
        self.issued: set[tuple[str, Pair]] = set()

    def play(self) -> Idle:
        while len(self.topic.log) < MOST:
            reason = self.hand_out()
            if reason and not self.leases and not self.late:
                return reason
            if self.leases and self.rng.random() < 0.3:
                self.late.append(self.leases.pop())
            elif self.leases or self.late:
                answering = self.late if not self.leases or self.rng.random() < 0.3 else self.leases
                self.answer(answering.pop() if answering else self.leases.pop())
        raise AssertionError("it goes on for ever")

    def hand_out(self) -> Idle | None:
        reason = None
        for worker in self.rng.permutation(CROWD).tolist():
            if len(self.leases) >= self.at_once:
                return None
            owed = [lease.pair for lease in self.late if lease.worker == worker]
            if not owed and worker not in {lease.worker for lease in self.leases}:
                choice = self.topic.select(worker, self.leases, self.rng)
                if isinstance(choice, Idle):
                    reason = choice
                    continue
                self.check(worker, unordered(*choice))
                self.leases.append(Lease(choice, worker))
        return reason

    def check(self, worker: str, pair: Pair) -> None:
        assert (worker, pair) not in self.issued
        self.issued.add((worker, pair))
        if self.topic.selector.infers:
            assert self.topic.order.relation(*pair) is None

    def answer(self, lease: Lease) -> None:
        outcome = truth(*lease.pair, self.of)
        if self.rng.random() < self.error:
            outcome = list(Outcome)[self.rng.integers(3)]
        first, second = (f"d{place}" for place in lease.pair)
        number = len(self.topic.log)
        self.topic.absorb(Judgment(number, first, second, outcome, lease.worker))


@pytest.mark.parametrize(
    ("policy", "name"),
    [
        (policy, name)
        for policy in ConflictPolicy
        for name in selector_names()
        # Those that conclude nothing from others have nothing to re-open.
        if policy is ConflictPolicy.OLDER_WINS or find_selector(name).infers
    ],
)
@given(
    of=grades(least=2, most=7),
    seed=st.integers(0, 10**6),
    votes=st.integers(1, 3),
    error=st.sampled_from([0.0, 0.3, 1.0]),
    at_once=st.integers(1, 8),
)
@settings(max_examples=12)
def test_it_ends_and_asks_no_known_pair_and_nobody_twice(
    name: str,
    policy: ConflictPolicy,
    of: list[int],
    seed: int,
    votes: int,
    error: float,
    at_once: int,
) -> None:
    how = Settings(name, votes=votes, on_conflict=policy, seed=seed)
    office = CarelessOffice(of, how, error, at_once)
    assert office.play() is Idle.DONE


def topic_after(answers: str, how: Settings) -> Topic:
    """Absorb answers written as `a>b`, `a~b`, each from a worker of its own."""
    topic = Topic([Document(name) for name in "abcd"], how)
    for number, answer in enumerate(answers.split()):
        outcome = {">": B, "<": W, "~": T}[answer[1]]
        topic.absorb(Judgment(number, answer[0], answer[2], outcome, f"w{number}"))
    return topic


def test_a_pair_reopened_twice_is_asked_once_more_however_clear_its_votes() -> None:
    how = Settings("uniform", on_conflict=ConflictPolicy.REOPEN)
    topic = topic_after("d<a d<b d<c a>b b>c c>a a>b c>a", how)
    rng = np.random.default_rng(0)
    for number in range(8, 20):
        choice = topic.select("late", [], rng)
        if isinstance(choice, Idle):
            break
        first, second = sorted(choice)
        names = "abcd"[first], "abcd"[second]
        topic.absorb(Judgment(number, *names, B, "late"))
    assert choice is Idle.DONE


def test_votes_are_not_asked_for_what_a_late_answer_has_settled() -> None:
    topic = topic_after("a>b a>b b>c b>c c>d c>d", Settings("uniform", votes=3))
    leases = [Lease((0, 2), "slow")]
    assert topic.select("x", leases, np.random.default_rng(0)) is Idle.DONE


@pytest.mark.parametrize("name", ["uniform", "merge-tie", "merge-tie-random", "quick-sort"])
def test_a_barred_pair_gives_way_to_another_of_the_same_classes(name: str) -> None:
    topic = topic_after("a~b c~d", Settings(name))
    for seed in range(20):
        rng = np.random.default_rng(seed)
        choice = topic.select("w", [], rng, barred=[(0, 2), (1, 2), (3, 0)])
        assert not isinstance(choice, Idle)
        assert unordered(*choice) == (1, 3)
    every = [(first, second) for first in (0, 1) for second in (2, 3)]
    assert topic.select("w", [], np.random.default_rng(0), barred=every) is Idle.SEEN
