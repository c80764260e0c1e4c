"""What a worker, or a program for one, asks for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wish:
    """What a worker asks for.

    Parameters
    ----------
    request
        What makes a repetition of the same call known, if the caller gave something.
    quarantine
        The session in which it is asked, if its platform has not confirmed that.
    """

    worker: str
    count: int = 1
    request: str | None = None
    quarantine: int | None = None
