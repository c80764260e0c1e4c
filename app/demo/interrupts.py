"""Ctrl-C where it does no harm.

Python raises KeyboardInterrupt between any two steps of the main thread, so also between those that
take a lock and that remember to give it back. A connection pool whose lock is never given back
cannot be closed: the command would hang, and leave its service running.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def deferred_interrupt() -> Iterator[Callable[[], None]]:
    """Hold the first Ctrl-C back until what is yielded is called, or the block ends well.

    A second one is not held back: whatever is waited for may never come.
    """
    if threading.current_thread() is not threading.main_thread() or not _can_interrupt():
        yield lambda: None
        return
    before = signal.getsignal(signal.SIGINT)
    held = threading.Event()

    def hold(number: int, frame: FrameType | None) -> None:
        held.set()
        signal.signal(signal.SIGINT, before)

    def check() -> None:
        if held.is_set():
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, hold)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)
    check()


def _can_interrupt() -> bool:
    """Say whether there is an interruption to hold back: a command in the background ignores it."""
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler
