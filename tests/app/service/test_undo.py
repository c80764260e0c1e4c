"""Undo: a worker's last answer, within a short while, as if it had never been given."""

import pytest
from in_process import AT, ON_TOPIC, InProcess, Json, by_number, pair_of, refusal


@pytest.fixture
def ready(service: InProcess) -> InProcess:
    """A service with a topic of five documents."""
    service.make_study(undo_seconds=60, lease_seconds=100)
    service.make_topic(5)
    return service


def known(service: InProcess) -> list[Json]:
    """Return everything that follows from the log, but not how long the log is."""
    ranking = service.get(f"{ON_TOPIC}/ranking")
    ranking.pop("position")
    return [ranking, service.get(f"{ON_TOPIC}/progress"), service.get(f"{ON_TOPIC}/conflicts")]


def test_after_an_undo_all_is_as_if_the_answer_had_never_been_given(ready: InProcess) -> None:
    for worker in ("ann", "bob"):
        asked = ready.one(worker)
        ready.judge(asked, by_number(asked))
    asked = ready.one("ann")
    before = known(ready)
    ready.judge(asked, "equal")
    assert known(ready) != before
    back = ready.undo(asked).json()
    assert known(ready) == before
    assert (back["id"], back["state"], back["attempt"]) == (asked["id"], "open", 2)
    assert (back["left"], back["right"]) == (asked["left"], asked["right"])
    entry = ready.get(f"{ON_TOPIC}/judgments")["items"][-1]
    assert (entry["assignment"], entry["retracted"]) == (asked["id"], "undo")


def test_the_question_can_be_answered_anew_with_its_new_token_only(ready: InProcess) -> None:
    asked = ready.one("ann")
    ready.judge(asked, "left", bearer=asked["token"])
    back = ready.undo(asked, bearer=asked["token"]).json()
    assert back["token"] != asked["token"]
    refusal(ready.judge(asked, "right", bearer=asked["token"]), 409, "spent-token")
    refusal(ready.judge(asked, "right", attempt=1), 409, "spent-token")
    told = ready.judge(back, "right", bearer=back["token"])
    assert (told.status_code, told.json()["attempt"]) == (201, 2)
    assert ready.judge(asked, "left", bearer=asked["token"]).status_code == 200, "once it was so"
    outcomes = ready.get(f"{ON_TOPIC}/judgments")["items"]
    assert [one["retracted"] for one in outcomes] == ["undo", None]
    assert [one["answer"]["preference"] for one in outcomes] == ["left", "right"]


def test_an_undo_sent_twice_is_done_once(ready: InProcess) -> None:
    asked = ready.one("ann")
    ready.judge(asked)
    first, second = ready.undo(asked).json(), ready.undo(asked).json()
    assert (first["attempt"], second["attempt"]) == (2, 2)
    assert len(ready.get(f"{ON_TOPIC}/judgments")["items"]) == 1


def test_an_undo_that_arrives_again_later_does_not_take_back_the_next_answer(
    ready: InProcess,
) -> None:
    asked = ready.one("ann")
    ready.judge(asked, "left")
    back = ready.undo(asked, bearer=asked["token"]).json()
    ready.judge(back, "right")
    for again in (
        ready.undo(asked, bearer=asked["token"]),
        ready.undo(asked, worker="ann", attempt=1),
    ):
        assert (again.status_code, again.json()["attempt"]) == (200, 2)
    assert ready.get(f"{ON_TOPIC}/progress")["judgments"] == 1
    assert ready.undo(back, bearer=back["token"]).json()["attempt"] == 3


def test_the_window_closes(ready: InProcess) -> None:
    asked = ready.one("ann")
    ready.judge(asked)
    ready.clock.move(61)
    assert "60 seconds" in refusal(ready.undo(asked), 409, "too-late-to-undo")["detail"]
    assert ready.get(f"{ON_TOPIC}/progress")["judgments"] == 1
    ready.send("PATCH", AT, {"undo_seconds": 100})
    assert ready.undo(asked).status_code == 200


def test_only_the_last_answer_can_be_taken_back_in_whichever_topic_it_was(
    ready: InProcess,
) -> None:
    ready.make_topic(3, "tea")
    first = ready.one("ann", topic="tea")
    ready.judge(first)
    ready.clock.move(1)
    second = ready.one("ann", topic="coffee")
    ready.judge(second)
    other = ready.one("bob")
    ready.clock.move(1)
    ready.judge(other)
    refusal(ready.undo(first), 409, "too-late-to-undo")
    assert ready.undo(second).status_code == 200
    assert ready.undo(first).status_code == 200, "now it is the last that counts"


def test_what_was_never_answered_cannot_be_taken_back(ready: InProcess) -> None:
    asked = ready.one("ann")
    refusal(ready.undo(asked), 409, "too-late-to-undo")
    ready.skip(asked)
    refusal(ready.undo(asked), 409, "too-late-to-undo")


def test_the_pair_is_its_workers_alone_until_the_new_lease_runs_out(service: InProcess) -> None:
    service.make_study(undo_seconds=60, lease_seconds=100)
    service.make_topic(2)
    asked = service.one("ann")
    service.judge(asked)
    service.clock.move(50)
    service.undo(asked)
    service.clock.move(99)
    assert service.next("bob")["reason"] == "wait"
    service.clock.move(2)
    assert pair_of(service.one("bob")) == pair_of(asked)


def test_other_processes_see_the_undo(ready: InProcess) -> None:
    asked = ready.one("ann")
    ready.judge(asked)
    warm = known(ready)
    ready.undo(asked)
    ready.app.state.service.topics._slots.clear()
    cold = known(ready)
    assert cold != warm
    assert cold[1]["judgments"] == 0
    assert cold[1]["open"] == 1
