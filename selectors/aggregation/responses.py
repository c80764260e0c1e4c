"""Responses of workers to items, in columns that aggregation can count over."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from nextpair.selectors.errors import BadInput, NegativeCount

IndexArray = NDArray[np.intp]
FloatArray = NDArray[np.float64]

UNKNOWN = -1
"""The label of an item without a known label, or whose votes are tied."""


@dataclass(frozen=True, slots=True)
class Responses:
    """One response per row of three columns; build it with `collect_responses`.

    Parameters
    ----------
    shape
        How many items, workers and labels there are, those without a response included.
    """

    items: IndexArray
    workers: IndexArray
    labels: IndexArray
    shape: tuple[int, int, int]

    def by_item(self) -> NDArray[np.int64]:
        """Count the responses of each item (rows) by label (columns)."""
        items, _, labels = self.shape
        flat = np.bincount(self.items * labels + self.labels, minlength=items * labels)
        return flat.reshape(items, labels).astype(np.int64)

    def by_worker(self) -> sparse.csr_array:
        """Count the responses of each worker with each label (rows) by item (columns)."""
        items, workers, labels = self.shape
        rows = self.workers * labels + self.labels
        ones = np.ones(len(rows))
        return sparse.csr_array((ones, (rows, self.items)), shape=(workers * labels, items))


def collect_responses(
    items: ArrayLike,
    workers: ArrayLike,
    labels: ArrayLike,
    shape: Sequence[int] | None = None,
) -> Responses:
    """Validate three columns of equal length; the shape is taken from them if none is given."""
    columns = (
        read_indices(items, "items"),
        read_indices(workers, "workers"),
        read_indices(labels, "labels"),
    )
    check_same_length(*columns)
    needed = tuple(int(column.max(initial=-1)) + 1 for column in columns)
    counts = needed if shape is None else tuple(int(count) for count in shape)
    if len(counts) != 3 or any(
        count < minimum for count, minimum in zip(counts, needed, strict=False)
    ):
        raise BadInput(f"responses name {needed} items, workers and labels, more than {counts}")
    return Responses(*columns, (counts[0], counts[1], counts[2]))


def read_indices(values: ArrayLike, name: str) -> IndexArray:
    """Read non-negative whole numbers."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise BadInput(f"{name} must be a flat sequence of whole numbers")
    if array.size and array.min() < 0:
        raise NegativeCount(f"{name} must not be negative, got {array.min()}")
    return array.astype(np.intp)


def read_numbers(values: ArrayLike, name: str, *, minimum: float = -np.inf) -> FloatArray:
    """Read finite numbers that are not below `minimum`."""
    array = np.array(values, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise BadInput(f"{name} must be a flat sequence of finite numbers")
    if array.size and array.min() < minimum:
        raise BadInput(f"{name} must not be below {minimum:g}, got {array.min():g}")
    return array


def check_same_length(*arrays: NDArray[np.generic]) -> None:
    """Refuse columns of different lengths."""
    lengths = {len(array) for array in arrays}
    if len(lengths) > 1:
        raise BadInput(f"columns of one table differ in length: {sorted(lengths)}")


def check_bounds(size: int, *arrays: IndexArray) -> None:
    """Refuse positions of documents from `size` on."""
    for array in arrays:
        if array.size and array.max() >= size:
            raise BadInput(f"position {array.max()} is beyond {size} documents")
