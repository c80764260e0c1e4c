"""Undo: a worker's last answer, within a short while, as if it had never been given."""

import pytest
from in_process import ON_TOPIC, InProcess, refusal


@pytest.fixture
def ready(service: InProcess) -> InProcess:
    """A service with a topic of five documents."""
    service.make_study(undo_seconds=60, lease_seconds=100)
    service.make_topic(5)
    return service


def test_an_undo_that_arrives_again_later_does_not_take_back_the_next_answer(
    ready: InProcess,
) -> None:
    asked = ready.one("ann")
    ready.judge(asked, "left")
    back = ready.undo(asked, bearer=asked["token"]).json()
    ready.judge(back, "right")
    refusal(ready.undo(asked, bearer=asked["token"]), 409, "spent-token")
    refusal(ready.undo(asked, worker="ann", attempt=1), 409, "spent-token")
    assert ready.get(f"{ON_TOPIC}/progress")["judgments"] == 1
    assert ready.undo(back, bearer=back["token"]).json()["attempt"] == 3
