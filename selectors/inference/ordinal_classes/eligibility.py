"""Eligibility: which documents can be asked about while other pairs are open.

A document waits if the open pairs are informative about it, or if later answers may make it
certain.
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from nextpair.selectors.inference.numerics import Array, Mask
from nextpair.selectors.inference.ordinal_classes.anchored_components import AnchoredComponents
from nextpair.selectors.inference.ordinal_classes.stopping import ClassStoppingStatus
from nextpair.selectors.state.judgments import Pair

MIN_ERROR_RATIO = 0.3
"""A pair is only about the more uncertain document if the other's error is below this share of its
error."""
MIN_RELATIVE_ERROR = 0.5
"""A document is eligible if its error is at least this share of the mean of the pending ones."""
ERROR_CAP = 0.5
"""The error that a pending document counts for at most: an unjudged one is not uncertain yet."""
INITIAL_OPEN_PAIRS = 8
"""How many pairs may be open before there is any answer: the first answers tell what to ask."""
ANSWERS_PER_OPEN_PAIR = 2
"""One more pair may be open for this many answers."""


def eligible_documents(
    open_pairs: Counter[Pair],
    status: ClassStoppingStatus,
    components: AnchoredComponents,
    answers: int,
    pairs_per_error: float,
) -> Mask:
    """Return the documents that can be asked about; if there is none, the worker has to wait.

    Parameters
    ----------
    answers
        How many answers there are.
    pairs_per_error
        How many pairs may be open for every document that is expected to be misplaced. Most
        uncertain documents are where they seem to be, and later answers about others show that.
    """
    if not open_pairs:
        return np.ones(len(status.errors), dtype=np.bool_)
    initial = INITIAL_OPEN_PAIRS + answers // ANSWERS_PER_OPEN_PAIR
    if open_pairs.total() >= min(initial, pairs_per_error * status.errors.sum()):
        return np.zeros(len(status.errors), dtype=np.bool_)
    pending = pending_documents(open_pairs, status.errors, components)
    required = required_documents(status.errors, pending, status.tolerance)
    return required & comparably_uncertain(status.errors, pending) & ~pending


def pending_documents(pairs: Iterable[Pair], errors: Array, components: AnchoredComponents) -> Mask:
    """Return the documents that open pairs are about: the uncertain ones, with their components.

    The other document of such a pair is a reference, and can be in any number of pairs.

    Parameters
    ----------
    errors
        The probability that each document is misplaced.
    """
    pending: Mask = np.zeros(len(errors), dtype=np.bool_)
    for first, second in pairs:
        for document, other in ((first, second), (second, first)):
            if errors[document] >= MIN_ERROR_RATIO * errors[other]:
                pending[components.component(document)] = True
    return pending


def required_documents(errors: Array, pending: Mask, tolerance: float) -> Mask:
    """Return the documents that must be asked about even if the pending ones become certain.

    Parameters
    ----------
    tolerance
        How many documents may be misplaced: as many as possible are left as they are.
    """
    remaining = np.where(pending, 0.0, errors)
    surest_first = np.argsort(remaining, kind="stable")
    required: Mask = np.zeros(len(errors), dtype=np.bool_)
    required[surest_first] = np.cumsum(remaining[surest_first]) > tolerance
    return required


def comparably_uncertain(errors: Array, pending: Mask) -> Mask:
    """Return the documents that are about as uncertain as the pending ones.

    A single worker would be asked about the others last, when later answers may have made them
    certain.
    """
    if not pending.any():
        return np.ones(len(errors), dtype=np.bool_)
    mean = np.minimum(errors[pending], ERROR_CAP).mean()
    uncertain: Mask = errors >= MIN_RELATIVE_ERROR * mean
    return uncertain
