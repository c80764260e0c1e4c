"""Outcomes: reversal, integer code and score."""

import pytest

from nextpair.selectors.state.judgments import Comparison, Outcome


@pytest.mark.parametrize(
    ("outcome", "code", "score"),
    [(Outcome.BETTER, 0, 1.0), (Outcome.TIE, 1, 0.5), (Outcome.WORSE, 2, 0.0)],
)
def test_an_outcome_has_a_code_and_a_score(outcome: Outcome, code: int, score: float) -> None:
    assert (outcome.code, outcome.score) == (code, score)
    assert Outcome.from_code(code) is outcome


@pytest.mark.parametrize("outcome", Outcome)
def test_reversal_is_two_minus_the_code(outcome: Outcome) -> None:
    assert outcome.reversed is Outcome.from_code(2 - outcome.code)
    assert outcome.reversed.reversed is outcome


def test_a_comparison_is_the_same_from_both_sides() -> None:
    comparison = Comparison(3, 5, Outcome.BETTER, (1, 2))
    assert comparison.seen_from(3) == comparison
    assert comparison.seen_from(5) == Comparison(5, 3, Outcome.WORSE, (1, 2))
    assert comparison.opponent(5) == 3
    assert comparison.involves(5) and not comparison.involves(4)
