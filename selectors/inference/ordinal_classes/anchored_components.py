"""Connected components of the comparison graph, and which of them is anchored.

The component of the founder of the first class is anchored. Where any other one stands in the order
is a guess, however well its documents agree, and a wrong guess misplaces all of them. So components
stay small: a document of one is next compared with an anchored document.
"""

import numpy as np


class AnchoredComponents:
    """Which documents are connected by comparisons, and which of them to the anchor."""

    def __init__(self, size: int, anchor: int) -> None:
        # Single items are read faster from a bytearray; the array over its memory reads them all.
        self._anchored = bytearray(size)
        if size:
            self._anchored[anchor] = True
        self.anchored = np.frombuffer(self._anchored, dtype=np.bool_)
        self._components: dict[int, list[int]] = {}

    def connect(self, first: int, second: int) -> None:
        """Add a comparison."""
        first_anchored, second_anchored = self._anchored[first], self._anchored[second]
        if first_anchored and second_anchored:
            return
        larger, smaller = self._floating(first), self._floating(second)
        if first_anchored or second_anchored:
            for document in (*larger, *smaller):
                self._anchored[document] = True
                self._components.pop(document, None)
        elif larger is not smaller:
            if len(larger) < len(smaller):
                first, larger, smaller = second, smaller, larger
            larger += smaller
            for document in smaller:
                self._components[document] = larger
            self._components.setdefault(first, larger)

    def component(self, document: int) -> list[int]:
        """Return the documents in the component of this one; only itself if it is anchored."""
        return self._components.get(document, [document])

    def _floating(self, document: int) -> list[int]:
        """Return the component of a document that is not anchored; nothing if it is."""
        if self._anchored[document]:
            return []
        return self._components.setdefault(document, [document])
