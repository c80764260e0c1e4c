"""The judgment budget, which ends the questions of every model whatever its stopping rule says.

A stopping rule (`ClassStoppingRule`, `ScoreStoppingRule`) turns a posterior into a stopping status,
which says whether the rule `is_met`, and what is still uncertain if it is not.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class JudgmentBudget:
    """How many judgments may be asked for.

    Parameters
    ----------
    per_document
        Judgments per document; 0 for no limit.
    documents
        How many documents there are.
    """

    per_document: float
    documents: int

    @property
    def _limit(self) -> float:
        return float(self.per_document) * self.documents

    def is_spent(self, judgments: int) -> bool:
        """Return whether no more than these judgments may be asked for."""
        return 0 < self._limit <= judgments

    def remaining(self, judgments: int) -> float:
        """Return how many judgments are left after these; infinity without a limit."""
        return max(self._limit - judgments, 0.0) if self._limit else np.inf
