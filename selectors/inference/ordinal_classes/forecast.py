"""How much longer it will take.

Every comparison moves a document's log-odds of being where it seems to be by some amount on
average, which depends on how workers answer. So what each document still lacks, over that amount,
is how often it will be compared.
"""

import numpy as np

from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.state.settings import Forecast

EXPECTED, LOW, HIGH = 0.65, 0.42, (0.92, 1.1)
"""How many judgments a comparison that is lacking comes to: the median, and where 80 % lie.

Measured on samples of 40 to 200 documents of WT11 and WT12, with error rates from 0 to 0.3 and with
seeds that `benchmarks.placing.forecast` does not use. The upper end is higher where workers err
more, by so much for each wrong answer: what seemed settled comes back. An answer to two new
documents is a comparison of each, and once a class is known, it says more than one answer about it.
"""
LEAST = 0.75
"""Comparisons that a document lacks if it lacks any: nobody can be asked a part of a question."""


def drift(confusion: Array) -> float:
    """Return by how much one comparison moves the log-odds of a tie against a difference."""
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


def lacking(errors: Array, goal: float, confusion: Array) -> float:
    """Return how many comparisons all documents together lack of a goal.

    Parameters
    ----------
    errors
        How likely each document is misplaced.
    goal
        How likely each may be when all is done.
    """
    lack = _log_odds(1 - goal) - _log_odds(1 - np.clip(errors, goal, 1 - 1e-9))
    each = np.maximum(lack / drift(confusion), LEAST)
    return float(each[errors > goal].sum())


def _log_odds(chance: Array | float) -> Array:
    odds: Array = np.log(chance) - np.log1p(-np.asarray(chance))
    return odds


def forecast(errors: Array, goal: float, confusion: Array, most: float) -> Forecast:
    """Say how many judgments are needed until each document is as certain as the goal.

    Parameters
    ----------
    most
        How many there can be at all.
    """
    comparisons = lacking(errors, goal, confusion)
    wrong = 1 - float(np.trace(confusion)) / len(confusion)
    shares = (EXPECTED, LOW, HIGH[0] + HIGH[1] * wrong)
    return Forecast(*(min(share * comparisons, most) for share in shares))
