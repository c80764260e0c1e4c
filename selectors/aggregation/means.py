"""Means of the numbers workers gave, and frequencies of what they chose.

Magnitude estimation (Maddalena et al., TOIS 2017, as roitero-2018 takes it up) leaves each worker
their own scale, so it is taken out before the geometric mean: of worker w's number x on topic t,

    x' = x * G(t) / G(w, t)

with G the geometric mean of all numbers on the topic, and of the worker's on it. The frequencies
and the combined score, a geometric mean of several scores, are those of yang-2018.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from nextpair.selectors.aggregation.responses import (
    Numbers,
    Places,
    numbers,
    places,
    same_length,
    within,
)
from nextpair.selectors.errors import BadInput, BadOption

LEAST_MAGNITUDE = np.nextafter(0, 1)


def arithmetic_mean(items: ArrayLike, values: ArrayLike, size: int) -> Numbers:
    """Return the mean of each item's values, NaN for an item without any."""
    where, given = _read(items, values, size)
    return _mean(where, given, size)


def geometric_mean(items: ArrayLike, values: ArrayLike, size: int) -> Numbers:
    """Return the geometric mean of each item's values, which one zero makes zero."""
    where, given = _read(items, values, size, least=0.0)
    zero = np.bincount(where[given == 0], minlength=size) > 0
    logs = np.log(np.where(given > 0, given, 1.0))
    return np.where(zero, 0.0, np.exp(_mean(where, logs, size)))


def normalise_magnitudes(
    workers: ArrayLike, values: ArrayLike, topics: ArrayLike | None = None
) -> Numbers:
    """Take each worker's own scale out of their numbers, topic by topic.

    Parameters
    ----------
    values
        Numbers above zero.
    topics
        The topic of each number; all are of one when not given.
    """
    who, given = places(workers, "workers"), numbers(values, "magnitudes", least=LEAST_MAGNITUDE)
    about = np.zeros(len(who), dtype=np.intp) if topics is None else places(topics, "topics")
    same_length(who, given, about)
    logs = np.log(given)
    together = int(about.max(initial=-1)) + 1
    own = who * together + about
    _, units = np.unique(own, return_inverse=True)
    own_mean = _mean(units, logs, int(units.max(initial=-1)) + 1)[units]
    return np.exp(logs - own_mean + _mean(about, logs, together)[about])


def magnitude_scores(
    items: ArrayLike,
    workers: ArrayLike,
    values: ArrayLike,
    size: int,
    topics: ArrayLike | None = None,
) -> Numbers:
    """Return the geometric mean of each item's normalised magnitudes."""
    return geometric_mean(items, normalise_magnitudes(workers, values, topics), size)


def combine(scores: Sequence[ArrayLike]) -> Numbers:
    """Return the geometric mean of several scores of the same documents.

    >>> combine([[0.5, 1.0], [0.125, 1.0]]).tolist()
    [0.25, 1.0]
    """
    if not scores:
        raise BadInput("there must be at least one score to combine")
    rows = [numbers(row, "scores", least=0.0) for row in scores]
    same_length(*rows)
    size = len(rows[0])
    return geometric_mean(np.tile(np.arange(size), len(rows)), np.concatenate(rows), size)


def frequencies(
    documents: ArrayLike, chosen: ArrayLike, size: int, *, times: int | None = None
) -> Numbers:
    """Return how often each document was chosen, of the times it was shown.

    A preference shows two documents and chooses one, a question for relevance may choose both: one
    entry for each document shown.

    Parameters
    ----------
    times
        Divide by this instead: the K * X * Y times yang-2018's design shows every document.
    """
    where, picked = _read(documents, np.asarray(chosen, dtype=np.float64), size, least=0.0)
    if picked.size and picked.max() > 1:
        raise BadInput(f"chosen is 0 or 1, got {picked.max():g}")
    if times is None:
        return _mean(where, picked, size)
    counted = np.bincount(where, picked, size)
    if times < 1 or counted.max(initial=0) > times:
        raise BadOption(f"a document was chosen {counted.max():g} times, more than {times}")
    return np.asarray(counted / times, dtype=np.float64)


def preference_frequencies(
    firsts: ArrayLike,
    seconds: ArrayLike,
    first_better: ArrayLike,
    size: int,
    *,
    times: int | None = None,
) -> Numbers:
    """Return how often each document was the preferred one of its pair."""
    better = np.asarray(first_better, dtype=np.float64)
    documents = np.concatenate((places(firsts, "firsts"), places(seconds, "seconds")))
    return frequencies(documents, np.concatenate((better, 1 - better)), size, times=times)


def _read(
    items: ArrayLike, values: ArrayLike, size: int, least: float = -np.inf
) -> tuple[Places, Numbers]:
    where, given = places(items, "items"), numbers(values, "values", least=least)
    same_length(where, given)
    within(size, where)
    return where, given


def _mean(where: Places, given: Numbers, size: int) -> Numbers:
    total, count = np.bincount(where, given, size), np.bincount(where, minlength=size)
    mean: Numbers = np.divide(total, count, out=np.full(size, np.nan), where=count > 0)
    return mean
