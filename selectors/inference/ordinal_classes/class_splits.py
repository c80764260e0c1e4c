"""Whether a class is really two: looked for among the answers about its own members.

Two classes that were taken for one explain themselves: the crowd just seems to err more. Then no
answer about one of them seems worth asking for, and the mistake would stay.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, xlogy

from nextpair.selectors.inference.ordinal_classes.comparisons import Answers
from nextpair.selectors.inference.ordinal_classes.places import Array

FEWEST = 6
"""A class of fewer members is not looked at."""
ROUNDS = 8
MARGIN = 4.0
"""How much likelier two classes must be than one, as a logarithm."""
HABITS = np.array([8.5, 0.75, 0.75]), np.array([8.5, 1.05, 0.45])
"""Answers that everybody starts with: to ties, and to differences, told from the better one."""


@dataclass(frozen=True, slots=True)
class Split:
    """How a class may be divided.

    Parameters
    ----------
    upper
        For each document, how likely it is of the upper part.
    gain
        How much likelier two classes are than one, as a logarithm.
    """

    members: NDArray[np.intp]
    upper: Array
    gain: float


def best_split(answers: Answers, members: NDArray[np.intp], size: int) -> Split | None:
    """Look for the likeliest division of a class.

    Parameters
    ----------
    size
        How many documents there are.
    """
    if len(members) < FEWEST:
        return None
    inside = np.zeros(size, dtype=np.bool_)
    inside[members] = True
    about = inside[answers.first] & inside[answers.second]
    first, second, answer = (
        column[about] for column in (answers.first, answers.second, answers.answer)
    )
    if len(answer) < FEWEST:
        return None
    tally = np.bincount(answer, minlength=3)
    net = np.bincount(first, 1.0 - answer, size) - np.bincount(second, 1.0 - answer, size)
    upper = expit(net)
    share = 0.5
    for _ in range(ROUNDS):
        tie, difference = _habits(first, second, answer, upper)
        upper, fit = _update(first, second, answer, upper, share, tie, difference)
        share = float(np.clip(upper[members].mean(), 0.01, 0.99))
    chosen = upper[members]
    surprise = xlogy(chosen, chosen / share) + xlogy(1 - chosen, (1 - chosen) / (1 - share))
    together = xlogy(tally, (tally + HABITS[0]) / (tally + HABITS[0]).sum()).sum()
    return Split(members, chosen, float(fit - surprise.sum() - together - MARGIN))


def _habits(
    first: NDArray[np.intp], second: NDArray[np.intp], answer: NDArray[np.intp], upper: Array
) -> tuple[Array, Array]:
    """Estimate how answers come about, given who is probably of which part."""
    better, worse = upper[first] * (1 - upper[second]), (1 - upper[first]) * upper[second]
    tie = np.bincount(answer, 1 - better - worse, 3) + HABITS[0]
    difference = np.bincount(answer, better, 3) + np.bincount(2 - answer, worse, 3) + HABITS[1]
    # Upper is upper: the mirror image would do as well, with answers that are always reversed.
    difference[2] = min(difference[2], difference[0] / 2)
    return tie / tie.sum(), difference / difference.sum()


def _update(
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    answer: NDArray[np.intp],
    upper: Array,
    share: float,
    tie: Array,
    difference: Array,
) -> tuple[Array, float]:
    """Say anew who is of which part, and how well that explains the answers."""
    as_tie, as_better, as_worse = tie[answer], difference[answer], difference[2 - answer]
    one, other = upper[first], upper[second]
    first_up = np.log(other * as_tie + (1 - other) * as_better)
    first_down = np.log(other * as_worse + (1 - other) * as_tie)
    second_up = np.log(one * as_tie + (1 - one) * as_worse)
    second_down = np.log(one * as_better + (1 - one) * as_tie)
    size = len(upper)
    odds = np.bincount(first, first_up - first_down, size)
    odds += np.bincount(second, second_up - second_down, size)
    updated: Array = expit(np.log(share / (1 - share)) + odds)
    one, other = updated[first], updated[second]
    chance = (
        (one * other + (1 - one) * (1 - other)) * as_tie
        + one * (1 - other) * as_better
        + (1 - one) * other * as_worse
    )
    return updated, float(np.log(chance).sum())
