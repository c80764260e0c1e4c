"""What a rating is: matches turned into a number for each document.

A rating lives in one file of this folder: its class is the one subclass of `Rating` that is defined
there, and says its public name as `name`. Another package adds a rating through an entry point of
the group `nextpair.ratings`, listed under the same name.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.ratings.match import Match


class Rating(ABC):
    """Turns the matches between documents into scores; it remembers nothing."""

    name: ClassVar[str]
    """The public name: what studies and programs write. It never changes."""

    @abstractmethod
    def rate(self, size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
        """Return the score of each of `size` documents; larger is better."""

    @abstractmethod
    def errors(self, size: int, matches: Sequence[Match]) -> NDArray[np.float64]:
        """Return the standard error of each document's score, NaN where it is not known."""
