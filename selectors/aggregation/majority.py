"""The majority vote on each item; a tie is reported, not hidden."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.aggregation.responses import UNKNOWN, IndexArray, Responses


@dataclass(frozen=True, slots=True)
class Majority:
    """The votes on each item and their majority.

    Parameters
    ----------
    labels
        The label with most votes; `UNKNOWN` where there is none.
    counts
        Votes by item and label.
    tied
        Where several labels have most votes; an item without any vote is not tied.
    """

    labels: IndexArray
    counts: NDArray[np.int64]
    tied: NDArray[np.bool_]


def majority(responses: Responses, *, break_ties: bool = False) -> Majority:
    """Return the label with most votes of each item.

    Parameters
    ----------
    break_ties
        Give a tie the first of its labels instead of `UNKNOWN`.
    """
    counts = responses.by_item()
    most = counts.max(axis=1, initial=0, keepdims=True)
    voted = most[:, 0] > 0
    tied = voted & ((counts == most).sum(axis=1) > 1)
    decided = voted if break_ties else voted & ~tied
    labels = np.full(len(counts), UNKNOWN, dtype=np.intp)
    if decided.any():
        labels[decided] = counts[decided].argmax(axis=1)
    return Majority(labels, counts, tied)
