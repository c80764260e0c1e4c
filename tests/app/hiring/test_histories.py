"""Random histories: what is booked is what was paid, and within the budget."""

from pathlib import Path

import pytest
from histories.every_platform import PLATFORMS
from histories.history import run_history
from histories.simulated_platform import SimulatedPlatform

HISTORIES, MOVES = 10, 15
"""Of each platform; `python -m benchmarks.histories` runs more."""


@pytest.mark.statistical
@pytest.mark.parametrize("seed", range(HISTORIES))
@pytest.mark.parametrize("kind", PLATFORMS, ids=lambda kind: kind.name)
def test_whatever_happens_each_worker_is_paid_once_and_the_books_are_right(
    kind: type[SimulatedPlatform], seed: int, sqlite_url: str
) -> None:
    outcome = run_history(kind, seed, Path(sqlite_url.removeprefix("sqlite:///")), MOVES)
    assert outcome.violations == ()
    assert outcome.moves
