"""The request for a report: its scope and options."""

from dataclasses import dataclass

POINTS = 20
MAX_POINTS = 100


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """The scope and options of a report.

    Parameters
    ----------
    topic
        Only this topic; None for all topics of the study.
    points
        The points of the convergence curve; 0 leaves it out.
    """

    study: str
    topic: str | None = None
    rating: str | None = None
    points: int = POINTS
    pseudonyms: bool = False
