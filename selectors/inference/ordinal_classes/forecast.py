"""The forecast: how many more judgments are needed.

On average every comparison moves the log-odds of a document's place by the drift of a sequential
test (Wald), which depends on the confusion matrix. What a document's log-odds lack, divided by the
drift, is how often it will be compared.
"""

import numpy as np

from nextpair.selectors.inference.numerics import Array, logit
from nextpair.selectors.state.settings import Forecast

EXPECTED, LOW, HIGH = 0.65, 0.42, (0.92, 1.1)
"""Judgments per missing comparison: the median, and the interval that holds 80 %.

Measured on samples of 40 to 200 documents of WT11 and WT12, with error rates from 0 to 0.3 and with
seeds that `benchmarks.placing.forecast` does not use. The upper end is higher where workers err
more, by the second number times the error rate: settled documents become uncertain again. An answer
to two new documents is a comparison of each, and once a class is known, it is worth more than one
answer about it.
"""
MIN_COMPARISONS = 0.75
"""The comparisons that a document needs if it needs any: no question can be asked in part."""


def drift(confusion: Array) -> float:
    """Return the mean change of the log-odds of a tie against a difference in one comparison."""
    better, tie, worse = confusion
    logs = np.log(confusion)
    return float(
        np.mean(
            [
                tie @ (logs[1] - logs[0]),
                tie @ (logs[1] - logs[2]),
                better @ (logs[0] - logs[1]),
                worse @ (logs[2] - logs[1]),
            ]
        )
    )


def missing_comparisons(errors: Array, goal: float, confusion: Array) -> float:
    """Return how many comparisons all documents together need to reach the goal.

    Parameters
    ----------
    errors
        The probability that each document is misplaced.
    goal
        That probability when all is done.
    """
    missing = logit(1 - goal) - logit(1 - np.clip(errors, goal, 1 - 1e-9))
    of_documents = np.maximum(missing / drift(confusion), MIN_COMPARISONS)
    return float(of_documents[errors > goal].sum())


def forecast(errors: Array, goal: float, confusion: Array, limit: float) -> Forecast:
    """Forecast the judgments until each document is as certain as the goal.

    Parameters
    ----------
    limit
        How many judgments there can be at all.
    """
    comparisons = missing_comparisons(errors, goal, confusion)
    error_rate = 1 - float(np.trace(confusion)) / len(confusion)
    factors = (EXPECTED, LOW, HIGH[0] + HIGH[1] * error_rate)
    return Forecast(*(min(factor * comparisons, limit) for factor in factors))
