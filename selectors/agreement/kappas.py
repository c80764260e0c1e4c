"""Chance-corrected agreement: Cohen's kappa of two raters, Fleiss' and Krippendorff's of many.

    kappa = (P - P_e) / (1 - P_e)                         alpha = 1 - D_o / D_e

Cohen's weighted kappa (squared weights, as mcdonnell-2016 uses it) is scikit-learn's. Fleiss' kappa
and Krippendorff's alpha are written by hand: statsmodels is large for the one, and the package for
the other is GPL-3. D_o is the mean squared difference between values of the same unit, D_e that
between any two values; the difference of the values c and k is

    nominal   1 if they differ                  interval  c - k
    ordinal   the values ranked between them    ratio     (c - k) / (c + k)

(Krippendorff, Computing Krippendorff's alpha-reliability, 2011). The ordinal
difference is the interval difference of mid-ranks, and only the ratio's D_e needs every pair of
distinct values.
"""

from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from nextpair.selectors.aggregation.responses import (
    FloatArray,
    IndexArray,
    Responses,
    check_same_length,
    read_indices,
    read_numbers,
)
from nextpair.selectors.errors import BadInput
from nextpair.selectors.state.ranks import mid_ranks

BLOCK = 256
"""Distinct values compared with all others at a time, which bounds the memory."""


class MeasurementLevel(StrEnum):
    """The level of measurement: what differences between values mean."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"


def weighted_kappa(first: ArrayLike, second: ArrayLike, *, labels: int | None = None) -> float:
    """Return Cohen's kappa of two raters' grades with quadratic weights.

    NaN if both give all items the same grade: expected agreement is then 1.
    """
    rows, columns = read_indices(first, "grades"), read_indices(second, "grades")
    check_same_length(rows, columns)
    if labels is not None and max(rows.max(initial=-1), columns.max(initial=-1)) >= labels:
        raise BadInput(f"a grade is beyond {labels} labels")
    if not len(rows) or len(np.unique(np.concatenate((rows, columns)))) < 2:
        return np.nan
    from nextpair.selectors.deferred.learners import cohen_kappa_score

    grades = None if labels is None else np.arange(labels)
    return float(cohen_kappa_score(rows, columns, labels=grades, weights="quadratic"))


def fleiss_kappa(responses: Responses) -> float:
    """Return Fleiss' kappa of any number of responses to each item.

    Items may have different numbers of responses; those with fewer than two carry no information on
    agreement and are left out. NaN if all responses are the same, or no item is left.
    """
    counts = responses.by_item()
    counts = counts[counts.sum(axis=1) >= 2]
    totals = counts.sum(axis=1)
    if not len(counts) or (counts.sum(axis=0) > 0).sum() < 2:
        return np.nan
    observed = ((counts * (counts - 1)).sum(axis=1) / (totals * (totals - 1))).mean()
    expected = ((counts.sum(axis=0) / totals.sum()) ** 2).sum()
    return float((observed - expected) / (1 - expected))


def krippendorff_alpha(
    units: ArrayLike, values: ArrayLike, level: MeasurementLevel | str = MeasurementLevel.NOMINAL
) -> float:
    """Return Krippendorff's alpha; a missing value is simply absent.

    Parameters
    ----------
    units
        The unit of each value. Units with a single value are left out.

    Returns
    -------
    float
        1 for perfect agreement, 0 for chance agreement, NaN if no two values differ.
    """
    unit_of, numbers = read_indices(units, "units"), read_numbers(values, "values")
    check_same_length(unit_of, numbers)
    if level not in set(MeasurementLevel):
        raise BadInput(f"there is no level {level!r}; there are {', '.join(MeasurementLevel)}")
    if level == MeasurementLevel.RATIO and numbers.size and numbers.min() < 0:
        raise BadInput(f"values of a ratio must not be negative, got {numbers.min():g}")
    paired = np.bincount(unit_of)[unit_of] >= 2 if len(unit_of) else np.zeros(0, dtype=np.bool_)
    unit_of, numbers = unit_of[paired], numbers[paired]
    if len(np.unique(numbers)) < 2:
        return np.nan
    if level == MeasurementLevel.ORDINAL:
        numbers, level = mid_ranks(numbers), MeasurementLevel.INTERVAL
    observed = _observed_difference(unit_of, numbers, MeasurementLevel(level))
    return 1 - observed / _expected_difference(numbers, MeasurementLevel(level))


def _differences(first: FloatArray, second: FloatArray, level: MeasurementLevel) -> FloatArray:
    """Return squared differences."""
    if level is MeasurementLevel.NOMINAL:
        return np.asarray(first != second, dtype=np.float64)
    difference, total = first - second, first + second
    if level is MeasurementLevel.RATIO:
        zeros = np.zeros(np.broadcast(first, second).shape)
        difference = np.divide(difference, total, out=zeros, where=total > 0)
    return np.asarray(difference**2, dtype=np.float64)


def _observed_difference(
    unit_of: IndexArray, numbers: FloatArray, level: MeasurementLevel
) -> float:
    """Return D_o: the mean difference within units, each value counting once."""
    order = np.argsort(unit_of, kind="stable")
    unit_of, numbers = unit_of[order], numbers[order]
    unit_sizes = np.bincount(unit_of)
    total = 0.0
    # The values of a unit are adjacent: compare each with the next, the next but one, ...
    for offset in range(1, int(unit_sizes.max())):
        same = unit_of[:-offset] == unit_of[offset:]
        unit = unit_of[:-offset][same]
        differences = _differences(numbers[:-offset][same], numbers[offset:][same], level)
        total += float((2 * differences / (unit_sizes[unit] - 1)).sum())
    return total / len(numbers)


def _expected_difference(numbers: FloatArray, level: MeasurementLevel) -> float:
    """Return D_e: the mean difference between any two values, whatever their units."""
    count = len(numbers)
    if level is MeasurementLevel.INTERVAL:
        return float(2 * numbers.var(ddof=1))
    distinct, frequencies = np.unique(numbers, return_counts=True)
    total = 0.0
    for start in range(0, len(distinct), BLOCK):
        rows = slice(start, start + BLOCK)
        differences = _differences(distinct[rows, None], distinct[None, :], level)
        total += float(frequencies[rows] @ differences @ frequencies)
    return total / (count * (count - 1))
