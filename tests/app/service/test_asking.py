"""Asking: who gets which questions, how many, and why not more."""

import pytest
from in_process import AT, ON_TOPIC, InProcess


@pytest.mark.parametrize("path", [AT, ON_TOPIC])
@pytest.mark.parametrize("wish", [{}, {"topic": "coffee"}], ids=["any", "topic"])
def test_while_paused_nothing_is_handed_out_and_answers_are_taken(
    service: InProcess, path: str, wish: dict[str, str]
) -> None:
    service.make_study()
    service.make_topic(3)
    held = service.one("ann")
    service.send("PATCH", path, {"status": "paused"})
    assert service.next("bob", **wish) == {"assignments": [], "reason": "paused"}
    assert service.judge(held).status_code == 201
    service.send("PATCH", path, {"status": "open"})
    assert len(service.next("bob", **wish)["assignments"]) == 1


def test_a_repeated_call_is_known_even_after_everything_was_answered(service: InProcess) -> None:
    service.make_study()
    service.make_topic(2)
    once = {"Idempotency-Key": "first"}
    (first,) = service.post(f"{AT}/next", {"worker": "ann"}, headers=once)["assignments"]
    service.judge(first)
    assert service.next("ann")["reason"] == "done"
    (again,) = service.post(f"{AT}/next", {"worker": "ann"}, headers=once)["assignments"]
    assert (again["id"], again["state"]) == (first["id"], "answered")
