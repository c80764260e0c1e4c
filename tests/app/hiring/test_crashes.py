"""Crashes of the runner at every step: nothing is published or paid twice."""

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
from nextpair.app.runtime.service_context import ServiceContext
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
"""A process crashes at every step on SQLite; every fourth shows that PostgreSQL is alike."""
Outcome = dict[str, Any]


@pytest.fixture
def replay(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[CrashReplay]:
    """A scenario recorded on a database."""
    kind, database = request.param
    with kind.running_platform() as scenario:
        made = CrashReplay(scenario, request.getfixturevalue(f"{database}_url"), monkeypatch)
        yield made
        made.close()


@pytest.mark.parametrize(
    "replay",
    [
        *(pytest.param((kind, "sqlite"), id=kind.__name__) for kind in SQLITE),
        *(
            pytest.param((kind, "postgresql"), id=f"{kind.__name__}-postgresql")
            for kind in POSTGRESQL
        ),
    ],
    indirect=True,
)
def test_a_crash_at_any_step_changes_nothing_in_the_end(replay: CrashReplay) -> None:
    all_steps, stride = 0, STRIDES[make_url(replay.url).get_backend_name()]
    for checkpoint in replay.checkpoints:
        steps, all_remains, expected = replay.replay(checkpoint, stride)
        all_steps, previous = all_steps + steps, None
        assert {state for *_, state, _ in expected["commands"]} == {OutboxState.DONE}
        for at, remains in zip(range(1, steps + 1, stride), all_remains, strict=True):
            if remains == previous:
                # It has only read since then: a crash leaves the same.
                continue
            previous = remains
            outcome = replay.recover(checkpoint, remains, expected)
            where = f"after a crash at step {at} of {steps} when {checkpoint.name}"
            assert _with_uncertain_done(outcome, expected, replay.scenario) == expected, where
    assert all_steps >= LEAST_STEPS
    assert expected["answers"] and set(dict(expected["offers"]).values()) == {"expired"}


def _with_uncertain_done(outcome: Outcome, expected: Outcome, scenario: Scenario) -> Outcome:
    """Replace commands of unknown outcome by done ones, whose cost they have.

    Where a platform cannot be asked whether it has paid, it has paid at most once.
    """
    uncertain = [row for row in outcome["commands"] if scenario.uncertain_message in row[-1]]
    if not uncertain:
        return outcome
    assert {state for *_, state, _ in uncertain} == {OutboxState.FAILED}
    paid, due = outcome["platform"]["bonuses"], expected["platform"]["bonuses"]
    assert Counter(paid) <= Counter(due)
    done = [(*row[:-2], OutboxState.DONE.value, "") for row in uncertain]
    certain = [row for row in outcome["commands"] if row not in uncertain]
    platform = {**outcome["platform"], "bonuses": due}
    return {**outcome, "platform": platform, "commands": sorted([*certain, *done])}


@pytest.mark.parametrize("replay", [(ReadyToHandIn, "sqlite")], indirect=True, ids=["sqlite"])
def test_a_server_may_crash_during_a_hand_in_and_a_webhook(replay: CrashReplay) -> None:
    (checkpoint,) = replay.checkpoints
    scenario = replay.scenario
    assert isinstance(scenario, ReadyToHandIn)
    event = PlatformEvent(
        "event", [Submission(scenario.query["SESSION_ID"], None, Stage.SUBMITTED)]
    )

    def serve(now: float) -> CompletionAction:
        """Serve one request after the other, in a process of its own."""
        service = ServiceContext(replay.settings)
        session = arrive(service, STUDY, scenario.query, now)
        assert session is not None
        receive(service, service.study_id(STUDY), [event], now)
        return finish(service, session, now)

    def live(at: int | None) -> tuple[int, CompletionAction, Outcome]:
        clock = replay.rewind(checkpoint)
        crash_point = replay.database.crash_point = CrashPoint(at)
        try:
            ended = serve(clock())
        except Crash:
            # Workers and platforms retry.
            ended = serve(clock())
        steps, runner = crash_point.steps, replay.new_process(clock)
        for _ in range(2):
            runner.tick()
            clock.move(SECONDS_BETWEEN_TICKS)
            scenario.settle_payments()
        return steps, ended, replay.outcome()

    steps, ended, expected = live(None)
    assert steps >= 8 and ("ann", "APPROVED", 10.0) in expected["platform"]["sessions"]
    for at in range(1, steps + 1):
        assert live(at)[1:] == (ended, expected), f"after a crash at step {at} of {steps}"


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
    checkpoint = replay.checkpoints[0 if operation == "CreateHITWithHITType" else 1]
    expected = replay.replay(checkpoint)[-1]["platform"]
    replay.database.restore_snapshot(checkpoint.rows)
    scenario.restore_snapshot(checkpoint.platform)
    environment = {
        **os.environ,
        "NEXTPAIR_DATABASE": replay.url,
        "NEXTPAIR_PUBLIC_URL": PUBLIC,
        **{f"NEXTPAIR_PLATFORMS__MTURK__{k.upper()}": v for k, v in scenario.access().items()},
    }
    command = [sys.executable, "-m", "nextpair.app.cli", "runner", "--once"]
    scenario.fake.kill_after = operation
    replay.expire_lease()
    with subprocess.Popen(command, env=environment) as process:
        scenario.fake.victim = process.pid
        assert process.wait(PATIENCE) == -signal.SIGKILL
    scenario.fake.kill_after = ""
    replay.expire_lease()
    assert subprocess.run(command, env=environment, timeout=PATIENCE).returncode == 0
    assert scenario.outcome_at_platform() == expected
