"""What is expected of documents beforehand: their prior scores and features, as far as they help.

Scores are expected to be a weighted sum of standardised columns. The weights are learned from the
documents judged so far, with a ridge, so that columns that say nothing end up with none. Only the
prior score starts with a weight of its own: whoever gives one believes in it.
"""

import numpy as np

from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.state.documents import Documents

BELIEF = 0.5
"""How much better a document is expected to be whose prior score is one deviation higher."""
RIDGE = 4.0
"""How strongly weights are held where they started, in documents."""


class Expecting:
    """Columns of a topic's documents, and what they make expect."""

    def __init__(self, documents: Documents) -> None:
        columns = np.column_stack([documents.priors, documents.features])
        self._columns = _standardised(columns)
        self._start = np.zeros(self._columns.shape[1])
        if np.isfinite(documents.priors).any():
            self._start[:1] = BELIEF

    @property
    def informed(self) -> bool:
        """Whether there is anything to go by."""
        return bool(self._columns.any())

    def at_first(self) -> Array:
        """Return what is expected before anything was judged."""
        expected: Array = self._columns @ self._start
        return expected

    def after(self, scores: Array, precision: Array) -> Array:
        """Return what is expected, given scores of documents and how much is known of each.

        Parameters
        ----------
        precision
            From 0, for a document nobody has judged, to 1.
        """
        weighed = self._columns * precision[:, None]
        pull = weighed.T @ self._columns + RIDGE * np.eye(len(self._start))
        weights = np.linalg.solve(pull, weighed.T @ scores + RIDGE * self._start)
        expected: Array = self._columns @ weights
        return expected


def _standardised(columns: Array) -> Array:
    """Centre columns and give them one deviation; what is missing is in the middle."""
    known = np.isfinite(columns)
    counts = np.maximum(known.sum(axis=0), 1)
    centred = np.where(known, columns, 0.0)
    centred = np.where(known, centred - centred.sum(axis=0) / counts, 0.0)
    deviation = np.sqrt((centred**2).sum(axis=0) / counts)
    return np.asarray(centred / np.where(deviation > 0, deviation, 1.0), dtype=np.float64)
