"""Errors as the log may tell them: where they came up, and no word of what was being read."""

import traceback
from pathlib import PurePath


def describe(error: BaseException) -> str:
    """Say of what kind an error is, and through which lines it came.

    Its message is left out: it may repeat what a platform told, which may name a worker.
    """
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f"{PurePath(one.filename).name}:{one.lineno} {one.name}" for one in frames]
    return " < ".join([type(error).__name__, *reversed(lines)])
