"""Confirming: what is asked before the end, and when nothing is."""

from collections import Counter

import numpy as np
import pytest
from answering import believe

from nextpair.selectors.base import Choice, Idle, Worker
from nextpair.selectors.inference.ordinal_classes import structure_search
from nextpair.selectors.inference.ordinal_classes.disambiguation import (
    DISPUTED_AT_ONCE,
    TELLING,
    confirm,
)
from nextpair.selectors.inference.ordinal_classes.snapshot import View
from nextpair.selectors.state.judgments import Pair

GRADES = [1] * 12 + [0] * 28
DISPUTED = np.array([0, 1]), np.array([30])


@pytest.fixture
def view() -> View:
    """Beliefs that are certain of all, but for what a test says."""
    fitted = structure_search.revise(believe(GRADES, 500, 0.05, seed=1), 6)
    view = View(fitted, len(GRADES), range(len(GRADES)), 0, None)
    assert view.disputed is None
    assert view.crowd.upright
    return view


def ask(
    view: View,
    open_pairs: Counter[Pair] | None = None,
    seen: frozenset[Pair] = frozenset(),
    told_apart: int | None = None,
    answered: dict[Pair, int] | None = None,
) -> Choice:
    firm = np.ones(len(GRADES), dtype=np.bool_)
    worker = Worker("w", held=seen)
    places = view.beliefs.shape[1] if told_apart is None else told_apart
    rng = np.random.default_rng(0)
    return confirm(view, firm, places, worker, open_pairs or Counter(), answered or {}, rng)


def test_nothing_is_asked_where_nothing_else_explains_the_answers(view: View) -> None:
    assert ask(view) is Idle.DONE


def test_two_classes_that_may_be_one_are_compared(view: View) -> None:
    view.disputed = DISPUTED
    assert ask(view) in {(0, 30), (1, 30)}


def test_who_has_seen_all_of_that_leaves_it_to_others(view: View) -> None:
    view.disputed = DISPUTED
    assert ask(view, seen=frozenset({(0, 30)})) == (1, 30)
    assert ask(view, seen=frozenset({(0, 30), (1, 30)})) is Idle.WAIT


def test_a_pair_that_many_have_answered_tells_nothing_more(view: View) -> None:
    view.disputed = DISPUTED
    assert ask(view, answered={(0, 30): TELLING}) == (1, 30)
    assert ask(view, answered={(0, 30): TELLING, (1, 30): TELLING}) is Idle.DONE
    seen = frozenset({(1, 30)})
    assert ask(view, seen=seen, answered={(0, 30): TELLING, (1, 30): 1}) is Idle.WAIT


def test_few_are_asked_at_once(view: View) -> None:
    view.disputed = DISPUTED
    others = Counter({(2, place): 1 for place in range(20, 20 + DISPUTED_AT_ONCE)})
    assert ask(view, others) is Idle.WAIT


def test_below_the_wanted_top_nothing_is_disputed(view: View) -> None:
    view.disputed = np.array([30]), np.array([31])
    assert ask(view) == (30, 31)
    assert ask(view, told_apart=2) is Idle.DONE
