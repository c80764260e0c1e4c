"""Ratings: matches turned into numbers.

A rating lives in one file of this folder with two functions, `rate(size, matches)` and
`errors(size, matches)`; the file's name, with dashes, is its public name.
"""

import importlib
import pkgutil
from collections.abc import Sequence
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.errors import UnknownRating
from nextpair.selectors.ratings.match import Match

_SHARED = ("match", "replay", "rounds")


def rating_names() -> list[str]:
    """List the public names of all ratings."""
    return sorted(
        module.name.replace("_", "-")
        for module in pkgutil.iter_modules(__path__)
        if module.name not in _SHARED
    )


def rate(name: str, size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
    """Rate `size` documents by the rating that goes by this name; larger is better."""
    rated: NDArray[np.float64] = _find(name).rate(size, matches)
    return rated


def errors(name: str, size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
    """Return the standard error of each document's rating, NaN where it is not known."""
    known: NDArray[np.float64] = _find(name).errors(size, matches)
    return known


def _find(name: str) -> ModuleType:
    if name not in rating_names():
        raise UnknownRating(f"there is no rating {name!r}; there are {', '.join(rating_names())}")
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
