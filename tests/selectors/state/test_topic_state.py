"""A topic's state is a fold over its log: replay, retraction, conflicts, explanations."""

from collections.abc import Iterable
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import accepted, transitive_closure
from strategies import Answer, arbitrary, consistent

from nextpair.selectors.base import Idle
from nextpair.selectors.errors import (
    NegativeCount,
    OutOfSequence,
    SelfComparison,
    UnknownDocument,
    UnknownJudgment,
    UnknownOutcome,
)
from nextpair.selectors.state import topic_state
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome
from nextpair.selectors.state.settings import ConflictPolicy, ExplanationStep, Lease, Settings
from nextpair.selectors.state.topic_state import Topic

B, W, T = Outcome.BETTER, Outcome.WORSE, Outcome.TIE
CERTAIN = "merge-tie-random"
"""A transitive selector, which is what most of these tests are about."""
REOPEN = Settings(CERTAIN, on_conflict=ConflictPolicy.REOPEN)


def fold(documents: list[Document], log: Iterable[Judgment], how: Settings | None = None) -> Topic:
    return topic_state.fold(documents, log, how or Settings(CERTAIN))


def pool(size: int) -> list[Document]:
    return [Document(f"d{place}") for place in range(size)]


def log(answers: Iterable[Answer]) -> list[Judgment]:
    return [
        Judgment(number, f"d{first}", f"d{second}", outcome, f"w{number}")
        for number, (first, second, outcome) in enumerate(answers)
    ]


def answers_of(chain: Iterable[ExplanationStep]) -> list[Answer]:
    return [(int(step.first[1:]), int(step.second[1:]), step.outcome) for step in chain]


def relations_of(topic: Topic) -> dict[tuple[int, int], Outcome]:
    size = topic.order.size
    by_pair = {(a, b): topic.order.relation(a, b) for a in range(size) for b in range(size)}
    return {pair: relation for pair, relation in by_pair.items() if relation is not None}


@given(consistent(), st.data())
def test_a_retraction_equals_never_having_happened(
    case: tuple[int, list[Answer]], data: st.DataObject
) -> None:
    size, answers = case
    whole = log(answers)
    gone = data.draw(st.sets(st.sampled_from(range(len(whole))))) if whole else set()
    topic = fold(pool(size), whole)
    before = relations_of(topic)
    retracted = topic.retract(*gone)
    left = [judgment for judgment in whole if judgment.number not in gone]
    assert relations_of(retracted) == relations_of(fold(pool(size), left))
    assert relations_of(retracted) == transitive_closure(
        size, [answer for number, answer in enumerate(answers) if number not in gone]
    )
    assert retracted.log == tuple(left)
    assert relations_of(topic) == before


@given(arbitrary())
def test_older_evidence_wins_and_every_contradiction_is_kept(
    case: tuple[int, list[Answer]],
) -> None:
    size, answers = case
    # One vote per pair: a second one on the same pair is counted, not a comparison of its own.
    once = list({frozenset(answer[:2]): answer for answer in reversed(answers)}.values())[::-1]
    topic = fold(pool(size), log(once))
    kept = accepted(size, once)
    assert relations_of(topic) == transitive_closure(size, kept)
    assert len(topic.conflicts) == len(once) - len(kept)
    for conflict in topic.conflicts:
        assert conflict.reopened is None
        assert conflict.known is not conflict.comparison.outcome
        assert conflict.explanation


@pytest.mark.parametrize("policy", ConflictPolicy)
@given(case=arbitrary())
def test_a_conflict_has_the_relation_known_when_it_came(
    policy: ConflictPolicy, case: tuple[int, list[Answer]]
) -> None:
    size, answers = case
    whole, policy_settings = log(answers), Settings(CERTAIN, on_conflict=policy)
    for conflict in fold(pool(size), whole, policy_settings).conflicts:
        first, second = f"d{conflict.comparison.first}", f"d{conflict.comparison.second}"
        before = fold(pool(size), whole[: max(conflict.comparison.judgments)], policy_settings)
        assert before.relation(first, second) is conflict.known
        assert [step.judgments for step in before.explain(first, second)] == [
            step.judgments for step in conflict.explanation
        ]


