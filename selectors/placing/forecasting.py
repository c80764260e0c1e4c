"""How much longer it will take.

Every comparison moves a document's log-odds of being where it seems to be by some amount on
average, which depends on how workers answer. So what each document still lacks, over that amount,
is how often it will be compared.
"""

import numpy as np

from nextpair.selectors.placing.places import Array
from nextpair.selectors.topic.settings import Forecast

EXPECTED, LOW, HIGH = 0.78, 0.43, 1.32
"""How many judgments a comparison that is lacking comes to: the mean, and where 80 % lie.

Measured on WT12 samples of 40 to 200 documents, with error rates from 0 to 0.3 and from a fifth of
the work on; `benchmarks.placement` checks it on other topics. An answer to two new documents is a
comparison of each, and once a class is known, it says more than one answer about it.
"""


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


def lacking(errors: Array, goal: float) -> float:
    """Return what all documents together lack of a goal, in log-odds.

    Parameters
    ----------
    errors
        How likely each document is misplaced.
    goal
        How likely each may be when all is done.
    """
    errors = np.clip(errors, goal, 1 - 1e-9)
    return float((_log_odds(1 - goal) - _log_odds(1 - errors)).sum())


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
    comparisons = lacking(errors, goal) / drift(confusion)
    expected, low, high = (min(share * comparisons, most) for share in (EXPECTED, LOW, HIGH))
    return Forecast(expected, low, high)
