"""Excerpts found and not found, and the filters on rationales made by hand."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.selectors.aggregation.excerpts import (
    NO_TEXT,
    find_excerpt,
    says_no_text,
)
from nextpair.selectors.aggregation.rationales import (
    filter_by_threshold,
    filter_top,
    similarity,
)
from nextpair.selectors.errors import BadInput, BadOption

TEXT = """The dogs listed here all require a new home.
These dogs all deserve  that second chance and you may be that special person to give it to them.
View Rescue Dogs adoption fees. Contact us for more info. Straße und Ärger."""


@given(st.integers(0, 220), st.integers(1, 120))
def test_any_part_of_a_text_is_found_where_it_stands(start: int, length: int) -> None:
    excerpt = TEXT[start : start + length]
    if not excerpt.strip():
        return
    found = find_excerpt(excerpt.upper(), TEXT)
    assert found is not None
    assert found.exact
    passage = TEXT[found.start : found.end]
    assert passage.casefold().split() == excerpt.upper().casefold().split()


def test_an_excerpt_with_slips_is_found_with_its_similarity() -> None:
    found = find_excerpt(
        "these dogs all deserve that 2nd chance & you may be that person", TEXT, min_similarity=0.8
    )
    assert found is not None
    assert not found.exact
    assert 0.8 <= found.similarity < 1
    assert TEXT[found.start : found.end].startswith("These dogs all deserve")


def test_what_the_text_does_not_say_is_not_found() -> None:
    assert find_excerpt("Cats are independent and need far less of your time.", TEXT) is None
    assert find_excerpt("a new home for dogs listed", TEXT) is None
    assert find_excerpt("anything", "") is None


def test_one_slip_is_enough_not_to_be_found_as_it_stands() -> None:
    slip = "These dogs all deserve that second chance and you may bee that special person"
    assert find_excerpt(slip, TEXT) is not None
    assert find_excerpt(slip, TEXT, min_similarity=1.0) is None


def test_a_passage_deep_in_a_long_text_is_found_in_spite_of_slips() -> None:
    chance = random.Random(4)
    words = [f"{chance.choice('bcdfg')}{chance.choice('aeiou')}{number}" for number in range(500)]
    text = " ".join(chance.choice(words) for _ in range(20_000))
    passage = text.split()[12_000:12_040]
    slipped = [*passage[:10], "oops", *passage[11:30], "slip", *passage[31:]]
    found = find_excerpt(" ".join(slipped), text)
    assert found is not None
    assert text[found.start : found.end] == " ".join(passage)


def test_an_excerpt_longer_than_the_text_can_still_be_similar_to_it() -> None:
    found = find_excerpt("one two three four five six", "one two three four five")
    assert found is not None
    assert (found.start, found.end) == (0, 23)
    assert found.similarity == pytest.approx(2 * 23 / (27 + 23))


def test_empty_and_endless_excerpts_are_refused() -> None:
    with pytest.raises(BadInput, match="must not be empty"):
        find_excerpt(" \n", TEXT)
    with pytest.raises(BadInput, match="at most 2,000 characters, got 2,001"):
        find_excerpt("x" * 2001, TEXT)
    with pytest.raises(BadOption):
        find_excerpt("x", TEXT, min_similarity=0)


def test_the_fixed_phrase_is_known_however_it_is_written() -> None:
    assert says_no_text(NO_TEXT)
    assert says_no_text("  No text  supports it.")
    assert not says_no_text("no text")
    assert says_no_text("Nichts", phrase="nichts")


def test_similarity_is_twice_the_matching_characters_over_all() -> None:
    # Ratcliff and Metzener's own example: WIKIM matches, then IA; 2 * 7 / 18.
    assert similarity("WIKIMEDIA", "WIKIMANIA") == Fraction(7, 9)
    assert similarity("", " ") == 1
    assert similarity("", "x") == 0


def test_similarity_of_long_texts_counts_every_letter() -> None:
    # difflib's own setting takes letters that are frequent in a long text for noise.
    text = "to be or not to be that is the question " * 8
    assert similarity(text, text[5:]) > Fraction(9, 10)


@given(st.text("ab ", max_size=30), st.text("ab ", max_size=30))
def test_similarity_is_the_same_either_way_and_between_0_and_1(one: str, other: str) -> None:
    assert similarity(one, other) == similarity(other, one)
    assert 0 <= similarity(one, other) <= 1
    assert similarity(one, one.upper()) == 1


# Of "aaaaaaaaaa": 1, 0.9, 0.8 and 0.6 of it, each filled up with letters of its own.
HANDMADE = ["aaaaaaaaaa", "aaaaaaaaab", "aaaaaaaacc", "aaaaaadddd", "eeeeeeeeee"]


def test_threshold_rounds_the_best_similarity_down_to_ten_percent() -> None:
    # Best: 90 % between the first two, which is a multiple itself. The third reaches only 80 %.
    assert filter_by_threshold(HANDMADE) == [0, 1]
    # Best: 17 of 20 characters are 85 %, rounded down to 80 %, which the third reaches as well.
    near = ["a" * 20, "a" * 17 + "bbb", "a" * 16 + "cccc", "a" * 15 + "ddddd"]
    assert filter_by_threshold(near) == [0, 1, 2]


def test_threshold_is_exact_where_floating_point_is_not() -> None:
    # 0.7 * 10 is 7.000000000000001 and 0.29 * 100 is 28.999...: tenths are whole numbers here.
    for tenths in range(1, 10):
        pair = ["a" * 10, "a" * tenths + "b" * (10 - tenths)]
        assert filter_by_threshold([*pair, "c" * 10]) == [0, 1]


def test_threshold_keeps_all_where_nothing_is_alike_and_one_that_is_alone() -> None:
    assert filter_by_threshold(["aaa", "bbb", "ccc"]) == [0, 1, 2]
    assert filter_by_threshold(["aaa"]) == [0]
    assert filter_by_threshold([]) == []


def test_top_n_keeps_the_most_similar_and_the_earlier_of_equals() -> None:
    assert filter_top(HANDMADE, 3) == [0, 1, 2]
    assert filter_top(HANDMADE, 4) == [0, 1, 2, 3]
    assert filter_top(HANDMADE[::-1], 2) == [3, 4]
    assert filter_top(["x", "a", "a", "a"], 2) == [1, 2]
    assert filter_top(["a"], 3) == [0]
    with pytest.raises(BadOption):
        filter_top(HANDMADE, 0)


def test_two_who_wrote_the_fixed_phrase_agree() -> None:
    assert filter_by_threshold([NO_TEXT, "something else entirely", NO_TEXT.upper()]) == [0, 2]
