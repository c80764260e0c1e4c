"""What is asked before the end: whether another explanation of all the answers is the true one.

Where many may reverse what they are asked, two orders can explain the answers about as well, and
each makes every single document seem certain.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, product

import numpy as np

from nextpair.selectors.base import Choice, Idle, Worker
from nextpair.selectors.inference.ordinal_classes.acquisition import Mask
from nextpair.selectors.inference.ordinal_classes.comparisons import Disputed
from nextpair.selectors.inference.ordinal_classes.eligibility import FIRST_AT_ONCE
from nextpair.selectors.inference.ordinal_classes.snapshot import View
from nextpair.selectors.state.judgments import Pair, unordered

TRIES = 16
"""Pairs drawn, where any of many will do, before all are looked at one after the other."""
TELLING = 6
"""Answers to one pair after which another one to it tells nothing of a dispute. In a topic of few
documents there is no other pair, and everybody would be asked the same."""
DISPUTED_AT_ONCE = 2
"""Whether two documents are tied, one or two answers tell."""


def confirm(
    beliefs: View,
    firm: Mask,
    told_apart: int,
    worker: Worker,
    open_pairs: Counter[Pair],
    answered: Mapping[Pair, int],
    rng: np.random.Generator,
) -> Choice:
    """Ask what tells the order from another explanation, if one is left.

    Parameters
    ----------
    firm
        Documents whose place is certain enough to measure others by.
    told_apart
        How many places, best first, need to be told from each other.
    answered
        How many answers there are to each pair.
    """
    in_dispute = beliefs.disputed and _matters(beliefs, beliefs.disputed, told_apart)
    if beliefs.disputed and in_dispute:
        in_dispute = any(answered.get(pair, 0) < TELLING for pair in _pairs(beliefs.disputed))
    if beliefs.disputed and in_dispute:
        # Of one class or of two: those who reverse know that as well as anybody.
        if open_pairs.total() >= DISPUTED_AT_ONCE:
            return Idle.WAIT
        told = Counter({one: 1 for one, count in answered.items() if count >= TELLING})
        pair = _draw(beliefs.disputed, worker, open_pairs + told, rng)
        if pair is not None:
            return pair
    if beliefs.classes == 1 or beliefs.crowd.upright:
        # Who has seen all that is in dispute leaves it to others.
        return Idle.WAIT if in_dispute else Idle.DONE
    if open_pairs.total() >= FIRST_AT_ONCE:
        return Idle.WAIT
    # The order may be upside down: then a difference that is certain tells who reverses.
    certain = firm.nonzero()[0]
    largest = beliefs.likeliest[certain] == beliefs.counts.argmax()
    pair = _draw((certain[largest], certain[~largest]), worker, open_pairs, rng)
    return Idle.WAIT if pair is None else pair


def _matters(beliefs: View, disputed: Disputed, told_apart: int) -> bool:
    """Say whether any document of two classes is at a place that has to be told from others."""
    best = min(int(beliefs.likeliest[side].min()) for side in disputed)
    return 2 * best + 1 < told_apart


def _pairs(sides: Disputed) -> Iterator[Pair]:
    return (unordered(int(first), int(second)) for first, second in product(*sides))


def _draw(
    sides: Disputed, worker: Worker, open_pairs: Counter[Pair], rng: np.random.Generator
) -> Pair | None:
    """Draw a pair from two sides that this worker may have; None if there is none at all."""
    drawn = zip(*(rng.choice(side, TRIES) for side in sides), strict=True)
    # Of the pairs beyond those drawn, as many are passed over as the worker has seen.
    for first, second in chain(drawn, product(*sides)):
        pair = unordered(int(first), int(second))
        if pair not in open_pairs and not worker.has_seen(pair):
            return pair
    return None
