"""Classes: those that are there are found, and those that are not are given up."""

import numpy as np
import pytest
from answering import answer, believe, settle

from nextpair.selectors.inference.ordinal_classes import structure_search
from nextpair.selectors.inference.ordinal_classes.posterior import Beliefs

TRIES = 6


def levels(beliefs: Beliefs) -> list[int]:
    found: list[int] = (beliefs.classes - 1 - beliefs.likeliest).tolist()
    return found


@pytest.mark.parametrize("seed", range(4))
def test_two_classes_taken_for_one_are_split(seed: int) -> None:
    grades = [0] * 20 + [1] * 20
    revised = structure_search.revise(believe(grades, 400, 0.1, seed), TRIES)
    assert revised.classes == 2
    assert np.mean(np.array(levels(revised)) == grades) > 0.95


@pytest.mark.parametrize("error", [0.1, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_two_halves_of_one_class_are_joined(seed: int, error: float) -> None:
    beliefs = believe([0] * 40, 300, error, seed)
    members = np.arange(40)
    beliefs.split(0, members, np.where(members % 2, 0.95, 0.05))
    settle(beliefs, 3)
    assert structure_search.revise(beliefs, TRIES).classes == 1


def test_without_tries_classes_are_not_joined() -> None:
    beliefs = believe([0] * 40, 300, 0.1, seed=1)
    members = np.arange(40)
    beliefs.split(0, members, np.where(members % 2, 0.95, 0.05))
    assert structure_search.revise(beliefs, 0).classes == 2


def test_a_class_without_members_is_given_up() -> None:
    beliefs = believe([0] * 20, 150, 0.1, seed=2)
    beliefs.found(3, 0)
    settle(beliefs, 6)
    assert structure_search.revise(beliefs, 0).classes == 1


def test_a_document_that_is_better_than_all_founds_a_class() -> None:
    beliefs = Beliefs()
    worker = beliefs.crowd.number("w")
    for other in range(1, 7):
        beliefs.answers.add(0, other, 1, worker)
        beliefs.answers.add(7, other, 0, worker)
    beliefs.extend(8)
    settle(beliefs, 4)
    revised = structure_search.revise(beliefs, 0)
    assert revised.classes == 2
    assert levels(revised) == [0] * 7 + [1]


def test_an_explanation_that_comes_close_is_disputed_and_no_other() -> None:
    sure = structure_search.revise(believe([0] * 20 + [1] * 20, 400, 0.1, seed=0), TRIES)
    assert sure.disputed is None
    beliefs = Beliefs()
    for number, other in enumerate(range(1, 31)):
        beliefs.answers.add(0, other, 1, beliefs.crowd.number(f"w{number}"))
    for number, other in ((31, 1), (32, 2)):
        beliefs.answers.add(31, other, 0, beliefs.crowd.number(f"w{number}"))
    beliefs.extend(32)
    settle(beliefs, 4)
    doubtful = structure_search.revise(beliefs, TRIES)
    assert doubtful.disputed is not None
    assert 31 in np.concatenate(doubtful.disputed)


def test_a_class_nobody_is_most_likely_of_is_not_asked_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    beliefs, nobody = believe([0] * 20, 100, 0.1, seed=1), np.zeros(0, dtype=np.intp)
    close = beliefs.twin(), -1.0, (nobody, np.array([3]))
    monkeypatch.setattr(structure_search, "_best_laid", lambda _: close)
    assert structure_search.revise(beliefs, TRIES).disputed is None


def test_a_class_on_the_wrong_side_of_its_neighbour_changes_places() -> None:
    grades = [0] * 30 + [1] * 6 + [2] * 6
    rng, beliefs = np.random.default_rng(3), Beliefs()
    for _ in range(300):
        first, second = rng.choice(len(grades), size=2, replace=False).tolist()
        worker = int(rng.integers(30))
        said = answer(grades[first], grades[second], 0.05, rng)
        said = 2 - said if worker < 9 else said
        beliefs.answers.add(first, second, said, beliefs.crowd.number(f"w{worker}"))
    beliefs.extend(len(grades))
    believed = np.zeros((len(grades), 7))
    believed[np.arange(len(grades)), np.array([3, 5, 1])[grades]] = 1
    beliefs.founders = [36, 0, 30]
    beliefs._start_from(believed.T.copy())
    settle(beliefs, 3)
    assert levels(structure_search.revise(beliefs, TRIES)) == grades


def test_what_explains_far_too_little_is_not_let_settle(monkeypatch: pytest.MonkeyPatch) -> None:
    beliefs = structure_search.revise(
        believe([0] * 60 + [1] * 30 + [2] * 20, 6_000, 0.02, seed=3), TRIES
    )
    assert beliefs.classes == 3
    rounds: list[int] = []
    passed = Beliefs.pass_messages

    def count(self: Beliefs) -> None:
        rounds.append(len(self.answers))
        passed(self)

    monkeypatch.setattr(Beliefs, "pass_messages", count)
    found = []
    for lost in (structure_search.LOST, -np.inf):
        monkeypatch.setattr(structure_search, "LOST", lost)
        rounds.clear()
        found.append((levels(structure_search.revise(beliefs.twin(), TRIES)), len(rounds)))
    (levels_found, quick), (same, slow) = found
    assert levels_found == same
    assert quick < 0.7 * slow
