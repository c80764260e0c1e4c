"""Redacted descriptions of errors for the log: where they occurred, and nothing of the data."""

import traceback
from pathlib import PurePath


def redacted_trace(error: BaseException) -> str:
    """Return an error's type and the lines through which it came.

    Its message is left out: it may repeat a platform's answer, which may name a worker.
    """
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    return " < ".join([type(error).__name__, *reversed(lines)])