@given(arbitrary(), st.sampled_from([1, 2, 3]))
def test_reopening_never_corrupts_the_order(case: tuple[int, list[Answer]], votes: int) -> None:
    size, answers = case
    reopening = Settings(CERTAIN, on_conflict=ConflictPolicy.REOPEN, votes=votes)
    topic = fold(pool(size), log(answers), reopening)
    relations = relations_of(topic)
    strict = [(*pair, relation) for pair, relation in relations.items()]
    assert transitive_closure(size, strict) == relations
    assert all(relations[place, place] is T for place in range(size))
    for (first, second), relation in relations.items():
        if first != second:
            chain = answers_of(topic.explain(f"d{first}", f"d{second}"))
            assert transitive_closure(size, chain)[first, second] is relation


@given(arbitrary())
def test_the_same_log_gives_the_same_state(case: tuple[int, list[Answer]]) -> None:
    size, answers = case
    for policy_settings in (Settings(CERTAIN), REOPEN):
        one = fold(pool(size), log(answers), policy_settings)
        other = fold(pool(size), log(answers), policy_settings)
        assert relations_of(one) == relations_of(other)
        assert one.conflicts == other.conflicts
        choice = [topic.select("w", [], np.random.default_rng(1)) for topic in (one, other)]
        assert choice[0] == choice[1]


@given(consistent(), st.data())
def test_an_explanation_is_a_shortest_chain_that_implies_the_relation(
    case: tuple[int, list[Answer]], data: st.DataObject
) -> None:
    size, answers = case
    topic = fold(pool(size), log(answers))
    first, second = data.draw(st.permutations(range(size)))[:2]
    relation = topic.relation(f"d{first}", f"d{second}")
    chain = topic.explain(f"d{first}", f"d{second}")
    if relation is None:
        assert chain == ()
        return
    assert chain[0].first == f"d{first}"
    assert chain[-1].second == f"d{second}"
    assert all(one.second == other.first for one, other in pairwise(chain))
    links = answers_of(chain)
    assert transitive_closure(size, links)[first, second] is relation
    assert all(link.judgments for link in chain)
    if len(chain) <= 3:
        for fewer in combinations(set(answers), len(chain) - 1):
            assert (first, second) not in transitive_closure(size, fewer)


def test_a_direct_judgment_explains_itself_even_if_it_came_last() -> None:
    topic = fold(pool(3), log([(0, 1, B), (1, 2, B), (0, 2, B)]))
    (link,) = topic.explain("d2", "d0")
    assert link == ExplanationStep("d2", "d0", W, (2,))


def test_an_explanation_names_every_vote_of_its_pairs() -> None:
    votes = [
        Judgment(7, "d0", "d1", B, "a"),
        Judgment(8, "d1", "d0", W, "b"),
    ]
    (link,) = fold(pool(2), votes, Settings(CERTAIN, votes=3)).explain("d0", "d1")
    assert link.judgments == (7, 8)


def test_a_reopened_document_is_asked_about_again() -> None:
    topic = fold(pool(3), log([(0, 1, B), (1, 2, B), (0, 2, W)]), REOPEN)
    (conflict,) = topic.conflicts
    assert conflict.reopened == 0
    assert [link.judgments for link in conflict.explanation] == [(0,), (1,)]
    assert relations_of(topic) == transitive_closure(3, [(1, 2, B)])
    assert topic.select("someone", [], np.random.default_rng(0)) is not Idle.DONE


def test_reopened_pairs_do_not_go_to_whoever_judged_them() -> None:
    settings_ = Settings("uniform", on_conflict=ConflictPolicy.REOPEN)
    topic = Topic(pool(3), settings_)
    for number, (first, second, outcome) in enumerate([(0, 1, B), (1, 2, B), (0, 2, W)]):
        topic.absorb(Judgment(number, f"d{first}", f"d{second}", outcome, "only"))
    assert topic.select("only", [], np.random.default_rng(0)) is Idle.SEEN
    assert not isinstance(topic.select("other", [], np.random.default_rng(0)), Idle)


