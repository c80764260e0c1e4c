"""How well scores predict answers: out of sample (audit pairs), and in sample.

An adaptive selector chooses pairs by what it knows, and the scores are fitted to the answers; so
in-sample accuracy says little. Audit pairs are drawn at random and kept out of every fit. The
interval of the accuracy is Wilson's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.state.judgments import Outcome
from nextpair.storage.rows import JudgmentRow

_SIGNS = {Outcome.BETTER.value: 1, Outcome.WORSE.value: -1, Outcome.TIE.value: 0}


@dataclass(frozen=True, slots=True)
class Prediction:
    """Answers to pairs, and how many of those that prefer one document the scores predict.

    Parameters
    ----------
    undecided
        Of the answers that prefer one, those on documents with the same score or without any; they
        are not predicted.
    """

    answers: int = 0
    ties: int = 0
    right: int = 0
    undecided: int = 0

    @property
    def preferring(self) -> int:
        """How many answers prefer one document."""
        return self.answers - self.ties

    @property
    def accuracy(self) -> float:
        """The share of these that the scores predict."""
        return self.right / self.preferring if self.preferring else np.nan

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the accuracy."""
        if not self.preferring:
            return None
        from nextpair.selectors.deferred.measures import binomtest

        interval = binomtest(self.right, self.preferring).proportion_ci(method="wilson")
        return float(interval.low), float(interval.high)

    @property
    def tie_share(self) -> float:
        """The share of ties."""
        return self.ties / self.answers if self.answers else np.nan

    def __add__(self, other: "Prediction") -> "Prediction":
        """Add the counts of another topic."""
        return Prediction(
            self.answers + other.answers,
            self.ties + other.ties,
            self.right + other.right,
            self.undecided + other.undecided,
        )


def predict(scores: NDArray[np.float64], rows: Sequence[JudgmentRow]) -> Prediction:
    """Compare answers about pairs with the signs of the score differences."""
    answered = np.array([_SIGNS[str(row.outcome)] for row in rows], dtype=np.intp)
    firsts = np.array([row.first for row in rows], dtype=np.intp)
    seconds = np.array([row.second for row in rows], dtype=np.intp)
    difference = scores[firsts] - scores[seconds]
    predicted = np.where(np.isnan(difference), 0.0, np.sign(difference))
    prefers = answered != 0
    return Prediction(
        len(rows),
        int((~prefers).sum()),
        int((prefers & (predicted == answered)).sum()),
        int((prefers & (predicted == 0)).sum()),
    )
