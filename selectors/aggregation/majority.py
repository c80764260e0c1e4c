"""The majority of the labels an item got; a tie is reported, not hidden."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.aggregation.responses import UNKNOWN, Answers, Places


@dataclass(frozen=True, slots=True)
class Majority:
    """What most workers said of each item.

    Parameters
    ----------
    labels
        The label with most votes; `UNKNOWN` where there is none.
    counts
        Votes by item and label.
    tied
        Where several labels have most votes; an item without any vote is not tied.
    """

    labels: Places
    counts: NDArray[np.int64]
    tied: NDArray[np.bool_]


def majority(answers: Answers, *, break_ties: bool = False) -> Majority:
    """Take the label with most votes.

    Parameters
    ----------
    break_ties
        Give a tie to the first of its labels, in the order of the options, instead of to none.
    """
    counts = answers.by_item()
    most = counts.max(axis=1, initial=0, keepdims=True)
    asked = most[:, 0] > 0
    tied = asked & ((counts == most).sum(axis=1) > 1)
    named = asked if break_ties else asked & ~tied
    labels = np.full(len(counts), UNKNOWN, dtype=np.intp)
    if named.any():
        labels[named] = counts[named].argmax(axis=1)
    return Majority(labels, counts, tied)
