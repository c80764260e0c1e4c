"""Decisions by checks: no pay for a failed check, and no bonus without a verdict."""

from collections.abc import Callable

import pytest
from in_process import Json, by_number
from platforms.hiring_study import AT, GOOD, HIRING, QUALITY, HiringStudy, hiring_study

MARK = GOOD[:-1]
"""The prefix of the texts of traps."""


def is_trap(asked: Json) -> bool:
    return str(asked["left"]["text"]).startswith(MARK)


def work(one: HiringStudy, worker: str, give_back: Callable[[Json], bool], most: int = 30) -> None:
    """Let a worker do a session, giving some questions back, and hand in."""
    taken = one.take(worker)
    token = one.enter(taken)
    for _ in range(most):
        got = one.service.post("/v1/session/next", {}, bearer=token)
        if not got["assignments"]:
            break
        (asked,) = got["assignments"]
        if give_back(asked):
            told = one.service.skip(asked, bearer=asked["token"])
        else:
            told = one.service.judge(asked, by_number(asked), bearer=asked["token"])
        assert told.status_code in (200, 201), told.text
        one.service.clock.move(1)
    one.hand_in(token)
    one.tick()


def test_who_gives_the_traps_back_is_not_paid_as_if_they_had_passed(sqlite_url: str) -> None:
    with hiring_study(sqlite_url) as one:
        one.start()
        one.tick()
        work(one, "ASKIPS", is_trap)
        (assignment,) = (a for hit in one.mturk.hits.values() for a in hit.assignments)
        assert assignment.status == "Rejected"
        assert one.mturk.bonuses == []
        assert one.hiring["spent"] == one.mturk.spent == 0


@pytest.mark.parametrize("traps", [19, 1])
def test_a_batch_cut_short_by_handing_in_has_its_verdict(sqlite_url: str, traps: int) -> None:
    # Of a session of four questions, in batches of twenty: nineteen traps make one sure to come.
    quality = {**QUALITY, "batch": 20, "traps": traps}
    rules = {**HIRING, "on_failure": "pay"}
    with hiring_study(sqlite_url, size=20, quality=quality, hiring=rules) as one:
        one.start()
        one.tick()
        work(one, "AWORKS", lambda asked: False)
        (verdict,) = one.service.get(f"{AT}/workers/AWORKS/verdicts")["items"]
        assert (verdict["passed"], verdict["effect"]) == (traps == 19, "none")
        assert [each["WorkerId"] for each in one.mturk.bonuses] == ["AWORKS"] * verdict["passed"]
        assert len(one.done("accept")) == 1
        assert len(one.done("unchecked")) == (not verdict["passed"])
