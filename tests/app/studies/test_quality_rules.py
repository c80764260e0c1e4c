"""What the checks say of a batch, at their edges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from nextpair.app.studies.quality_rules import CheckedAnswer, QualityRules, check_batch, needed


def batch(seconds: list[float], moved: int, gold: tuple[int, int]) -> list[CheckedAnswer]:
    """Eight answers of a slider, of which two are to documents known to be worth 90 and 10."""
    answers = [CheckedAnswer(took, 1, moved=place < moved) for place, took in enumerate(seconds)]
    high, low = gold
    answers[3] = CheckedAnswer(seconds[3], 1, known=90.0, value=high, moved=moved > 3)
    answers[6] = CheckedAnswer(seconds[6], 1, known=10.0, value=low, moved=moved > 6)
    return answers


ROITERO = QualityRules(
    batch=8,
    traps=2,
    traps_pass=1.0,
    seconds_per_document=20,
    seconds_pass=0.75,
    moved_pass=0.5,
    attempts=3,
)


def failed(quality: QualityRules, answers: list[CheckedAnswer]) -> list[str]:
    return [one.check for one in check_batch(quality, answers) if not one.passed]


def test_the_rules_of_roitero_hold_exactly_at_their_edges() -> None:
    six, five = [20.0] * 6 + [19.9] * 2, [20.0] * 5 + [19.9] * 3
    assert failed(ROITERO, batch(six, 4, (51, 50))) == []
    assert failed(ROITERO, batch(five, 4, (51, 50))) == ["seconds"]
    assert failed(ROITERO, batch(six, 3, (51, 50))) == ["moved"]
    assert failed(ROITERO, batch(six, 4, (50, 50))) == ["traps"]
    assert failed(ROITERO, batch(five, 3, (10, 90))) == ["traps", "seconds", "moved"]


def test_two_of_five_traps_pass_and_one_does_not() -> None:
    quality = QualityRules(traps=5, traps_pass=0.4)
    answers = [CheckedAnswer(None, 2)] * 15
    for right in range(6):
        traps = [CheckedAnswer(None, 2, correct=place < right) for place in range(5)]
        assert failed(quality, answers + traps) == (["traps"] if right < 2 else [])


def test_time_not_told_is_time_not_taken() -> None:
    quality = QualityRules(batch=1, seconds_per_document=1, seconds_pass=1)
    assert failed(quality, [CheckedAnswer(None, 1)]) == ["seconds"]
    assert failed(quality, [CheckedAnswer(2.0, 2)]) == []
    assert failed(quality, [CheckedAnswer(1.9, 2)]) == ["seconds"]


@given(st.integers(0, 100), st.integers(1, 100))
def test_a_share_that_is_met_exactly_is_met(found: int, of: int) -> None:
    assert needed(found / of, of) == found


def test_a_batch_has_room_for_its_checks() -> None:
    QualityRules(batch=5, traps=3, repeats=2)
    with pytest.raises(ValidationError, match="no room"):
        QualityRules(batch=5, traps=3, repeats=3)
