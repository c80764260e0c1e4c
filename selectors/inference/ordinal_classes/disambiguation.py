"""Disambiguation: pairs that tell the order from another explanation of all answers.

Where many workers may reverse, two orders can have about the same log evidence, and each of them
makes every single document seem certain. So before the end the difference itself is asked about.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, product

import numpy as np

from nextpair.selectors.base import Choice, Idle, WorkerHistory
from nextpair.selectors.inference.numerics import Mask
from nextpair.selectors.inference.ordinal_classes.eligibility import INITIAL_OPEN_PAIRS
from nextpair.selectors.inference.ordinal_classes.posterior import DisputedMerge
from nextpair.selectors.inference.ordinal_classes.snapshot import ClassSnapshot
from nextpair.selectors.state.judgments import Pair, unordered

RANDOM_DRAWS = 16
"""Pairs drawn at random before all are tried one after the other."""
MAX_ANSWERS_PER_PAIR = 6
"""Answers to a pair after which another one is not informative about a dispute. In a topic of few
documents there is no other pair, and every worker would be asked the same."""
MAX_OPEN_DISPUTED = 2
"""Open pairs while two classes are disputed: one or two answers tell whether they are tied."""


def disambiguating_choice(
    snapshot: ClassSnapshot,
    reference: Mask,
    relevant_places: int,
    worker: WorkerHistory,
    open_pairs: Counter[Pair],
    answered: Mapping[Pair, int],
    rng: np.random.Generator,
) -> Choice:
    """Choose a pair that tells the order from another explanation, if there is one.

    Parameters
    ----------
    reference
        Documents whose place is certain enough to compare others with.
    relevant_places
        How many places, best first, have to be told from each other.
    answered
        How many answers there are to each pair.
    """
    disputed = snapshot.disputed
    if disputed and not _is_open_question(snapshot, disputed, relevant_places, answered):
        disputed = None
    if disputed:
        # Whether two documents are tied, reversing workers know as well as any other.
        if open_pairs.total() >= MAX_OPEN_DISPUTED:
            return Idle.WAIT
        exhausted = Counter(
            {pair: 1 for pair, count in answered.items() if count >= MAX_ANSWERS_PER_PAIR}
        )
        pair = _draw(disputed, worker, open_pairs + exhausted, rng)
        if pair is not None:
            return pair
    if snapshot.class_count == 1 or snapshot.crowd.is_orientation_certain:
        # A worker who has seen all disputed pairs leaves them to others.
        return Idle.WAIT if disputed else Idle.DONE
    if open_pairs.total() >= INITIAL_OPEN_PAIRS:
        return Idle.WAIT
    # The order may be its mirror image: answers about a certain difference show who reverses.
    certain = reference.nonzero()[0]
    in_largest = snapshot.map_class[certain] == snapshot.class_sizes.argmax()
    pair = _draw((certain[in_largest], certain[~in_largest]), worker, open_pairs, rng)
    return Idle.WAIT if pair is None else pair


def _is_open_question(
    snapshot: ClassSnapshot,
    disputed: DisputedMerge,
    relevant_places: int,
    answered: Mapping[Pair, int],
) -> bool:
    """Return whether a dispute matters for the top, and a pair is left that can decide it."""
    best = min(int(snapshot.map_class[side].min()) for side in disputed)
    if 2 * best + 1 >= relevant_places:
        return False
    return any(answered.get(pair, 0) < MAX_ANSWERS_PER_PAIR for pair in _pairs(disputed))


def _pairs(sides: DisputedMerge) -> Iterator[Pair]:
    return (unordered(int(first), int(second)) for first, second in product(*sides))


def _draw(
    sides: DisputedMerge, worker: WorkerHistory, open_pairs: Counter[Pair], rng: np.random.Generator
) -> Pair | None:
    """Draw a pair from two sides that this worker may have; None if there is none at all."""
    drawn = zip(*(rng.choice(side, RANDOM_DRAWS) for side in sides), strict=True)
    # After the draws, at most as many pairs are passed over as the worker has seen.
    for first, second in chain(drawn, product(*sides)):
        pair = unordered(int(first), int(second))
        if pair not in open_pairs and not worker.has_seen(pair):
            return pair
    return None
