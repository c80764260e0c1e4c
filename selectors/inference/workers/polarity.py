"""Polarity of workers: who contradicts the majority, whatever the order may be.

Let z be 1 for a worker of one camp and -1 for one of the other, and x a score for every document:
an answer that names the first of two documents as better supports z (x1 - x2) > 0. The z and x with
the most support are the leading singular vectors of the matrix of workers by documents, found by
power iteration. This needs neither classes nor an earlier posterior, so it makes a good start for a
fit.
"""

import numpy as np

from nextpair.selectors.inference.comparisons import Comparisons
from nextpair.selectors.inference.numerics import Mask

POWER_ITERATIONS = 20


def minority_camp(comparisons: Comparisons, workers: int) -> Mask:
    """Return which of the first workers, by number, are of the smaller camp."""
    first, second, worker = comparisons.first, comparisons.second, comparisons.worker
    direction = 1.0 - comparisons.outcome
    documents = int(max(first.max(initial=0), second.max(initial=0))) + 1
    polarity = np.ones(workers)
    for _ in range(POWER_ITERATIONS):
        support = direction * polarity[worker]
        scores = np.bincount(first, support, documents) - np.bincount(second, support, documents)
        agreement = np.bincount(worker, direction * (scores[first] - scores[second]), workers)
        polarity = agreement / max(float(np.abs(agreement).max(initial=0)), 1e-12)
    negative: Mask = polarity < 0
    return negative if 2 * np.count_nonzero(negative) <= workers else polarity > 0
