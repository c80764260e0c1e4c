"""Islands: documents that have only been compared with each other.

Where an island stands is a guess, however well its documents agree, and a wrong guess misplaces all
of them. So islands stay small: what belongs to one is next compared with the mainland.
"""

import numpy as np


class Mainland:
    """Which documents are joined by comparisons to the founder of the first class."""

    def __init__(self, size: int, founder: int) -> None:
        self.joined = np.zeros(size, dtype=np.bool_)
        if size:
            self.joined[founder] = True
        self._island: dict[int, list[int]] = {}

    def compare(self, first: int, second: int) -> None:
        """Take note of a comparison."""
        one, other = self._of(first), self._of(second)
        if self.joined[first] and self.joined[second]:
            return
        if self.joined[first] or self.joined[second]:
            for document in (*one, *other):
                self.joined[document] = True
                self._island.pop(document, None)
        elif one is not other:
            one += other
            for document in other:
                self._island[document] = one
            self._island.setdefault(first, one)

    def _of(self, document: int) -> list[int]:
        if self.joined[document]:
            return []
        return self._island.setdefault(document, [document])
