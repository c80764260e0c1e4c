"""Camps: which workers contradict the others, whatever the order may be.

Who answers the other way round about the same documents is of the other camp. Let z be 1 for a
worker of one camp and -1 for one of the other, and x a score for every document: an answer that
names the first of two as better speaks for z (x1 - x2) > 0. The z and x that answers speak most for
are the first singular vectors of workers by documents, found by going back and forth between both.
It asks for no classes and for nothing that was believed before, so it makes a good new start.
"""

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.ordinal_classes.comparisons import Answers

ROUNDS = 20


def opposed(answers: Answers, workers: int) -> NDArray[np.bool_]:
    """Say of the first so many workers who is of the other camp than most, by their number."""
    first, second, who = answers.first, answers.second, answers.worker
    said = 1.0 - answers.answer
    size = int(max(first.max(initial=0), second.max(initial=0))) + 1
    camps = np.ones(workers)
    for _ in range(ROUNDS):
        spoken = said * camps[who]
        scores = np.bincount(first, spoken, size) - np.bincount(second, spoken, size)
        agreed = np.bincount(who, said * (scores[first] - scores[second]), workers)
        camps = agreed / max(float(np.abs(agreed).max(initial=0)), 1e-12)
    others: NDArray[np.bool_] = camps < 0
    return others if 2 * np.count_nonzero(others) <= workers else camps > 0
