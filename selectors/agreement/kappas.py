"""Agreement beyond chance on labels: Cohen's for two, Fleiss' and Krippendorff's for many.

    kappa = (P - P_e) / (1 - P_e)                         alpha = 1 - D_o / D_e

Cohen's weighted kappa (squared weights, as mcdonnell-2016 uses it) is scikit-learn's. Fleiss' kappa
and Krippendorff's alpha are written by hand: statsmodels is large for the one, and the package for
the other is GPL-3. D_o is the mean difference between values of the same unit, D_e that between any
two values; a difference is squared, and is, for values c and k,

    nominal   1 if they differ                  interval  c - k
    ordinal   the values ranked between them    ratio     (c - k) / (c + k)

(Krippendorff, Computing Krippendorff's alpha-reliability, 2011). The ordinal one is the interval
one of mid-ranks, and only the ratio's D_e needs every pair of distinct values.
"""

from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from nextpair.selectors.aggregation.responses import (
    Answers,
    Numbers,
    Places,
    numbers,
    places,
    same_length,
)
from nextpair.selectors.errors import BadInput
from nextpair.selectors.state.ranks import mid_ranks


class Level(StrEnum):
    """What differences between values mean."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"


def weighted_kappa(one: ArrayLike, other: ArrayLike, *, labels: int | None = None) -> float:
    """Return Cohen's kappa of two raters' grades, disagreements weighted by their square.

    NaN where both give all items one and the same grade: chance alone would agree as well.
    """
    first, second = places(one, "grades"), places(other, "grades")
    same_length(first, second)
    if labels is not None and max(first.max(initial=-1), second.max(initial=-1)) >= labels:
        raise BadInput(f"a grade is beyond {labels} labels")
    if not len(first) or len(np.unique(np.concatenate((first, second)))) < 2:
        return np.nan
    from nextpair.selectors.deferred.learners import cohen_kappa_score

    grades = None if labels is None else np.arange(labels)
    return float(cohen_kappa_score(first, second, labels=grades, weights="quadratic"))


def fleiss_kappa(answers: Answers) -> float:
    """Return Fleiss' kappa of any number of answers to each item.

    Items need not have equally many; one with fewer than two says nothing of agreement and is left
    out. NaN where all answers are the same, or nothing is left.
    """
    counts = answers.by_item()
    counts = counts[counts.sum(axis=1) >= 2]
    given = counts.sum(axis=1)
    if not len(counts) or (counts.sum(axis=0) > 0).sum() < 2:
        return np.nan
    agreed = ((counts * (counts - 1)).sum(axis=1) / (given * (given - 1))).mean()
    chance = ((counts.sum(axis=0) / given.sum()) ** 2).sum()
    return float((agreed - chance) / (1 - chance))


def krippendorff_alpha(
    units: ArrayLike, values: ArrayLike, level: Level | str = Level.NOMINAL
) -> float:
    """Return Krippendorff's alpha; what is missing is simply not among the values.

    Parameters
    ----------
    units
        What each value is about. A unit with a single value is left out.

    Returns
    -------
    float
        1 for perfect agreement, 0 for chance, NaN where no two values differ.
    """
    about, given = places(units, "units"), numbers(values, "values")
    same_length(about, given)
    if level not in set(Level):
        raise BadInput(f"there is no level {level!r}; there are {', '.join(Level)}")
    if level == Level.RATIO and given.size and given.min() < 0:
        raise BadInput(f"values of a ratio must not be negative, got {given.min():g}")
    together = np.bincount(about)[about] >= 2 if len(about) else np.zeros(0, dtype=np.bool_)
    about, given = about[together], given[together]
    if len(np.unique(given)) < 2:
        return np.nan
    if level == Level.ORDINAL:
        given, level = mid_ranks(given), Level.INTERVAL
    observed = _observed(about, given, Level(level))
    return 1 - observed / _expected(given, Level(level))


def _differences(one: Numbers, other: Numbers, level: Level) -> Numbers:
    """Return squared differences."""
    if level is Level.NOMINAL:
        return np.asarray(one != other, dtype=np.float64)
    apart, total = one - other, one + other
    if level is Level.RATIO:
        apart = np.divide(
            apart, total, out=np.zeros(np.broadcast(one, other).shape), where=total > 0
        )
    return np.asarray(apart**2, dtype=np.float64)


def _observed(about: Places, given: Numbers, level: Level) -> float:
    """Return the mean difference within units, each value counting once."""
    order = np.argsort(about, kind="stable")
    about, given = about[order], given[order]
    many = np.bincount(about)
    total = 0.0
    # Values of a unit stand side by side: compare each with the next, the next but one, ...
    for apart in range(1, int(many.max())):
        same = about[:-apart] == about[apart:]
        unit = about[:-apart][same]
        found = _differences(given[:-apart][same], given[apart:][same], level)
        total += float((2 * found / (many[unit] - 1)).sum())
    return total / len(given)


def _expected(given: Numbers, level: Level) -> float:
    """Return the mean difference between any two values, whatever their units."""
    count = len(given)
    if level is Level.INTERVAL:
        return float(2 * given.var(ddof=1))
    distinct, often = np.unique(given, return_counts=True)
    total = 0.0
    for start in range(0, len(distinct), 256):
        rows = slice(start, start + 256)
        apart = _differences(distinct[rows, None], distinct[None, :], level)
        total += float(often[rows] @ apart @ often)
    return total / (count * (count - 1))
