"""What open pairs leave to be asked: which documents better wait for the answers that will come."""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from nextpair.selectors.inference.ordinal_classes.acquisition import Mask
from nextpair.selectors.inference.ordinal_classes.anchored_components import Mainland
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.inference.ordinal_classes.stopping import Reach
from nextpair.selectors.state.judgments import Pair

ASIDE = 0.3
"""A pair is not about a document that is so many times less in doubt than the other."""
AS_DOUBTFUL = 0.5
"""How much less in doubt than those awaited a document may be, as a factor, to be asked about."""
TOSS_UP = 0.5
"""No document awaited counts for more: of a new one nothing is known, which is no doubt yet."""
FIRST_AT_ONCE = 8
"""How many pairs may be open before there is any answer: the first ones tell what to ask next."""
ANSWERS_FOR_ONE_MORE = 2


def askable(
    open_pairs: Counter[Pair], reach: Reach, mainland: Mainland, heard: int, hurry: float
) -> Mask:
    """Say about which documents can be asked now; if about none, who asks has to wait.

    Parameters
    ----------
    heard
        How many answers there are.
    hurry
        How many pairs may be open for every document that is expected to be misplaced. Of those in
        doubt most are where they seem to be, and later answers about others will say so.
    """
    if not open_pairs:
        return np.ones(len(reach.errors), dtype=np.bool_)
    begin = FIRST_AT_ONCE + heard // ANSWERS_FOR_ONE_MORE
    if open_pairs.total() >= min(begin, hurry * reach.errors.sum()):
        return np.zeros(len(reach.errors), dtype=np.bool_)
    told = awaited(open_pairs, reach.errors, mainland)
    return needed(reach.errors, told, reach.most) & as_doubtful(reach.errors, told) & ~told


def awaited(pairs: Iterable[Pair], errors: Array, mainland: Mainland) -> Mask:
    """Say about which documents open pairs will tell: those in doubt, and all of their islands.

    The other documents of such pairs are what these are measured by, and can be at any time.

    Parameters
    ----------
    errors
        How likely each document is misplaced.
    """
    awaited: Mask = np.zeros(len(errors), dtype=np.bool_)
    for first, second in pairs:
        for one, other in ((first, second), (second, first)):
            if errors[one] >= ASIDE * errors[other]:
                awaited[mainland.island(one)] = True
    return awaited


def needed(errors: Array, awaited: Mask, most: float) -> Mask:
    """Say about which documents must be asked even if the awaited answers leave no doubt.

    Parameters
    ----------
    most
        How many documents may be misplaced: as many as possible are left as they are.
    """
    left = np.where(awaited, 0.0, errors)
    surest = np.argsort(left, kind="stable")
    wanted: Mask = np.zeros(len(errors), dtype=np.bool_)
    wanted[surest] = np.cumsum(left[surest]) > most
    return wanted


def as_doubtful(errors: Array, awaited: Mask) -> Mask:
    """Say which documents are about as much in doubt as those awaited are.

    One worker would ask about the others last, when later answers may have made them sure.
    """
    if not awaited.any():
        return np.ones(len(errors), dtype=np.bool_)
    doubtful: Mask = errors >= AS_DOUBTFUL * np.minimum(errors[awaited], TOSS_UP).mean()
    return doubtful
