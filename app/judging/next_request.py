"""The request for a worker's next assignments."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NextRequest:
    """A request for the next assignments of a worker.

    Parameters
    ----------
    request_id
        Identifies repetitions of the same call, if the caller gave an id.
    quarantine
        The session that asks, if its platform has not confirmed it.
    """

    worker: str
    count: int = 1
    request_id: str | None = None
    quarantine: int | None = None
