"""A bonus is paid once, despite wrong clocks and runners that sleep between two steps."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from in_process import AT, Clock, InProcess, installed
from platforms.hiring_study import HiringStudy, hiring_study
from platforms.scenarios import PUBLIC
from platforms.session_scenarios import ProlificScenario

from nextpair.app.hiring.dispatcher import Dispatcher
from nextpair.app.hiring.runner import Runner
from nextpair.app.platforms.accounts.prolific import PAYING_SINCE

SETTLING = 15 * 60
DAY = 86_400


class AtProlific:
    """A study at Prolific in which a worker is about to get a bonus, with several runners."""

    def __init__(self, scenario: ProlificScenario, service: InProcess) -> None:
        self.scenario = scenario
        self.service = service

    def runner(self, ahead: float = 0.0) -> Runner:
        """Make a runner whose own clock is ahead of the others'."""
        clock = self.service.clock
        return Runner(self.service.app.state.service, lambda: clock() + ahead)

    def paid(self) -> list[float]:
        """List all bonuses, including those under way."""
        self.scenario.settle_payments()
        return [
            amount
            for one in self.scenario.fake.submissions.values()
            for amount in one["bonus_payments"]
        ]

    def bonus(self) -> dict[str, Any]:
        """Return the bonus in the activity log."""
        (line,) = (
            one for one in self.service.get(f"{AT}/activity")["items"] if one["kind"] == "bonus"
        )
        return dict(line)


@contextmanager
def at_prolific(url: str) -> Iterator[AtProlific]:
    with ProlificScenario.running_platform() as scenario:
        assert isinstance(scenario, ProlificScenario)
        given = {"prolific": scenario.access()}
        with installed(url, public_url=PUBLIC, platforms=given) as service:
            scenario.prepare(service, size=12)
            made = AtProlific(scenario, service)
            first = made.runner()
            first.tick()
            first.resign()
            scenario._work(service, "ann")
            yield made


@contextmanager
def asleep_after_saving(
    monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], None]
) -> Iterator[list[str]]:
    """Let a runner sleep, once, right after it has saved that it pays a bonus."""
    slept: list[str] = []
    make_attempt = Dispatcher._attempt

    def attempt(self: Dispatcher, *args: Any) -> Any:
        result = make_attempt(self, *args)
        save_progress = result.save_progress

        def save_and_sleep(values: Any) -> None:
            save_progress(values)
            if PAYING_SINCE in values and not slept:
                slept.append("here")
                meanwhile()

        object.__setattr__(result, "save_progress", save_and_sleep)
        return result

    with monkeypatch.context() as patched:
        patched.setattr(Dispatcher, "_attempt", attempt)
        yield slept


@pytest.mark.parametrize("listed", [True, False], ids=["listed already", "not listed yet"])
def test_a_runner_that_sleeps_between_saving_and_sending_does_not_pay_again(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, listed: bool
) -> None:
    with at_prolific(sqlite_url) as study:
        sleeper, other = study.runner(), study.runner()

        def meanwhile() -> None:
            study.service.clock.move(SETTLING + 60)
            assert other.tick()
            if listed:
                study.scenario.settle_payments()

        with asleep_after_saving(monkeypatch, meanwhile) as slept:
            sleeper.tick()
        assert slept
        assert study.paid() == [10.0]
        for _ in range(3):
            study.service.clock.move(SETTLING + 60)
            sleeper.tick()
            other.tick()
        assert study.paid() == [10.0]
        assert study.bonus()["state"] == "done"
        sleeper.resign()
        other.resign()


def test_a_runner_that_sleeps_and_nobody_takes_over_pays_once(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with at_prolific(sqlite_url) as study:
        sleeper = study.runner()
        with asleep_after_saving(monkeypatch, lambda: study.service.clock.move(DAY)) as slept:
            sleeper.tick()
        assert slept
        assert study.paid() == [10.0]
        assert study.bonus()["state"] == "done"
        sleeper.resign()


def test_two_runners_whose_clocks_differ_by_hours_pay_once(database_url: str) -> None:
    with at_prolific(database_url) as study:
        one, ahead = study.runner(), study.runner(ahead=6 * 3600)
        # It is being paid, and the answer is lost.
        study.scenario.fake.loses_answer_after = "POST /api/v1/bulk-bonus-payments/"
        one.tick()
        one.resign()
        study.service.clock.move(61)
        ahead.tick()
        assert study.bonus()["state"] == "intended", "it may be on its way"
        assert study.paid() == [10.0]
        study.service.clock.move(61)
        ahead.tick()
        assert study.paid() == [10.0]
        assert study.bonus()["state"] == "done"
        ahead.resign()


def test_a_clock_that_is_ahead_takes_no_lead_from_another(sqlite_url: str) -> None:
    with hiring_study(sqlite_url) as one:
        one.start()
        clock = Clock()
        clock.now = one.service.clock.now + DAY
        ahead = Runner(one.service.app.state.service, clock)
        assert one.tick()
        assert not ahead.tick(), "the lease has not ended by the database's clock"
        one.service.clock.move(121)
        assert ahead.tick()
        ahead.resign()


def test_a_runner_that_was_given_up_sends_no_bonus_at_mturk(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MTurk forgets the idempotency key of a payment after a day."""
    with hiring_study(sqlite_url) as one:
        one.start()
        one.tick()
        one.work("AGOOD")
        other = Runner(one.service.app.state.service, one.service.clock)
        slept = _sleep_in_front_of_bonus(monkeypatch, one, other)
        one.tick()
        one.service.clock.move(121)
        one.tick()
        assert slept and len(one.mturk.bonuses) == 1
        assert one.hiring["spent"] == one.mturk.spent == 72
        other.resign()


def _sleep_in_front_of_bonus(
    monkeypatch: pytest.MonkeyPatch, one: HiringStudy, other: Runner
) -> list[str]:
    slept: list[str] = []
    execute = Dispatcher._execute

    def sleep(self: Dispatcher, entry: Any, *args: Any) -> Any:
        if entry.kind == "bonus" and not slept:
            slept.append("here")
            one.service.clock.move(2 * DAY)
            assert other.tick()
            one.mturk.tokens.clear()
        return execute(self, entry, *args)

    monkeypatch.setattr(Dispatcher, "_execute", sleep)
    return slept
