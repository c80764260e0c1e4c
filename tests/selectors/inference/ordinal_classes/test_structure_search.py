"""Structure search: true classes are created, and others are removed."""

import numpy as np
import pytest
from drawn_comparisons import draw_outcome, fitted_posterior, sweep

from nextpair.selectors.inference.ordinal_classes import structure_search
from nextpair.selectors.inference.ordinal_classes.posterior import ClassPosterior

TRIES = 6


def levels(posterior: ClassPosterior) -> list[int]:
    found: list[int] = (posterior.class_count - 1 - posterior.map_class).tolist()
    return found


@pytest.mark.parametrize("seed", range(4))
def test_two_classes_taken_for_one_are_split(seed: int) -> None:
    grades = [0] * 20 + [1] * 20
    changed = structure_search.search_structure(fitted_posterior(grades, 400, 0.1, seed), TRIES)
    assert changed.class_count == 2
    assert np.mean(np.array(levels(changed)) == grades) > 0.95


@pytest.mark.parametrize("error", [0.1, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_two_halves_of_one_class_are_merged(seed: int, error: float) -> None:
    posterior = fitted_posterior([0] * 40, 300, error, seed)
    members = np.arange(40)
    posterior.split_class(0, members, np.where(members % 2, 0.95, 0.05))
    sweep(posterior, 3)
    assert structure_search.search_structure(posterior, TRIES).class_count == 1


def test_without_tries_classes_are_not_merged() -> None:
    posterior = fitted_posterior([0] * 40, 300, 0.1, seed=1)
    members = np.arange(40)
    posterior.split_class(0, members, np.where(members % 2, 0.95, 0.05))
    assert structure_search.search_structure(posterior, 0).class_count == 2


def test_a_class_without_members_is_removed() -> None:
    posterior = fitted_posterior([0] * 20, 150, 0.1, seed=2)
    posterior.create_class(3, 0)
    sweep(posterior, 6)
    assert structure_search.search_structure(posterior, 0).class_count == 1


def test_a_document_that_is_better_than_all_founds_a_class() -> None:
    posterior = ClassPosterior()
    worker = posterior.crowd.number("w")
    for other in range(1, 7):
        posterior.comparisons.append(0, other, 1, worker)
        posterior.comparisons.append(7, other, 0, worker)
    posterior.extend(8)
    sweep(posterior, 4)
    changed = structure_search.search_structure(posterior, 0)
    assert changed.class_count == 2
    assert levels(changed) == [0] * 7 + [1]


def test_only_a_merge_that_comes_close_is_disputed() -> None:
    certain = structure_search.search_structure(
        fitted_posterior([0] * 20 + [1] * 20, 400, 0.1, seed=0), TRIES
    )
    assert certain.disputed is None
    posterior = ClassPosterior()
    for number, other in enumerate(range(1, 31)):
        posterior.comparisons.append(0, other, 1, posterior.crowd.number(f"w{number}"))
    for number, other in ((31, 1), (32, 2)):
        posterior.comparisons.append(31, other, 0, posterior.crowd.number(f"w{number}"))
    posterior.extend(32)
    sweep(posterior, 4)
    doubtful = structure_search.search_structure(posterior, TRIES)
    assert doubtful.disputed is not None
    assert 31 in np.concatenate(doubtful.disputed)


def test_a_class_that_is_the_most_likely_one_of_no_document_is_not_disputed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    posterior, no_documents = (
        fitted_posterior([0] * 20, 100, 0.1, seed=1),
        np.zeros(0, dtype=np.intp),
    )
    close = posterior.copy(), -1.0, (no_documents, np.array([3]))
    monkeypatch.setattr(structure_search, "_best_distant_merge", lambda _: close)
    assert structure_search.search_structure(posterior, TRIES).disputed is None


def test_a_class_on_the_wrong_side_of_its_neighbour_is_swapped() -> None:
    grades = [0] * 30 + [1] * 6 + [2] * 6
    rng, posterior = np.random.default_rng(3), ClassPosterior()
    for _ in range(300):
        first, second = rng.choice(len(grades), size=2, replace=False).tolist()
        worker = int(rng.integers(30))
        outcome = draw_outcome(grades[first], grades[second], 0.05, rng)
        outcome = 2 - outcome if worker < 9 else outcome
        posterior.comparisons.append(first, second, outcome, posterior.crowd.number(f"w{worker}"))
    posterior.extend(len(grades))
    probabilities = np.zeros((len(grades), 7))
    probabilities[np.arange(len(grades)), np.array([3, 5, 1])[grades]] = 1
    posterior.founders = [36, 0, 30]
    posterior._restart_from(probabilities.T.copy())
    sweep(posterior, 3)
    assert levels(structure_search.search_structure(posterior, TRIES)) == grades


def test_a_merge_that_loses_far_too_much_evidence_is_abandoned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    posterior = structure_search.search_structure(
        fitted_posterior([0] * 60 + [1] * 30 + [2] * 20, 6_000, 0.02, seed=3), TRIES
    )
    assert posterior.class_count == 3
    rounds: list[int] = []
    pass_messages = ClassPosterior.pass_messages

    def count(self: ClassPosterior) -> None:
        rounds.append(len(self.comparisons))
        pass_messages(self)

    monkeypatch.setattr(ClassPosterior, "pass_messages", count)
    found = []
    for loss in (structure_search.ABANDONED_GAIN, -np.inf):
        monkeypatch.setattr(structure_search, "ABANDONED_GAIN", loss)
        rounds.clear()
        found.append(
            (levels(structure_search.search_structure(posterior.copy(), TRIES)), len(rounds))
        )
    (levels_found, quick), (same, slow) = found
    assert levels_found == same
    assert quick < 0.7 * slow
