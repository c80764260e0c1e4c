"""How likely a document is of a class that has not been found yet."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rarity:
    """Chance left for what nobody has seen.

    Parameters
    ----------
    lasting, fading
        Documents' worth of chance, for ever and at the beginning.
    pace
        After so many documents the second part has fallen to a third.
    """

    lasting: float = 1.0
    fading: float = 4.0
    pace: float = 40.0

    def of_new(self, judged: float) -> float:
        """Return the weight of all gaps together, where each judged document weighs 1."""
        return self.lasting + self.fading * math.exp(-judged / self.pace)
