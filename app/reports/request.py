"""What a report is to be of."""

from dataclasses import dataclass

POINTS = 20
MOST_POINTS = 100


@dataclass(frozen=True, slots=True)
class Wish:
    """What a report is to be of.

    Parameters
    ----------
    topic
        Only this one.
    points
        At how many points convergence is looked at; 0 leaves it out.
    """

    study: str
    topic: str | None = None
    rating: str | None = None
    points: int = POINTS
    pseudonyms: bool = False
