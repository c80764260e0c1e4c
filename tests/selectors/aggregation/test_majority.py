"""The majority vote, and its ties."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from nextpair.selectors.aggregation.majority import majority
from nextpair.selectors.aggregation.responses import UNKNOWN, collect_responses

VOTES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=30)


@given(VOTES)
def test_the_majority_is_the_one_counted_by_hand(votes: list[tuple[int, int]]) -> None:
    result = majority(
        collect_responses([i for i, _ in votes], [0] * len(votes), [x for _, x in votes], (5, 1, 3))
    )
    for item in range(5):
        counted = Counter(label for voted, label in votes if voted == item).most_common()
        tied = len(counted) > 1 and counted[0][1] == counted[1][1]
        assert result.tied[item] == tied
        assert result.labels[item] == (counted[0][0] if counted and not tied else UNKNOWN)


def test_the_order_of_labels_breaks_a_tie_only_on_request() -> None:
    split = collect_responses([0, 0, 1], [0, 1, 0], [2, 1, 0], (3, 2, 3))
    assert majority(split).labels.tolist() == [UNKNOWN, 0, UNKNOWN]
    broken = majority(split, break_ties=True)
    assert broken.labels.tolist() == [1, 0, UNKNOWN]
    assert broken.tied.tolist() == [True, False, False]


def test_no_responses_are_no_majority() -> None:
    assert majority(collect_responses([], [], [])).labels.tolist() == []
    assert majority(collect_responses([], [], [], (2, 0, 0))).labels.tolist() == [UNKNOWN, UNKNOWN]
