"""Intransitive triads and repeated questions of one worker."""

from itertools import combinations, product
from math import isnan

import pytest
from hypothesis import given
from strategies import grades, truth

from nextpair.selectors.agreement.consistency import (
    DirectedComparison,
    RepeatCounts,
    TriadCounts,
    repeated_pairs,
    repeats,
    triads,
)
from nextpair.selectors.errors import SelfComparison
from nextpair.selectors.state.judgments import Outcome

BETTER, WORSE, TIE = Outcome


def explained(responses: tuple[DirectedComparison, ...]) -> bool:
    """Try every order of three documents, ties included."""
    return any(
        all(
            truth(first, second, list(given_grades)) is outcome
            for first, second, outcome in responses
        )
        for given_grades in product(range(3), repeat=3)
    )


@pytest.mark.parametrize("outcomes", list(product(Outcome, repeat=3)))
def test_a_triad_is_intransitive_exactly_if_no_order_explains_it(
    outcomes: tuple[Outcome, Outcome, Outcome],
) -> None:
    responses = ((0, 1, outcomes[0]), (2, 1, outcomes[1]), (0, 2, outcomes[2]))
    counts = triads(responses)
    assert counts.complete == 1
    assert counts.intransitive == (not explained(responses))
    assert counts.cycles == (outcomes in {(BETTER, WORSE, WORSE), (WORSE, BETTER, BETTER)})


@given(grades(3, 8))
def test_responses_by_grades_are_transitive(of: list[int]) -> None:
    pairs = list(combinations(range(len(of)), 2))
    counts = triads((first, second, truth(first, second, of)) for first, second in pairs)
    count = len(of) * (len(of) - 1) * (len(of) - 2) // 6
    assert counts == TriadCounts(count, 0, 0)


def test_only_complete_triads_count() -> None:
    cycle = [(0, 1, BETTER), (1, 2, BETTER), (2, 0, BETTER)]
    assert triads(cycle[:2]) == TriadCounts(0, 0, 0)
    assert isnan(triads(cycle[:2]).share)
    counts = triads([*cycle, (2, 3, BETTER), (3, 0, BETTER)])
    assert counts == TriadCounts(2, 1, 1)
    assert counts.share == 0.5


def test_of_a_repeated_pair_the_first_answer_counts() -> None:
    responses = [(0, 1, BETTER), (1, 2, BETTER), (0, 2, BETTER), (2, 0, BETTER)]
    assert triads(responses).intransitive == 0
    assert triads(responses[::-1]).intransitive == 1


def test_a_repeated_pair_is_the_same_on_other_sides() -> None:
    alike = [(0, 1, BETTER), (1, 0, WORSE), (2, 3, TIE)]
    assert repeated_pairs(alike) == RepeatCounts(1, 1)
    assert repeated_pairs([*alike, (3, 2, BETTER)]) == RepeatCounts(2, 1)
    assert repeated_pairs([*alike, (0, 1, WORSE)]).share == 0
    assert isnan(repeated_pairs(alike[:1]).share)


def test_questions_of_any_kind_can_be_repeated() -> None:
    assert repeats([("d1", 3), ("d2", 3), ("d1", 3), ("d2", 4)]) == RepeatCounts(2, 1)


def test_a_document_against_itself_is_refused() -> None:
    with pytest.raises(SelfComparison):
        triads([(1, 1, TIE)])
