"""What a worker who was told `done` hears when a retraction makes another question."""

from collections.abc import Callable

import pytest
from in_process import AT, ON_TOPIC, InProcess, Json, by_number, installed


def asked_by_key(service: InProcess, worker: str) -> Callable[[InProcess], Json]:
    """Ask as a platform does, of the study as a whole."""
    return lambda at: at.next(worker)


def asked_by_session(service: InProcess, worker: str) -> Callable[[InProcess], Json]:
    """Ask as the judging page does, in a session that was opened before."""
    token = service.post(f"{AT}/sessions", {"worker": worker}, status=201)["session"]
    return lambda at: dict(at.post("/v1/session/next", {}, bearer=token))


@pytest.mark.parametrize("way", [asked_by_key, asked_by_session])
def test_who_was_told_done_gets_what_a_retraction_opens_at_any_process(
    service: InProcess, way: Callable[..., Callable[[InProcess], Json]]
) -> None:
    service.make_study()
    service.make_topic(2)
    ask = way(service, "bob")
    asked = service.one("ann")
    service.judge(asked, by_number(asked))
    with installed(service.url) as other:
        for process in (service, other, other, service):
            told = ask(process)
            assert (told["assignments"], told["reason"]) == ([], "done")
        judged = service.get(f"{ON_TOPIC}/judgments")["items"][-1]["number"]
        gone = [{"topic": "coffee", "numbers": [judged]}]
        service.post(f"{AT}/retractions", {"judgments": gone, "reason": "a slip"})
        (again,) = ask(other)["assignments"]
        texts = [{one[side]["text"] for side in ("left", "right")} for one in (again, asked)]
        assert texts[0] == texts[1], "the same pair, whatever its documents are called here"
        assert other.judge(again, "left", bearer=again["token"]).status_code == 201
        for process in (service, other):
            assert ask(process)["reason"] == "done"


def test_whose_answer_was_retracted_is_not_asked_the_same_again(service: InProcess) -> None:
    service.make_study()
    service.make_topic(2)
    asked = service.one("ann")
    service.judge(asked, by_number(asked))
    assert service.next("ann")["reason"] == "done"
    service.post(f"{AT}/retractions", {"worker": "ann", "reason": "a machine"})
    assert service.next("ann") == {"assignments": [], "reason": "seen"}
    assert service.next("bob")["assignments"]
