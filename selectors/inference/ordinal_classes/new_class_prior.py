"""The prior probability of a new class, which falls as documents are judged."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NewClassPrior:
    """The concentration of a Chinese restaurant process, with a part that decays.

    Parameters
    ----------
    lasting, fading
        The weight of a new class, in documents: the part that stays, and the part that decays.
    scale
        The number of judged documents after which the second part has fallen to 1 / e.
    """

    lasting: float = 1.0
    fading: float = 4.0
    scale: float = 40.0

    def weight(self, judged: float) -> float:
        """Return the weight of all gaps together, where each judged document weighs 1."""
        return self.lasting + self.fading * math.exp(-judged / self.scale)
