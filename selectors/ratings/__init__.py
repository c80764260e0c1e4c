"""Ratings: matches turned into numbers.

A rating lives in one file of this folder with a function `rate(size, matches)`; the file's name,
with dashes, is its public name.
"""

import importlib
import pkgutil
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.errors import UnknownRating
from nextpair.selectors.ratings.match import Match

_SHARED = ("match", "replay")


def rating_names() -> list[str]:
    """List the public names of all ratings."""
    return sorted(
        module.name.replace("_", "-")
        for module in pkgutil.iter_modules(__path__)
        if module.name not in _SHARED
    )


def rate(name: str, size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
    """Rate `size` documents by the rating that goes by this name; larger is better."""
    if name not in rating_names():
        raise UnknownRating(f"there is no rating {name!r}; there are {', '.join(rating_names())}")
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    rated: NDArray[np.float64] = module.rate(size, matches)
    return rated
