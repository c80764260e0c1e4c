"""Groups: each document has its partners, and consecutive pairs share a document."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.selectors.base import Idle, make_options
from nextpair.selectors.errors import BadOption, NegativeCount, UnknownDocument
from nextpair.selectors.groups import Groups, pair_sequence
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import Topic


def topic(size: int, **options: object) -> Topic:
    documents = [Document(f"d{place}") for place in range(size)]
    return Topic(documents, Settings("groups", options, seed=4))


@given(st.integers(2, 12), st.integers(1, 6))
def test_each_document_meets_its_partners_and_consecutive_pairs_share_one(
    size: int, partners: int
) -> None:
    pairs = pair_sequence(range(size), partners)
    assert len({frozenset(pair) for pair in pairs}) == len(pairs)
    partner_counts = Counter(document for pair in pairs for document in pair)
    wanted = min(partners, size - 1)
    least = 2 if size > 2 else 1
    assert set(partner_counts.values()) == {max(wanted + wanted * size % 2, least)}
    assert all(set(one) & set(other) for one, other in pairwise(pairs))


def test_one_document_changes_at_a_time_in_every_group_there_can_be() -> None:
    for size in range(2, 25):
        for partners in range(1, size + 1):
            pairs = pair_sequence(range(size), partners)
            assert len({frozenset(pair) for pair in pairs}) == len(pairs)
            assert all(len({*one, *other}) == 3 for one, other in pairwise(pairs))


# Table 1 of yang-2018: topic, documents, partitions X, groups. Every group has 6 documents of the
# pool, one NR and one HR; where groups are more than an eighth of the documents, the paper says
# that HR documents were too few and used again: there are as many as the others leave,
# N - 7 * groups at a time.
TABLE_1 = [
    (402, 278, 14, 532),
    (403, 120, 6, 96),
    (405, 216, 11, 297),
    (407, 225, 11, 330),
    (408, 192, 10, 240),
    (415, 184, 9, 207),
    (416, 176, 9, 198),
    (431, 208, 10, 260),
    (440, 270, 13, 468),
]


@pytest.mark.parametrize(("number", "size", "partitions", "groups"), TABLE_1)
def test_the_nine_topics_of_the_paper_have_its_groups_pairs_and_times(
    number: int, size: int, partitions: int, groups: int
) -> None:
    at_a_time = groups // partitions
    names = [f"d{place}" for place in range(size)]
    relevant, not_relevant = names[: size - 7 * at_a_time], names[size - at_a_time :]
    selector = topic(size, relevant=tuple(relevant), not_relevant=tuple(not_relevant)).selector
    assert isinstance(selector, Groups)
    assert len(selector._groups) == groups
    assert {len(group) for group in selector._groups} == {12}
    shown = Counter(place for group in selector._groups for pair in group for place in pair)
    pool = range(len(relevant), size - len(not_relevant))
    assert {shown[place] for place in pool} == {3 * partitions}
    assert sum(shown.values()) == 2 * 12 * groups


def test_eight_documents_with_three_partners_are_twelve_pairs() -> None:
    assert len(pair_sequence(range(8), 3)) == 12


def test_every_group_has_one_document_of_each_known_kind() -> None:
    known = {"relevant": ("d0", "d1"), "not_relevant": "d2,d3,d4"}
    selector = topic(29, partitions=2, **known).selector
    assert isinstance(selector, Groups)
    assert len(selector._groups) == 2 * 4
    for group in selector._groups:
        documents = {document for pair in group for document in pair}
        assert len(documents) == 8
        assert len(documents & {0, 1}) == 1
        assert len(documents & {2, 3, 4}) == 1


def test_partitions_are_as_many_as_meet_fifteen_percent_of_the_pool() -> None:
    selector = topic(216).selector
    assert isinstance(selector, Groups)
    assert len(selector._groups) == 11 * 27  # the paper's topic 405


def test_a_worker_stays_in_a_group_and_reads_one_new_document_at_a_time() -> None:
    judged = topic(16, partitions=1)
    seen = []
    for number in range(12):
        choice = judged.select("w", [], np.random.default_rng(0))
        assert not isinstance(choice, Idle)
        seen.append(choice)
        first, second = (f"d{place}" for place in choice)
        judged.absorb(Judgment(number, first, second, Outcome.TIE, "w"))
    assert len({document for pair in seen for document in pair}) == 8
    assert all(set(one) & set(other) for one, other in pairwise(seen))


def test_a_second_worker_joins_the_first_group_while_votes_are_missing() -> None:
    documents = [Document(f"d{place}") for place in range(16)]
    judged = Topic(documents, Settings("groups", {"partitions": 1}, votes=2))
    first = judged.select("a", [], np.random.default_rng(0))
    assert not isinstance(first, Idle)
    judged.absorb(Judgment(0, f"d{first[0]}", f"d{first[1]}", Outcome.TIE, "a"))
    assert judged.select("b", [], np.random.default_rng(0)) == first


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"size": 1}, BadOption),
        ({"partners": 0}, BadOption),
        ({"partitions": -1}, NegativeCount),
        ({"relevant": ("a", "b"), "not_relevant": ("b",)}, BadOption),
        ({"size": 2, "relevant": ("a",), "not_relevant": ("b",)}, BadOption),
    ],
)
def test_options_that_make_no_group_are_refused(
    options: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        make_options(Groups, options)


def test_a_known_document_that_is_not_in_the_pool_is_refused() -> None:
    with pytest.raises(UnknownDocument, match="'nobody'"):
        topic(10, relevant=("nobody",))
