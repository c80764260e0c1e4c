"""Who answered what, as flat arrays that aggregation can count over."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from nextpair.selectors.errors import BadInput, NegativeCount

Places = NDArray[np.intp]
Numbers = NDArray[np.float64]

UNKNOWN = -1
"""The label of an item of which none is known, or on which the votes are tied."""


@dataclass(frozen=True, slots=True)
class Answers:
    """One answer per place of three arrays; build it with `collect`.

    Parameters
    ----------
    shape
        How many items, workers and labels there are, those without an answer included.
    """

    items: Places
    workers: Places
    labels: Places
    shape: tuple[int, int, int]

    def by_item(self) -> NDArray[np.int64]:
        """Count how often each item got each label."""
        items, _, labels = self.shape
        flat = np.bincount(self.items * labels + self.labels, minlength=items * labels)
        return flat.reshape(items, labels).astype(np.int64)

    def by_worker(self) -> sparse.csr_array:
        """Count answers by worker and label (one row for each of both) and item (columns)."""
        items, workers, labels = self.shape
        rows = self.workers * labels + self.labels
        ones = np.ones(len(rows))
        return sparse.csr_array((ones, (rows, self.items)), shape=(workers * labels, items))


def collect(
    items: ArrayLike,
    workers: ArrayLike,
    labels: ArrayLike,
    shape: Sequence[int] | None = None,
) -> Answers:
    """Check three equally long arrays of places, and count what is there if no shape is given."""
    parts = (places(items, "items"), places(workers, "workers"), places(labels, "labels"))
    same_length(*parts)
    least = tuple(int(part.max(initial=-1)) + 1 for part in parts)
    given = least if shape is None else tuple(int(count) for count in shape)
    if len(given) != 3 or any(one < needed for one, needed in zip(given, least, strict=False)):
        raise BadInput(f"answers name {least} items, workers and labels, more than {given}")
    return Answers(*parts, (given[0], given[1], given[2]))


def places(values: ArrayLike, name: str) -> Places:
    """Read whole numbers from 0 up."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise BadInput(f"{name} must be a flat sequence of whole numbers")
    if array.size and array.min() < 0:
        raise NegativeCount(f"{name} must not be negative, got {array.min()}")
    return array.astype(np.intp)


def numbers(values: ArrayLike, name: str, *, least: float = -np.inf) -> Numbers:
    """Read finite numbers that are not below `least`."""
    array = np.array(values, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise BadInput(f"{name} must be a flat sequence of finite numbers")
    if array.size and array.min() < least:
        raise BadInput(f"{name} must not be below {least:g}, got {array.min():g}")
    return array


def same_length(*arrays: NDArray[np.generic]) -> None:
    """Refuse arrays that do not belong together."""
    lengths = {len(array) for array in arrays}
    if len(lengths) > 1:
        raise BadInput(f"arrays that belong together differ in length: {sorted(lengths)}")


def within(size: int, *arrays: Places) -> None:
    """Refuse places beyond the number of documents."""
    for array in arrays:
        if array.size and array.max() >= size:
            raise BadInput(f"place {array.max()} is beyond {size} documents")
