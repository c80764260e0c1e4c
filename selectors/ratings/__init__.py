"""Ratings: matches turned into numbers. `base` says what one is; this module finds them."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.errors import UnknownRating
from nextpair.selectors.plugins import Plugins
from nextpair.selectors.ratings.base import Rating
from nextpair.selectors.ratings.match import Match

_RATINGS: Plugins[Rating] = Plugins(
    Rating,
    "nextpair.selectors.ratings",
    "nextpair.ratings",
    ("base", "match", "replay", "rounds"),
)


def load_ratings() -> None:
    """Import this package's ratings, and the libraries that they compute with."""
    _RATINGS.load()


def rating_names() -> list[str]:
    """List the public names of all ratings, this package's and other packages'."""
    return _RATINGS.names()


@cache
def find_rating(name: str) -> Rating:
    """Return the rating that goes by this name."""
    kind = _RATINGS.find(name)
    if kind is None:
        raise UnknownRating(f"there is no rating {name!r}; there are {', '.join(rating_names())}")
    return kind()


def rate(name: str, size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
    """Rate `size` documents by the rating that goes by this name; larger is better."""
    return find_rating(name).rate(size, matches)


def errors(name: str, size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
    """Return the standard error of each document's rating, NaN where it is not known."""
    return find_rating(name).errors(size, matches)
