"""Effects of a retraction: which documents change their status or rank bounds, and why."""

import pytest
from in_process import AT, ON_TOPIC, InProcess, Json
from ways_to_answer import STYLES, make

from nextpair.selectors.base import selector_names

WAY = f"{AT}/retractions"
Standing = tuple[str, list[int]]


def standings(service: InProcess) -> dict[str, Standing]:
    ranking = service.get(f"{ON_TOPIC}/ranking")["documents"]
    return {one["document"]: (one["status"], one["ranks"]) for one in ranking}


def judge(service: InProcess, style: str, *workers: str) -> list[Json]:
    """Let workers answer by turns until nobody gets a question; return the log."""
    given = -1
    while given:
        given = 0
        for worker in workers:
            for one in service.next(worker)["assignments"]:
                assert service.judge(one, STYLES[style](one)).status_code == 201
                given += 1
    items: list[Json] = service.get(f"{ON_TOPIC}/judgments")["items"]
    return items


@pytest.mark.parametrize("selector", selector_names())
@pytest.mark.parametrize("style", ["truly", "in a circle"])
def test_every_document_that_moves_is_listed_with_why(
    light: InProcess, selector: str, style: str
) -> None:
    make(light, 6, selector=selector)
    log = judge(light, style, "ann", "bob", "cid")
    entry = log[len(log) // 2]
    before = standings(light)
    body = {"judgments": [{"topic": "coffee", "numbers": [entry["number"]]}]}
    (effect,) = light.post(WAY, body)["topics"]
    after = standings(light)
    told = {one["document"]: one for one in effect["moved"]}
    assert told.keys() == {name for name in before if before[name] != after[name]}
    for name, one in told.items():
        assert (one["status_before"], one["before"]) == before[name]
        assert (one["status_after"], one["after"]) == after[name]
        kinds = [reason["why"] for reason in one["because"]]
        assert kinds and all(reason["text"] for reason in one["because"])
        assert ("own" in kinds) == (name in (entry["first"], entry["second"]))


def test_what_followed_from_a_judgment_names_it(light: InProcess) -> None:
    make(light, 5, selector="quick-sort")
    log = judge(light, "truly", "ann")
    found = set()
    for entry in log:
        body = {"judgments": [{"topic": "coffee", "numbers": [entry["number"]]}], "dry_run": True}
        (effect,) = light.post(WAY, body)["topics"]
        for one in effect["moved"]:
            for reason in one["because"]:
                if reason["why"] == "inferred":
                    assert f"judgment {entry['number']}, which is gone" in reason["text"]
                found.add(reason["why"])
    assert found == {"own", "inferred"}


def test_certain_documents_become_uncertain_only_with_a_word_of_why(light: InProcess) -> None:
    make(light, 8, selector="placement")
    log = judge(light, "truly", "ann", "bob", "cid")
    assert {status for status, _ in standings(light).values()} == {"settled"}
    reasons: set[str] = set()
    for worker in ("ann", "bob", "cid"):
        own = {
            name for one in log if one["worker"] == worker for name in (one["first"], one["second"])
        }
        (effect,) = light.post(WAY, {"worker": worker, "dry_run": True})["topics"]
        lost = [one for one in effect["moved"] if one["status_after"] == "open"]
        for one in lost:
            kinds = {reason["why"] for reason in one["because"]}
            assert kinds >= ({"own"} if one["document"] in own else set())
            reasons |= kinds
            texts = " ".join(reason["text"] for reason in one["because"])
            assert "% certain" in texts, "how certain it was, and is"
    assert {"own", "goal"} <= reasons


def test_workers_whose_answers_are_weighed_otherwise_are_named(light: InProcess) -> None:
    make(light, 8, selector="placement")
    judge(light, "truly", "ann", "bob", "cid")
    (effect,) = light.post(WAY, {"worker": "ann", "dry_run": True})["topics"]
    texts = [
        reason["text"]
        for one in effect["moved"]
        for reason in one["because"]
        if reason["why"] == "workers"
    ]
    assert texts and all("bob from" in text or "cid from" in text for text in texts)
    assert not any("ann from" in text for text in texts), "of ann nothing is left"
