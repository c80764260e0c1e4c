"""Streams without an end are told when the service stops: they would hold it up, and be cut off."""

import signal
import threading
from types import FrameType


def note_stop(stopping: threading.Event) -> None:
    """Set an event when this process is asked to stop; who is asked now goes on being asked."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        asked = signal.getsignal(number)

        def note(number: int, frame: FrameType | None, asked: object = asked) -> None:
            stopping.set()
            if callable(asked):
                asked(number, frame)

        if callable(asked):
            signal.signal(number, note)