def test_a_late_vote_that_turns_a_decided_pair_is_a_conflict() -> None:
    topic = fold(pool(2), log([(0, 1, B), (0, 1, W)]))
    assert topic.relation("d0", "d1") is B
    (conflict,) = topic.conflicts
    assert conflict.comparison.outcome is W
    assert topic.matches()[0].score == 0.5


def test_a_late_vote_that_changes_no_majority_is_no_conflict() -> None:
    topic = fold(pool(2), log([(0, 1, B), (0, 1, B), (0, 1, W)]), Settings(CERTAIN, votes=3))
    assert topic.relation("d0", "d1") is B
    assert topic.conflicts == ()


def test_a_worker_never_gets_a_pair_twice_and_others_complete_its_votes() -> None:
    topic = Topic(pool(2), Settings(CERTAIN, votes=3))
    rng = np.random.default_rng(0)
    topic.absorb(Judgment(0, "d0", "d1", B, "a"))
    assert topic.select("a", [], rng) is Idle.SEEN
    assert topic.select("b", [], rng) == (0, 1)
    assert topic.select("c", [Lease((1, 0), "b")], rng) is Idle.WAIT
    assert topic.select("c", [Lease((0, 1), "a")], rng, barred=[(1, 0)]) is Idle.SEEN


@pytest.mark.parametrize(
    ("judgment", "error"),
    [
        (Judgment(5, "d0", "nobody", B), UnknownDocument),
        (Judgment(0, "d0", "d1", B), OutOfSequence),
    ],
)
def test_a_bad_judgment_changes_nothing(judgment: Judgment, error: type[Exception]) -> None:
    topic = fold(pool(3), log([(0, 1, B)]))
    before = relations_of(topic), topic.log
    with pytest.raises(error):
        topic.absorb(judgment)
    assert (relations_of(topic), topic.log) == before


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(SelfComparison, match="'d0' with itself"):
        Judgment(0, "d0", "d0", B)
    with pytest.raises(UnknownOutcome, match="'better'"):
        Judgment(0, "d0", "d1", "better")  # type: ignore[arg-type]  # what an untyped caller does
    with pytest.raises(NegativeCount, match="-1"):
        Judgment(-1, "d0", "d1", B)
    with pytest.raises(NegativeCount, match="votes"):
        Settings(votes=-2)
    with pytest.raises(SelfComparison, match="'d1'"):
        Topic(pool(2)).explain("d1", "d1")
    with pytest.raises(UnknownJudgment, match="3, 4"):
        fold(pool(2), log([(0, 1, B)])).retract(0, 3, 4)


def gold(number: int, answer: Outcome, worker: str) -> Judgment:
    return Judgment(number, "gold", "dross", answer, worker, truth=B)


@pytest.mark.parametrize("selector", [CERTAIN, "placement"])
def test_an_answer_to_a_gold_question_is_no_evidence_about_documents(selector: str) -> None:
    topic = Topic(pool(3), Settings(selector))
    topic.absorb(gold(1, W, "ann"))
    assert len(topic) == 0
    assert topic.relation("d0", "d1") is None
    assert topic.answered_by("ann") == {}
    with pytest.raises(OutOfSequence):
        topic.absorb(Judgment(1, "d0", "d1", B, "ann"))


def test_gold_answers_are_kept_through_a_retraction_and_can_be_retracted() -> None:
    entries = [
        *(gold(number, W, "bob") for number in range(6)),
        Judgment(6, "d0", "d1", B, "bob"),
        Judgment(7, "d0", "d1", W, "ann"),
        Judgment(8, "d1", "d2", B, "ann"),
    ]
    topic = topic_state.fold(pool(3), entries)
    one_less = topic_state.fold(pool(3), entries[:-1])
    assert topic.retract(8).reliabilities() == one_less.reliabilities()
    unchecked = topic_state.fold(pool(3), entries[6:])
    assert topic.retract(*range(6)).reliabilities() == unchecked.reliabilities()
    assert topic.reliabilities() != unchecked.reliabilities()
    with pytest.raises(UnknownJudgment):
        topic.retract(9)
