"""Disambiguation: what is asked before the end, and when nothing is."""

from collections import Counter

import numpy as np
import pytest
from drawn_comparisons import fitted_posterior

from nextpair.selectors.base import Choice, Idle, WorkerHistory
from nextpair.selectors.inference.ordinal_classes import structure_search
from nextpair.selectors.inference.ordinal_classes.disambiguation import (
    MAX_ANSWERS_PER_PAIR,
    MAX_OPEN_DISPUTED,
    disambiguating_choice,
)
from nextpair.selectors.inference.ordinal_classes.snapshot import ClassSnapshot
from nextpair.selectors.state.judgments import Pair

GRADES = [1] * 12 + [0] * 28
DISPUTED = np.array([0, 1]), np.array([30])


@pytest.fixture
def snapshot() -> ClassSnapshot:
    """Return a posterior that is certain, but for what a test disputes."""
    fitted = structure_search.search_structure(fitted_posterior(GRADES, 500, 0.05, seed=1), 6)
    snapshot = ClassSnapshot(fitted, len(GRADES), range(len(GRADES)), 0, None)
    assert snapshot.disputed is None
    assert snapshot.crowd.is_orientation_certain
    return snapshot


def choose(
    snapshot: ClassSnapshot,
    open_pairs: Counter[Pair] | None = None,
    seen: frozenset[Pair] = frozenset(),
    relevant_places: int | None = None,
    answered: dict[Pair, int] | None = None,
) -> Choice:
    reference = np.ones(len(GRADES), dtype=np.bool_)
    worker = WorkerHistory("w", held=seen)
    places = snapshot.probabilities.shape[1] if relevant_places is None else relevant_places
    rng = np.random.default_rng(0)
    return disambiguating_choice(
        snapshot, reference, places, worker, open_pairs or Counter(), answered or {}, rng
    )


def test_without_another_explanation_nothing_is_asked(snapshot: ClassSnapshot) -> None:
    assert choose(snapshot) is Idle.DONE


def test_disputed_classes_are_compared(snapshot: ClassSnapshot) -> None:
    snapshot.disputed = DISPUTED
    assert choose(snapshot) in {(0, 30), (1, 30)}


def test_a_worker_who_has_seen_all_disputed_pairs_waits(snapshot: ClassSnapshot) -> None:
    snapshot.disputed = DISPUTED
    assert choose(snapshot, seen=frozenset({(0, 30)})) == (1, 30)
    assert choose(snapshot, seen=frozenset({(0, 30), (1, 30)})) is Idle.WAIT


def test_a_pair_with_many_answers_is_not_asked_again(snapshot: ClassSnapshot) -> None:
    snapshot.disputed = DISPUTED
    assert choose(snapshot, answered={(0, 30): MAX_ANSWERS_PER_PAIR}) == (1, 30)
    assert (
        choose(snapshot, answered={(0, 30): MAX_ANSWERS_PER_PAIR, (1, 30): MAX_ANSWERS_PER_PAIR})
        is Idle.DONE
    )
    seen = frozenset({(1, 30)})
    assert (
        choose(snapshot, seen=seen, answered={(0, 30): MAX_ANSWERS_PER_PAIR, (1, 30): 1})
        is Idle.WAIT
    )


def test_few_disputed_pairs_are_open_at_once(snapshot: ClassSnapshot) -> None:
    snapshot.disputed = DISPUTED
    others = Counter({(2, place): 1 for place in range(20, 20 + MAX_OPEN_DISPUTED)})
    assert choose(snapshot, others) is Idle.WAIT


def test_below_the_top_nothing_is_disputed(snapshot: ClassSnapshot) -> None:
    snapshot.disputed = np.array([30]), np.array([31])
    assert choose(snapshot) == (30, 31)
    assert choose(snapshot, relevant_places=2) is Idle.DONE
