"""A bonus is paid once, whatever clocks say and however long a runner sleeps between two steps."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from in_process import AT, Clock, InProcess, installed
from platforms.hired import Hired, hired
from platforms.scenes import PUBLIC
from platforms.scenes_of_sessions import OnProlific

from nextpair.app.hiring.dispatcher import Doing
from nextpair.app.hiring.runner import Runner
from nextpair.app.platforms.accounts.prolific import PAYING

SETTLING = 15 * 60
DAY = 86_400


class AtProlific:
    """A study at Prolific in which one worker is about to get a bonus, and runners."""

    def __init__(self, scene: OnProlific, service: InProcess) -> None:
        self.scene = scene
        self.service = service

    def runner(self, ahead: float = 0.0) -> Runner:
        """Make a runner whose own clock is ahead of the others'."""
        clock = self.service.clock
        return Runner(self.service.app.state.service, lambda: clock() + ahead)

    def paid(self) -> list[float]:
        """List all bonuses, those that are still on their way too."""
        self.scene.settle()
        return [
            amount
            for one in self.scene.fake.submissions.values()
            for amount in one["bonus_payments"]
        ]

    def bonus(self) -> dict[str, Any]:
        """Return the line of the bonus in the activity log."""
        (line,) = (
            one for one in self.service.get(f"{AT}/activity")["items"] if one["kind"] == "bonus"
        )
        return dict(line)


@contextmanager
def at_prolific(url: str) -> Iterator[AtProlific]:
    with OnProlific.staged() as scene:
        assert isinstance(scene, OnProlific)
        given = {"prolific": scene.access()}
        with installed(url, public_url=PUBLIC, platforms=given) as service:
            scene.prepare(service, size=12)
            made = AtProlific(scene, service)
            first = made.runner()
            first.tick()
            first.resign()
            scene._work(service, "ann")
            yield made


@contextmanager
def asleep_after_noting(
    monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], None]
) -> Iterator[list[str]]:
    """Let a runner sleep, once, right after it has noted that it pays a bonus."""
    slept: list[str] = []
    made = Doing._deed

    def deed(self: Doing, *given: Any) -> Any:
        found = made(self, *given)
        keep = found.keep

        def kept(values: Any) -> None:
            keep(values)
            if PAYING in values and not slept:
                slept.append("here")
                meanwhile()

        object.__setattr__(found, "keep", kept)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(Doing, "_deed", deed)
        yield slept


@pytest.mark.parametrize("listed", [True, False], ids=["listed already", "not listed yet"])
def test_a_runner_that_sleeps_between_noting_and_sending_does_not_pay_again(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, listed: bool
) -> None:
    with at_prolific(sqlite_url) as study:
        sleeper, other = study.runner(), study.runner()

        def meanwhile() -> None:
            study.service.clock.move(SETTLING + 60)
            assert other.tick()
            if listed:
                study.scene.settle()

        with asleep_after_noting(monkeypatch, meanwhile) as slept:
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
        with asleep_after_noting(monkeypatch, lambda: study.service.clock.move(DAY)) as slept:
            sleeper.tick()
        assert slept
        assert study.paid() == [10.0]
        assert study.bonus()["state"] == "done"
        sleeper.resign()


def test_two_runners_whose_clocks_differ_by_hours_pay_once(database_url: str) -> None:
    with at_prolific(database_url) as study:
        one, ahead = study.runner(), study.runner(ahead=6 * 3600)
        # It is being paid, and nobody hears of it.
        study.scene.fake.dies_after = "POST /api/v1/bulk-bonus-payments/"
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
    with hired(sqlite_url) as one:
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
    """MTurk forgets after a day that it has seen a payment's token."""
    with hired(sqlite_url) as one:
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
    monkeypatch: pytest.MonkeyPatch, one: Hired, other: Runner
) -> list[str]:
    slept: list[str] = []
    act = Doing._act

    def sleep(self: Doing, row: Any, *given: Any) -> Any:
        if row.kind == "bonus" and not slept:
            slept.append("here")
            one.service.clock.move(2 * DAY)
            assert other.tick()
            one.mturk.tokens.clear()
        return act(self, row, *given)

    monkeypatch.setattr(Doing, "_act", sleep)
    return slept
