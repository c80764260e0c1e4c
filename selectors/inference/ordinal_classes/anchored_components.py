"""Islands: documents that have only been compared with each other.

Where an island stands is a guess, however well its documents agree, and a wrong guess misplaces all
of them. So islands stay small: what belongs to one is next compared with the mainland.
"""

import numpy as np


class Mainland:
    """Which documents are joined by comparisons to the founder of the first class."""

    def __init__(self, size: int, founder: int) -> None:
        # Read one by one and all at once: an array over the same memory serves the second.
        self._joined = bytearray(size)
        if size:
            self._joined[founder] = True
        self.joined = np.frombuffer(self._joined, dtype=np.bool_)
        self._island: dict[int, list[int]] = {}

    def compare(self, first: int, second: int) -> None:
        """Take note of a comparison."""
        is_joined, other_is = self._joined[first], self._joined[second]
        if is_joined and other_is:
            return
        one, other = self._of(first), self._of(second)
        if is_joined or other_is:
            for document in (*one, *other):
                self._joined[document] = True
                self._island.pop(document, None)
        elif one is not other:
            if len(one) < len(other):
                first, one, other = second, other, one
            one += other
            for document in other:
                self._island[document] = one
            self._island.setdefault(first, one)

    def island(self, document: int) -> list[int]:
        """Return the documents of an island by one of them; on the mainland this one only."""
        return self._island.get(document, [document])

    def _of(self, document: int) -> list[int]:
        if self._joined[document]:
            return []
        return self._island.setdefault(document, [document])
