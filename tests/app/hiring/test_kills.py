"""Killing the runner at every step, and starting it again: nothing is published or paid twice."""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from crowds import PATIENCE
from in_process import STUDY
from platforms.mortal import BETWEEN, Fate, Killed, Play
from platforms.scenes import PUBLIC, Scene
from platforms.scenes_of_sessions import AtTheDoor, OnMTurk, OnProlific, OnSlots
from platforms.scenes_of_tasks import OnLabelStudio, OnUnits
from sqlalchemy.engine import make_url

from nextpair.app.hiring.arrivals import arrive, finish
from nextpair.app.hiring.inbox import keep
from nextpair.app.platforms.facts import Finish, News, Stage, Submission
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.storage.hiring_rows import DeedState

SQLITE: list[type[Scene]] = [OnMTurk, OnProlific, OnSlots, OnUnits, OnLabelStudio]
POSTGRESQL: list[type[Scene]] = [OnProlific, OnUnits]
LEAST_STEPS = 100
STRIDES = {"sqlite": 1, "postgresql": 4}
"""A process dies at every step on SQLite; every fourth is enough to see that both are alike."""
Outcome = dict[str, Any]


@pytest.fixture
def play(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Play]:
    """A scene on a database, with everything that happens in it."""
    kind, database = request.param
    with kind.staged() as scene:
        made = Play(scene, request.getfixturevalue(f"{database}_url"), monkeypatch)
        yield made
        made.close()


@pytest.mark.parametrize(
    "play",
    [
        *(pytest.param((one, "sqlite"), id=one.__name__) for one in SQLITE),
        *(pytest.param((one, "postgresql"), id=f"{one.__name__}-postgresql") for one in POSTGRESQL),
    ],
    indirect=True,
)
def test_dying_at_any_step_changes_nothing_in_the_end(play: Play) -> None:
    all_steps, stride = 0, STRIDES[make_url(play.url).get_backend_name()]
    for moment in play.moments:
        steps, remains, expected = play.live(moment, stride)
        all_steps, tried = all_steps + steps, None
        assert {state for *_, state, _ in expected["deeds"]} == {DeedState.DONE}
        for at, left in zip(range(1, steps + 1, stride), remains, strict=True):
            if left == tried:
                # It has only read since then: its death leaves the same.
                continue
            tried = left
            outcome = play.go_on(moment, left, expected)
            died = f"after dying at step {at} of {steps} when {moment.name}"
            assert _beyond_doubt(outcome, expected, play.scene) == expected, died
    assert all_steps >= LEAST_STEPS
    assert expected["answers"] and set(dict(expected["offers"]).values()) == {"expired"}


def _beyond_doubt(outcome: Outcome, expected: Outcome, scene: Scene) -> Outcome:
    """Take for done what is said to be in doubt, and has cost what it does if it was done.

    Where nobody can ask a platform whether it has paid, it has at most once.
    """
    doubted = [one for one in outcome["deeds"] if scene.in_doubt in one[-1]]
    if not doubted:
        return outcome
    assert {state for *_, state, _ in doubted} == {DeedState.FAILED}
    paid, due = outcome["there"]["bonuses"], expected["there"]["bonuses"]
    assert Counter(paid) <= Counter(due)
    done = [(*one[:-2], DeedState.DONE.value, "") for one in doubted]
    certain = [one for one in outcome["deeds"] if one not in doubted]
    there = {**outcome["there"], "bonuses": due}
    return {**outcome, "there": there, "deeds": sorted([*certain, *done])}


@pytest.mark.parametrize("play", [(AtTheDoor, "sqlite")], indirect=True, ids=["sqlite"])
def test_who_serves_may_die_while_someone_hands_in_and_a_webhook_comes(play: Play) -> None:
    (moment,) = play.moments
    scene = play.scene
    assert isinstance(scene, AtTheDoor)
    told = News("event", [Submission(scene.query["SESSION_ID"], None, Stage.SUBMITTED)])

    def serve(now: float) -> Finish:
        """Do all that one request after the other asks for, in a process of its own."""
        service = ServiceContext(play.settings)
        session = arrive(service, STUDY, scene.query, now)
        assert session is not None
        keep(service, service.study_id(STUDY), [told], now)
        return finish(service, session, now)

    def live(at: int | None) -> tuple[int, Finish, Outcome]:
        clock = play.back_to(moment)
        fate = play.database.fate = Fate(at)
        try:
            ended = serve(clock())
        except Killed:
            # Workers and platforms try again.
            ended = serve(clock())
        steps, runner = fate.steps, play.process(clock)
        for _ in range(2):
            runner.tick()
            clock.move(BETWEEN)
            scene.settle()
        return steps, ended, play.outcome()

    steps, ended, expected = live(None)
    assert steps >= 8 and ("ann", "APPROVED", 10.0) in expected["there"]["sessions"]
    for at in range(1, steps + 1):
        assert live(at)[1:] == (ended, expected), f"after dying at step {at} of {steps}"


@pytest.mark.parametrize(
    ("play", "operation"),
    [
        ((OnMTurk, "sqlite"), "CreateHITWithHITType"),
        ((OnMTurk, "postgresql"), "SendBonus"),
    ],
    indirect=["play"],
    ids=lambda value: value if isinstance(value, str) else value[1],
)
def test_a_process_that_is_killed_for_real_does_nothing_twice(play: Play, operation: str) -> None:
    scene = play.scene
    assert isinstance(scene, OnMTurk)
    moment = play.moments[0 if operation == "CreateHITWithHITType" else 1]
    expected = play.live(moment)[-1]["there"]
    play.database.put_back(moment.rows)
    scene.put_back(moment.there)
    environment = {
        **os.environ,
        "NEXTPAIR_DATABASE": play.url,
        "NEXTPAIR_PUBLIC_URL": PUBLIC,
        **{f"NEXTPAIR_PLATFORMS__MTURK__{k.upper()}": v for k, v in scene.access().items()},
    }
    words = [sys.executable, "-m", "nextpair.app.cli", "runner", "--once"]
    scene.fake.kill_after = operation
    play.depose()
    with subprocess.Popen(words, env=environment) as process:
        scene.fake.victim = process.pid
        assert process.wait(PATIENCE) == -signal.SIGKILL
    scene.fake.kill_after = ""
    play.depose()
    assert subprocess.run(words, env=environment, timeout=PATIENCE).returncode == 0
    assert scene.came_of_it() == expected
