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
from platforms.crash_replay import SECONDS_BETWEEN_TICKS, Crash, CrashPoint, CrashReplay
from platforms.scenarios import PUBLIC, Scenario
from platforms.session_scenarios import (
    MTurkScenario,
    ProlificScenario,
    ReadyToHandIn,
    SlotsScenario,
)
from platforms.task_scenarios import LabelStudioScenario, UnitsScenario
from sqlalchemy.engine import make_url

from nextpair.app.hiring.arrivals import arrive, finish
from nextpair.app.hiring.inbox import receive
from nextpair.app.platforms.messages import CompletionAction, PlatformEvent, Stage, Submission
from nextpair.app.runtime.service import Service
from nextpair.storage.hiring_rows import OutboxState

SQLITE: list[type[Scenario]] = [
    MTurkScenario,
    ProlificScenario,
    SlotsScenario,
    UnitsScenario,
    LabelStudioScenario,
]
POSTGRESQL: list[type[Scenario]] = [ProlificScenario, UnitsScenario]
LEAST_STEPS = 100
STRIDES = {"sqlite": 1, "postgresql": 4}
"""A process dies at every step on SQLite; every fourth is enough to see that both are alike."""
Outcome = dict[str, Any]


@pytest.fixture
def replay(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[CrashReplay]:
    """A scene on a database, with everything that happens in it."""
    kind, database = request.param
    with kind.running_platform() as scenario:
        made = CrashReplay(scenario, request.getfixturevalue(f"{database}_url"), monkeypatch)
        yield made
        made.close()


@pytest.mark.parametrize(
    "replay",
    [
        *(pytest.param((one, "sqlite"), id=one.__name__) for one in SQLITE),
        *(pytest.param((one, "postgresql"), id=f"{one.__name__}-postgresql") for one in POSTGRESQL),
    ],
    indirect=True,
)
def test_dying_at_any_step_changes_nothing_in_the_end(replay: CrashReplay) -> None:
    all_steps, stride = 0, STRIDES[make_url(replay.url).get_backend_name()]
    for moment in replay.checkpoints:
        steps, expected = replay.replay(moment)
        all_steps += steps
        assert {state for *_, state, _ in expected["deeds"]} == {OutboxState.DONE}
        for at in range(1, steps + 1, stride):
            outcome = replay.replay(moment, at, expected)[1]
            died = f"after dying at step {at} of {steps} when {moment.name}"
            assert _beyond_doubt(outcome, expected, replay.scenario) == expected, died
    assert all_steps >= LEAST_STEPS
    assert expected["answers"] and set(dict(expected["offers"]).values()) == {"expired"}


def _beyond_doubt(outcome: Outcome, expected: Outcome, scenario: Scenario) -> Outcome:
    """Take for done what is said to be in doubt, and has cost what it does if it was done.

    Where nobody can ask a platform whether it has paid, it has at most once.
    """
    doubted = [one for one in outcome["deeds"] if scenario.uncertain_message in one[-1]]
    if not doubted:
        return outcome
    assert {state for *_, state, _ in doubted} == {OutboxState.FAILED}
    paid, due = outcome["there"]["bonuses"], expected["there"]["bonuses"]
    assert Counter(paid) <= Counter(due)
    done = [(*one[:-2], OutboxState.DONE.value, "") for one in doubted]
    certain = [one for one in outcome["deeds"] if one not in doubted]
    there = {**outcome["there"], "bonuses": due}
    return {**outcome, "there": there, "deeds": sorted([*certain, *done])}


@pytest.mark.parametrize("replay", [(ReadyToHandIn, "sqlite")], indirect=True, ids=["sqlite"])
def test_who_serves_may_die_while_someone_hands_in_and_a_webhook_comes(replay: CrashReplay) -> None:
    (moment,) = replay.checkpoints
    scenario = replay.scenario
    assert isinstance(scenario, ReadyToHandIn)
    told = PlatformEvent("event", [Submission(scenario.query["SESSION_ID"], None, Stage.SUBMITTED)])

    def serve(now: float) -> CompletionAction:
        """Do all that one request after the other asks for, in a process of its own."""
        service = Service(replay.settings)
        session = arrive(service, STUDY, scenario.query, now)
        assert session is not None
        receive(service, service.study_id(STUDY), [told], now)
        return finish(service, session, now)

    def live(at: int | None) -> tuple[int, CompletionAction, Outcome]:
        clock = replay.rewind(moment)
        fate = replay.database.crash_point = CrashPoint(at)
        try:
            ended = serve(clock())
        except Crash:
            # Workers and platforms try again.
            ended = serve(clock())
        steps, runner = fate.steps, replay.process(clock)
        for _ in range(2):
            runner.tick()
            clock.move(SECONDS_BETWEEN_TICKS)
            scenario.settle_payments()
        return steps, ended, replay.outcome()

    steps, ended, expected = live(None)
    assert steps >= 8 and ("ann", "APPROVED", 10.0) in expected["there"]["sessions"]
    for at in range(1, steps + 1):
        assert live(at)[1:] == (ended, expected), f"after dying at step {at} of {steps}"


@pytest.mark.parametrize(
    ("replay", "operation"),
    [
        ((MTurkScenario, "sqlite"), "CreateHITWithHITType"),
        ((MTurkScenario, "postgresql"), "SendBonus"),
    ],
    indirect=["replay"],
    ids=lambda value: value if isinstance(value, str) else value[1],
)
def test_a_process_that_is_killed_for_real_does_nothing_twice(
    replay: CrashReplay, operation: str
) -> None:
    scenario = replay.scenario
    assert isinstance(scenario, MTurkScenario)
    moment = replay.checkpoints[0 if operation == "CreateHITWithHITType" else 1]
    expected = replay.replay(moment)[1]["there"]
    replay.database.restore_snapshot(moment.rows)
    scenario.restore_snapshot(moment.there)
    environment = {
        **os.environ,
        "NEXTPAIR_DATABASE": replay.url,
        "NEXTPAIR_PUBLIC_URL": PUBLIC,
        **{f"NEXTPAIR_PLATFORMS__MTURK__{k.upper()}": v for k, v in scenario.access().items()},
    }
    words = [sys.executable, "-m", "nextpair.app.cli", "runner", "--once"]
    scenario.fake.kill_after = operation
    replay.expire_lease()
    with subprocess.Popen(words, env=environment) as process:
        scenario.fake.victim = process.pid
        assert process.wait(PATIENCE) == -signal.SIGKILL
    scenario.fake.kill_after = ""
    replay.expire_lease()
    assert subprocess.run(words, env=environment, timeout=PATIENCE).returncode == 0
    assert scenario.outcome_at_platform() == expected
