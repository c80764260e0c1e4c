"""How simulated workers err."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.app.simulation.crowd import CrowdSettings, Kind, SimulatedWorker, recruit
from nextpair.selectors.errors import BadOption
from nextpair.selectors.state.judgments import Outcome

B, W, T = Outcome.BETTER, Outcome.WORSE, Outcome.TIE
SAMPLE = 20_000


def shares(
    worker: SimulatedWorker, truth: Outcome, *, swapped: bool = False
) -> dict[Outcome, float]:
    rng = np.random.default_rng(1)
    counts = Counter(worker.answer(truth, rng, swapped=swapped) for _ in range(SAMPLE))
    return {outcome: counts[outcome] / SAMPLE for outcome in Outcome}


@pytest.mark.parametrize("truth", Outcome)
def test_a_worker_without_error_is_always_right(truth: Outcome) -> None:
    assert shares(SimulatedWorker("w"), truth)[truth] == 1


@pytest.mark.parametrize("truth", [B, W])
@pytest.mark.parametrize("error", [0.2, 1.0])
@pytest.mark.statistical
def test_a_wrong_answer_to_a_difference_is_a_tie_seven_times_in_ten(
    truth: Outcome, error: float
) -> None:
    found = shares(SimulatedWorker("w", error), truth)
    assert found[truth] == pytest.approx(1 - error, abs=0.02)
    assert found[T] == pytest.approx(0.7 * error, abs=0.02)
    assert found[truth.reversed] == pytest.approx(0.3 * error, abs=0.02)


@pytest.mark.parametrize("error", [0.2, 1.0])
@pytest.mark.statistical
def test_a_wrong_answer_to_a_tie_goes_either_side(error: float) -> None:
    found = shares(SimulatedWorker("w", error), T)
    assert found[T] == pytest.approx(1 - error, abs=0.02)
    assert found[B] == pytest.approx(error / 2, abs=0.02)
    assert found[W] == pytest.approx(error / 2, abs=0.02)


@pytest.mark.parametrize("truth", Outcome)
@pytest.mark.statistical
def test_a_spammer_answers_at_random_whatever_is_true(truth: Outcome) -> None:
    found = shares(SimulatedWorker("w", kind=Kind.SPAMMER), truth)
    assert list(found.values()) == pytest.approx([1 / 3] * 3, abs=0.02)


@pytest.mark.parametrize(("swapped", "said"), [(False, B), (True, W)])
@pytest.mark.parametrize("truth", Outcome)
def test_some_say_left_whatever_is_there(truth: Outcome, swapped: bool, said: Outcome) -> None:
    worker = SimulatedWorker("w", error=0.5, kind=Kind.LEFT)
    assert shares(worker, truth, swapped=swapped)[said] == 1


@pytest.mark.parametrize("error", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("truth", Outcome)
@pytest.mark.statistical
def test_a_reverser_errs_like_the_others_and_then_says_the_opposite(
    truth: Outcome, error: float
) -> None:
    honest = shares(SimulatedWorker("w", error), truth)
    reverser = shares(SimulatedWorker("w", error, Kind.REVERSER), truth)
    assert reverser == {B: honest[W], W: honest[B], T: honest[T]}


@pytest.mark.parametrize("kind", [Kind.HONEST, Kind.SPAMMER, Kind.REVERSER])
@pytest.mark.parametrize("truth", Outcome)
def test_sides_are_nothing_to_those_who_do_not_say_left(truth: Outcome, kind: Kind) -> None:
    worker = SimulatedWorker("w", 0.3, kind)
    assert shares(worker, truth, swapped=True) == shares(worker, truth)


def test_everyone_of_a_crowd_has_an_id_of_their_own() -> None:
    crowd = recruit(CrowdSettings(50), np.random.default_rng(0))
    assert len({worker.id for worker in crowd}) == len(crowd) == 50


def test_without_spread_all_err_alike() -> None:
    crowd = recruit(CrowdSettings(30, error=0.15), np.random.default_rng(0))
    assert {worker.error for worker in crowd} == {0.15}


@pytest.mark.parametrize(("error", "spread"), [(0.1, 0.05), (0.3, 0.2), (0.5, 0.4)])
@pytest.mark.statistical
def test_error_rates_have_the_mean_and_the_spread_asked_for(error: float, spread: float) -> None:
    crowd = recruit(CrowdSettings(SAMPLE, error, spread), np.random.default_rng(0))
    errors = np.array([worker.error for worker in crowd])
    assert errors.mean() == pytest.approx(error, abs=0.02)
    assert errors.std() == pytest.approx(spread, abs=0.02)
    assert 0 <= errors.min() <= errors.max() <= 1


@given(size=st.integers(1, 60), share=st.floats(0, 1), seed=st.integers(0, 9))
def test_the_share_of_spammers_is_the_one_asked_for(size: int, share: float, seed: int) -> None:
    crowd = recruit(CrowdSettings(size, spammers=share), np.random.default_rng(seed))
    assert abs(count(crowd)[Kind.SPAMMER] - share * size) <= 0.5


def count(crowd: Sequence[SimulatedWorker]) -> Counter[Kind]:
    return Counter(worker.kind for worker in crowd)


@given(
    size=st.integers(1, 60),
    parts=st.tuples(*[st.integers(0, 20)] * 4).filter(any),
    seed=st.integers(0, 9),
)
def test_every_kind_has_the_share_asked_for(
    size: int, parts: tuple[int, int, int, int], seed: int
) -> None:
    spammers, left, reversers, _ = shares = [part / sum(parts) for part in parts]
    settings = CrowdSettings(size, spammers=spammers, left=left, reversers=reversers)
    found = count(recruit(settings, np.random.default_rng(seed)))
    kinds = (Kind.SPAMMER, Kind.LEFT, Kind.REVERSER, Kind.HONEST)
    for kind, share in zip(kinds, shares, strict=True):
        assert abs(found[kind] - share * size) < 1.001
        assert share or not found[kind]
    assert found.total() == size


@pytest.mark.parametrize("spread", [0.0, 0.1])
def test_who_else_is_bad_changes_neither_who_spams_nor_how_often_anyone_errs(spread: float) -> None:
    few = CrowdSettings(30, 0.2, spread, 0.3)
    many = replace(few, left=0.3, reversers=0.2)
    rngs = [np.random.default_rng(4) for _ in range(2)]
    before, after = (recruit(one, rng) for one, rng in zip((few, many), rngs, strict=True))
    assert count(after) == {Kind.SPAMMER: 9, Kind.LEFT: 9, Kind.REVERSER: 6, Kind.HONEST: 6}
    for was, now in zip(before, after, strict=True):
        assert (was.id, was.error) == (now.id, now.error)
        assert (was.kind is Kind.SPAMMER) == (now.kind is Kind.SPAMMER)
    assert rngs[0].random() == rngs[1].random()


def test_spammers_are_drawn_as_they_ever_were() -> None:
    # Recorded numbers depend on who of a crowd spams: whoever is among the first of a permutation.
    crowd = recruit(CrowdSettings(10, spammers=0.3), np.random.default_rng(0))
    spammers = [worker.id for worker in crowd if worker.kind is Kind.SPAMMER]
    assert spammers == ["simulated-3", "simulated-8", "simulated-10"]


def test_spammers_are_drawn_from_the_whole_crowd() -> None:
    settings = CrowdSettings(10, spammers=0.5)
    crowds = [recruit(settings, np.random.default_rng(seed)) for seed in range(20)]
    assert len({tuple(worker.kind for worker in crowd) for crowd in crowds}) > 10


def test_the_same_chance_recruits_the_same_crowd() -> None:
    settings = CrowdSettings(20, 0.2, 0.1, 0.3)
    one, again, other = (recruit(settings, np.random.default_rng(seed)) for seed in (4, 4, 5))
    assert one == again != other


@pytest.mark.parametrize("size", [0, -1])
def test_a_crowd_has_at_least_one_worker(size: int) -> None:
    with pytest.raises(BadOption, match=f"at least one worker, got {size}"):
        CrowdSettings(size)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["error", "spammers", "left", "reversers"])
def test_a_share_lies_between_0_and_1(name: str, value: float) -> None:
    wrong: dict[str, Any] = {name: value}
    with pytest.raises(BadOption, match=f"^{name} must be between 0 and 1, got {value}"):
        CrowdSettings(**wrong)


def test_a_crowd_has_no_more_bad_workers_than_workers() -> None:
    message = "^spammers, left and reversers are at most 1 together, got 0.5 [+] 0.3 [+] 0.21$"
    with pytest.raises(BadOption, match=message):
        CrowdSettings(spammers=0.5, left=0.3, reversers=0.21)


def test_shares_that_make_1_as_they_are_written_are_not_too_many() -> None:
    assert 0.33 + 0.56 + 0.11 > 1
    settings = CrowdSettings(100, spammers=0.33, left=0.56, reversers=0.11)
    found = count(recruit(settings, np.random.default_rng(0)))
    assert found == {Kind.SPAMMER: 33, Kind.LEFT: 56, Kind.REVERSER: 11}


@pytest.mark.parametrize(
    ("error", "spread"),
    [(0.0, 0.1), (1.0, 0.1), (0.5, 0.5), (0.1, 0.4), (0.2, -0.1), (0.2, float("inf"))],
)
def test_a_spread_no_distribution_has_is_refused(error: float, spread: float) -> None:
    with pytest.raises(BadOption, match=f"error of {error} cannot spread by {spread}"):
        CrowdSettings(error=error, spread=spread)


def test_a_spread_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(BadOption):
        CrowdSettings(error=0.2, spread=float("nan"))
