"""Random histories: whatever happens, what is booked is what is paid, within the budget."""

from pathlib import Path

import pytest
from histories.every_place import PLACES
from histories.history import play
from histories.places import Place

HISTORIES, MOVES = 10, 15
"""Of each platform; `python -m benchmarks.histories` plays more."""


@pytest.mark.statistical
@pytest.mark.parametrize("seed", range(HISTORIES))
@pytest.mark.parametrize("kind", PLACES, ids=lambda kind: kind.name)
def test_whatever_happens_each_worker_is_paid_once_and_the_books_are_right(
    kind: type[Place], seed: int, sqlite_url: str
) -> None:
    outcome = play(kind, seed, Path(sqlite_url.removeprefix("sqlite:///")), MOVES)
    assert outcome.wrong == ()
    assert outcome.moves
