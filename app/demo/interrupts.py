"""Defers KeyboardInterrupt to points where it is safe.

Python raises KeyboardInterrupt between any two bytecodes of the main thread, so also between the
acquisition of a lock and the `try` that releases it. A connection pool whose lock is never released
cannot be closed: the command would hang, and leave its service running.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def deferred_interrupt() -> Iterator[Callable[[], None]]:
    """Defer the first Ctrl-C until the yielded function is called, or the block ends.

    A second one is raised at once: the code may be blocked for ever.
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
    """Say whether SIGINT has its default handler: a background command ignores it."""
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler
