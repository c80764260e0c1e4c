"""Ballots: when a pair is decided, and its majority."""

from itertools import product

import pytest

from nextpair.selectors.errors import BadOption, NegativeCount
from nextpair.selectors.state.ballots import Ballot, VoteRule
from nextpair.selectors.state.judgments import Outcome

B, W, T = Outcome.BETTER, Outcome.WORSE, Outcome.TIE


def ballot(rule: VoteRule, votes: list[Outcome]) -> Ballot:
    cast = Ballot(rule)
    for number, vote in enumerate(votes):
        cast.cast(number, vote)
    return cast


@pytest.mark.parametrize(
    ("votes", "cast", "outcome"),
    [
        (1, [B], B),
        (3, [B, B], B),
        (3, [B, W], None),
        (3, [B, W, W], W),
        (3, [B, W, T], None),
        (3, [B, W, T, T], T),
        (5, [B, B, B], B),
        (5, [B, B, W], None),
        (5, [B, B, W, W, T], None),
        (5, [B, B, W, W, T, W], W),
        (2, [B, W], None),
        (2, [T, T], T),
    ],
)
def test_the_majority_decides_as_soon_as_it_is_certain(
    votes: int, cast: list[Outcome], outcome: Outcome | None
) -> None:
    assert ballot(VoteRule(votes), cast).outcome is outcome


@pytest.mark.parametrize("votes", [1, 2, 3, 4, 5])
def test_stopping_early_never_changes_the_majority(votes: int) -> None:
    for cast in product(Outcome, repeat=votes):
        early = ballot(VoteRule(votes), [])
        for number, vote in enumerate(cast):
            if early.outcome is not None:
                break
            early.cast(number, vote)
        full = ballot(VoteRule(votes, most=votes, early_stop=False), list(cast))
        lead = sorted((cast.count(outcome) for outcome in Outcome), reverse=True)
        if lead[0] > lead[1]:
            assert early.outcome is full.outcome


@pytest.mark.parametrize("votes", [1, 2, 3, 4, 5, 7])
def test_no_vote_asked_for_at_once_is_wasted(votes: int) -> None:
    for cast in product(Outcome, repeat=4):
        counted = Ballot(VoteRule(votes))
        for number, vote in enumerate(cast):
            needed = counted.needed
            for extra in range(needed - 1):
                # Even if all others asked at the same time agree, the last one still decides.
                trial = ballot(VoteRule(votes), list(cast[:number]) + [vote] * (extra + 1))
                assert trial.outcome is None
            if not needed:
                break
            counted.cast(number, vote)


def test_votes_that_stay_split_are_a_tie_in_the_end() -> None:
    counted = ballot(VoteRule(2, most=4), [B, W])
    assert counted.needed == 1
    counted.cast(2, T)
    assert counted.needed == 1
    counted.cast(3, T)
    assert counted.outcome is T
    assert ballot(VoteRule(2, most=2), [B, W]).outcome is T


def test_without_early_stop_every_vote_is_asked_for() -> None:
    rule = VoteRule(4, most=4, early_stop=False)
    assert ballot(rule, []).needed == 4
    assert ballot(rule, [B, B, B]).needed == 1
    assert ballot(rule, [B, B, W, W]).outcome is T


def test_a_reopened_pair_needs_a_new_round_and_keeps_its_votes() -> None:
    counted = ballot(VoteRule(1), [B])
    counted.reopen()
    assert counted.outcome is None
    assert counted.needed == 1
    counted.cast(1, B)
    assert counted.outcome is B
    assert counted.judgments == (0, 1)


def test_the_score_counts_ties_half() -> None:
    assert ballot(VoteRule(4, most=4, early_stop=False), [B, B, T, W]).score == 2.5 / 4


def test_invalid_numbers_of_votes_are_refused() -> None:
    with pytest.raises(NegativeCount, match="-1"):
        VoteRule(-1)
    with pytest.raises(BadOption, match="votes=0"):
        VoteRule(0)
    with pytest.raises(BadOption, match="most=2"):
        VoteRule(3, most=2)
