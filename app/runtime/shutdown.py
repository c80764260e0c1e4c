"""Signals of shutdown set an event, so that endless streams end: they would delay the shutdown."""

import signal
import threading
from types import FrameType


def set_on_shutdown_signal(stopping: threading.Event) -> None:
    """Set an event on SIGINT and SIGTERM, then call the handler that was installed before."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        previous = signal.getsignal(number)

        def note(number: int, frame: FrameType | None, previous: object = previous) -> None:
            stopping.set()
            if callable(previous):
                previous(number, frame)

        if callable(previous):
            signal.signal(number, note)
