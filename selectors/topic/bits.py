"""Sets of small integers as the bits of one int: union and membership in nanoseconds."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

FEW = 12
"""Up to this many members, taking them out one by one is faster than unpacking all places."""


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
        found: list[int] = np.flatnonzero(mask(bits, bits.bit_length())).tolist()
        return found
    few: list[int] = []
    while bits:
        lowest = bits & -bits
        few.append(lowest.bit_length() - 1)
        bits ^= lowest
    return few


def mask(bits: int, size: int) -> NDArray[np.bool_]:
    """Return the set as a boolean array of `size` places.

    >>> mask(0b101, 4).tolist()
    [True, False, True, False]
    """
    packed = np.frombuffer(bits.to_bytes((size + 7) // 8, "little"), dtype=np.uint8)
    return np.unpackbits(packed, count=size, bitorder="little").view(np.bool_)
