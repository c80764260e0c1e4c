"""How well scores predict answers: honestly, on pairs kept out of the fit, and on the others.

An adaptive selector asks about pairs because of what it knows, and the scores are made to fit the
answers; so how well they do on these says little. Audit pairs are drawn at random and scored
nowhere. The interval is Wilson's, of the share of right predictions.
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
    """Answers to pairs, and how many of those that prefer one document the scores foretell.

    Parameters
    ----------
    undecided
        Of the answers that prefer one, those on documents with the same score or without any; they
        are not foretold.
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
        """The share of those that are foretold."""
        return self.right / self.preferring if self.preferring else np.nan

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the accuracy lies with 95 % confidence."""
        if not self.preferring:
            return None
        from nextpair.selectors.deferred.measures import binomtest

        found = binomtest(self.right, self.preferring).proportion_ci(method="wilson")
        return float(found.low), float(found.high)

    @property
    def tie_share(self) -> float:
        """The share of ties."""
        return self.ties / self.answers if self.answers else np.nan

    def __add__(self, other: "Prediction") -> "Prediction":
        """Put the answers of two topics together."""
        return Prediction(
            self.answers + other.answers,
            self.ties + other.ties,
            self.right + other.right,
            self.undecided + other.undecided,
        )


def predict(scores: NDArray[np.float64], rows: Sequence[JudgmentRow]) -> Prediction:
    """Compare answers about pairs with the documents' scores."""
    said = np.array([_SIGNS[str(row.outcome)] for row in rows], dtype=np.intp)
    firsts = np.array([row.first for row in rows], dtype=np.intp)
    seconds = np.array([row.second for row in rows], dtype=np.intp)
    apart = scores[firsts] - scores[seconds]
    told = np.where(np.isnan(apart), 0.0, np.sign(apart))
    prefers = said != 0
    return Prediction(
        len(rows),
        int((~prefers).sum()),
        int((prefers & (told == said)).sum()),
        int((prefers & (told == 0)).sum()),
    )
