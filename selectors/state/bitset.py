"""Bit sets: sets of small integers as the bits of one int, with fast union and membership."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

FEW = 12
"""Up to this many members, extracting them one by one is faster than unpacking all bits."""


def of(members: Iterable[int]) -> int:
    """Return the set of these members.

    >>> of([1, 2, 4]) == 0b10110
    True
    """
    bits = 0
    for member in members:
        bits |= 1 << member
    return bits


def members(bits: int) -> list[int]:
    """List the set's members, smallest first.

    >>> members(0b10110)
    [1, 2, 4]
    """
    if bits.bit_count() > FEW:
        unpacked: list[int] = np.flatnonzero(mask(bits, bits.bit_length())).tolist()
        return unpacked
    extracted: list[int] = []
    while bits:
        lowest = bits & -bits
        extracted.append(lowest.bit_length() - 1)
        bits ^= lowest
    return extracted


def mask(bits: int, size: int) -> NDArray[np.bool_]:
    """Return the set as a boolean array of length `size`.

    >>> mask(0b101, 4).tolist()
    [True, False, True, False]
    """
    packed = np.frombuffer(bits.to_bytes((size + 7) // 8, "little"), dtype=np.uint8)
    return np.unpackbits(packed, count=size, bitorder="little").view(np.bool_)


def weighted_sums(sets: Sequence[int], weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of the weights of each set's members.

    >>> weighted_sums([0b101, 0b010], np.array([1, 20, 300])).tolist()
    [301, 20]
    """
    width = (len(weights) + 7) // 8
    packed = np.frombuffer(b"".join(bits.to_bytes(width, "little") for bits in sets), np.uint8)
    sums = np.zeros(len(sets), dtype=np.int64)
    # Floats multiply faster than integers, and represent these sums exactly.
    float_weights = weights.astype(np.float64)
    # In blocks of rows: all of them unpacked take eight times the memory of the sets.
    for start in range(0, len(sets), 256):
        rows = packed[start * width : (start + 256) * width].reshape(-1, width)
        unpacked = np.unpackbits(rows, axis=1, bitorder="little")[:, : len(weights)]
        sums[start : start + 256] = (unpacked.astype(np.float64) @ float_weights).astype(np.int64)
    return sums
