"""How simulated workers err."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.app.simulation.crowd import CrowdSettings, SimulatedWorker, recruit
from nextpair.selectors.errors import BadOption
from nextpair.selectors.topic.judgments import Outcome

B, W, T = Outcome.BETTER, Outcome.WORSE, Outcome.TIE
SAMPLE = 20_000


def shares(worker: SimulatedWorker, truth: Outcome) -> dict[Outcome, float]:
    rng = np.random.default_rng(1)
    counts = Counter(worker.answer(truth, rng) for _ in range(SAMPLE))
    return {outcome: counts[outcome] / SAMPLE for outcome in Outcome}


@pytest.mark.parametrize("truth", Outcome)
def test_a_worker_without_error_is_always_right(truth: Outcome) -> None:
    assert shares(SimulatedWorker("w"), truth)[truth] == 1


@pytest.mark.parametrize("truth", [B, W])
@pytest.mark.parametrize("error", [0.2, 1.0])
def test_a_wrong_answer_to_a_difference_is_a_tie_seven_times_in_ten(
    truth: Outcome, error: float
) -> None:
    found = shares(SimulatedWorker("w", error), truth)
    assert found[truth] == pytest.approx(1 - error, abs=0.02)
    assert found[T] == pytest.approx(0.7 * error, abs=0.02)
    assert found[truth.reversed] == pytest.approx(0.3 * error, abs=0.02)


@pytest.mark.parametrize("error", [0.2, 1.0])
def test_a_wrong_answer_to_a_tie_goes_either_side(error: float) -> None:
    found = shares(SimulatedWorker("w", error), T)
    assert found[T] == pytest.approx(1 - error, abs=0.02)
    assert found[B] == pytest.approx(error / 2, abs=0.02)
    assert found[W] == pytest.approx(error / 2, abs=0.02)


@pytest.mark.parametrize("truth", Outcome)
def test_a_spammer_answers_at_random_whatever_is_true(truth: Outcome) -> None:
    found = shares(SimulatedWorker("w", spammer=True), truth)
    assert list(found.values()) == pytest.approx([1 / 3] * 3, abs=0.02)


def test_everyone_of_a_crowd_has_an_id_of_their_own() -> None:
    crowd = recruit(CrowdSettings(50), np.random.default_rng(0))
    assert len({worker.id for worker in crowd}) == len(crowd) == 50


def test_without_spread_all_err_alike() -> None:
    crowd = recruit(CrowdSettings(30, error=0.15), np.random.default_rng(0))
    assert {worker.error for worker in crowd} == {0.15}


@pytest.mark.parametrize(("error", "spread"), [(0.1, 0.05), (0.3, 0.2), (0.5, 0.4)])
def test_error_rates_have_the_mean_and_the_spread_asked_for(error: float, spread: float) -> None:
    crowd = recruit(CrowdSettings(SAMPLE, error, spread), np.random.default_rng(0))
    errors = np.array([worker.error for worker in crowd])
    assert errors.mean() == pytest.approx(error, abs=0.02)
    assert errors.std() == pytest.approx(spread, abs=0.02)
    assert 0 <= errors.min() <= errors.max() <= 1


@given(size=st.integers(1, 60), share=st.floats(0, 1), seed=st.integers(0, 9))
def test_the_share_of_spammers_is_the_one_asked_for(size: int, share: float, seed: int) -> None:
    crowd = recruit(CrowdSettings(size, spammers=share), np.random.default_rng(seed))
    assert abs(sum(worker.spammer for worker in crowd) - share * size) <= 0.5


def test_spammers_are_drawn_from_the_whole_crowd() -> None:
    settings = CrowdSettings(10, spammers=0.5)
    crowds = [recruit(settings, np.random.default_rng(seed)) for seed in range(20)]
    assert len({tuple(worker.spammer for worker in crowd) for crowd in crowds}) > 10


def test_the_same_chance_recruits_the_same_crowd() -> None:
    settings = CrowdSettings(20, 0.2, 0.1, 0.3)
    one, again, other = (recruit(settings, np.random.default_rng(seed)) for seed in (4, 4, 5))
    assert one == again != other


@pytest.mark.parametrize("size", [0, -1])
def test_a_crowd_has_at_least_one_worker(size: int) -> None:
    with pytest.raises(BadOption, match=f"at least one worker, got {size}"):
        CrowdSettings(size)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_share_lies_between_0_and_1(value: float) -> None:
    with pytest.raises(BadOption, match=f"^error must be between 0 and 1, got {value}"):
        CrowdSettings(error=value)
    with pytest.raises(BadOption, match=f"^spammers must be between 0 and 1, got {value}"):
        CrowdSettings(spammers=value)


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
