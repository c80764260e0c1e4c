"""Means of the numbers that workers gave, and frequencies of what they chose.

In magnitude estimation (Maddalena et al., TOIS 2017; roitero-2018) each worker has a scale of their
own, which is normalised before the geometric mean: worker w's number x on topic t becomes

    x' = x * G(t) / G(w, t)

where G(t) is the geometric mean of all numbers on the topic and G(w, t) that of the worker's. The
frequencies and the combined score, a geometric mean of several scores, are those of yang-2018.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from nextpair.selectors.aggregation.responses import (
    FloatArray,
    IndexArray,
    check_bounds,
    check_same_length,
    read_indices,
    read_numbers,
)
from nextpair.selectors.errors import BadInput, BadOption

MIN_MAGNITUDE = np.nextafter(0, 1)


def arithmetic_mean(items: ArrayLike, values: ArrayLike, size: int) -> FloatArray:
    """Return the mean of each item's values, NaN for an item without any."""
    indices, numbers = _read(items, values, size)
    return _mean(indices, numbers, size)


def geometric_mean(items: ArrayLike, values: ArrayLike, size: int) -> FloatArray:
    """Return the geometric mean of each item's values, which one zero makes zero."""
    indices, numbers = _read(items, values, size, minimum=0.0)
    zero = np.bincount(indices[numbers == 0], minlength=size) > 0
    logs = np.log(np.where(numbers > 0, numbers, 1.0))
    return np.where(zero, 0.0, np.exp(_mean(indices, logs, size)))


def normalise_magnitudes(
    workers: ArrayLike, values: ArrayLike, topics: ArrayLike | None = None
) -> FloatArray:
    """Normalise each worker's scale, topic by topic.

    Parameters
    ----------
    values
        Numbers above zero.
    topics
        The topic of each number; all are of one topic when not given.
    """
    worker = read_indices(workers, "workers")
    magnitudes = read_numbers(values, "magnitudes", minimum=MIN_MAGNITUDE)
    topic = (
        np.zeros(len(worker), dtype=np.intp) if topics is None else read_indices(topics, "topics")
    )
    check_same_length(worker, magnitudes, topic)
    logs = np.log(magnitudes)
    topic_count = int(topic.max(initial=-1)) + 1
    _, groups = np.unique(worker * topic_count + topic, return_inverse=True)
    worker_means = _mean(groups, logs, int(groups.max(initial=-1)) + 1)[groups]
    return np.exp(logs - worker_means + _mean(topic, logs, topic_count)[topic])


def magnitude_scores(
    items: ArrayLike,
    workers: ArrayLike,
    values: ArrayLike,
    size: int,
    topics: ArrayLike | None = None,
) -> FloatArray:
    """Return the geometric mean of each item's normalised magnitudes."""
    return geometric_mean(items, normalise_magnitudes(workers, values, topics), size)


def combine(scores: Sequence[ArrayLike]) -> FloatArray:
    """Return the geometric mean of several scores of the same documents.

    >>> combine([[0.5, 1.0], [0.125, 1.0]]).tolist()
    [0.25, 1.0]
    """
    if not scores:
        raise BadInput("there must be at least one score to combine")
    rows = [read_numbers(row, "scores", minimum=0.0) for row in scores]
    check_same_length(*rows)
    size = len(rows[0])
    return geometric_mean(np.tile(np.arange(size), len(rows)), np.concatenate(rows), size)


def frequencies(
    documents: ArrayLike, chosen: ArrayLike, size: int, *, times: int | None = None
) -> FloatArray:
    """Return the share of its showings in which each document was chosen.

    There is one entry for each document that was shown: a preference shows two documents and
    chooses one, a question for relevance may choose both.

    Parameters
    ----------
    times
        Divide by this instead: yang-2018's design shows every document K * X * Y times.
    """
    indices, choices = _read(documents, np.asarray(chosen, dtype=np.float64), size, minimum=0.0)
    if choices.size and choices.max() > 1:
        raise BadInput(f"chosen is 0 or 1, got {choices.max():g}")
    if times is None:
        return _mean(indices, choices, size)
    counts = np.bincount(indices, choices, size)
    if times < 1 or counts.max(initial=0) > times:
        raise BadOption(f"a document was chosen {counts.max():g} times, more than {times}")
    return np.asarray(counts / times, dtype=np.float64)


def preference_frequencies(
    firsts: ArrayLike,
    seconds: ArrayLike,
    first_better: ArrayLike,
    size: int,
    *,
    times: int | None = None,
) -> FloatArray:
    """Return the share of its pairs in which each document was preferred."""
    better = np.asarray(first_better, dtype=np.float64)
    documents = np.concatenate((read_indices(firsts, "firsts"), read_indices(seconds, "seconds")))
    return frequencies(documents, np.concatenate((better, 1 - better)), size, times=times)


def _read(
    items: ArrayLike, values: ArrayLike, size: int, minimum: float = -np.inf
) -> tuple[IndexArray, FloatArray]:
    indices, numbers = read_indices(items, "items"), read_numbers(values, "values", minimum=minimum)
    check_same_length(indices, numbers)
    check_bounds(size, indices)
    return indices, numbers


def _mean(indices: IndexArray, values: FloatArray, size: int) -> FloatArray:
    total, count = np.bincount(indices, values, size), np.bincount(indices, minlength=size)
    mean: FloatArray = np.divide(total, count, out=np.full(size, np.nan), where=count > 0)
    return mean
