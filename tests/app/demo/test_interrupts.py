"""Ctrl-C is held back until it does no harm; a second one is not."""

import signal
from collections.abc import Iterator

import pytest

from nextpair.app.demo.interrupts import deferred_interrupt


@pytest.fixture(autouse=True)
def _can_be_interrupted() -> Iterator[None]:
    """Let SIGINT interrupt, even where pytest was started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interruption_waits_until_it_is_asked_for() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), deferred_interrupt() as check:
        check()
        signal.raise_signal(signal.SIGINT)
        done.append("what was begun")
        check()
        done.append("what comes after")
    assert done == ["what was begun"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interruption_that_nobody_asks_for_comes_at_the_end() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), deferred_interrupt():
        signal.raise_signal(signal.SIGINT)
        done.append("all of it")
    assert done == ["all of it"]


def test_a_second_interruption_comes_at_once() -> None:
    with pytest.raises(KeyboardInterrupt), deferred_interrupt():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        pytest.fail("it was held back")


def test_where_interruptions_are_ignored_they_stay_so() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with deferred_interrupt() as check:
        signal.raise_signal(signal.SIGINT)
        check()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
