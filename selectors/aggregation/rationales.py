"""Filters of responses by the similarity of their rationales: THRESHOLD and TOP-N.

Similarity is Ratcliff and Obershelp's (mcdonnell-2016): twice the characters in matching blocks
over the characters of both texts. difflib computes it; its shortcut for frequent characters
(`autojunk`) must be off, or it ignores most letters of any text beyond 200 characters.

THRESHOLD keeps the responses whose similarity to any other one reaches the largest such similarity
rounded down to a multiple of 10 %; TOP-N keeps the N responses most similar to any other one.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from fractions import Fraction
from itertools import combinations

from nextpair.selectors.aggregation.excerpts import MAX_LENGTH, normalise
from nextpair.selectors.errors import BadOption


def similarity(first: str, second: str) -> Fraction:
    """Return the similarity of two texts up to case and white space; exact and symmetric.

    Only the first 2,000 characters count: the cost is quadratic, and a rationale is not so long.

    >>> similarity("abcd", "bcde")
    Fraction(3, 4)
    """
    # difflib's blocks can depend on the order of the texts.
    low, high = sorted((normalise(first)[:MAX_LENGTH], normalise(second)[:MAX_LENGTH]))
    if not high:
        return Fraction(1)
    blocks = SequenceMatcher(None, low, high, autojunk=False).get_matching_blocks()
    return Fraction(2 * sum(block.size for block in blocks), len(low) + len(high))


def filter_by_threshold(rationales: Sequence[str]) -> list[int]:
    """Return the positions of the responses that THRESHOLD keeps.

    A single rationale is kept.
    """
    nearest = _nearest(rationales)
    if len(rationales) < 2:
        return list(range(len(rationales)))
    threshold = Fraction(10 * max(nearest) // 1, 10)
    return [place for place, value in enumerate(nearest) if value >= threshold]


def filter_top(rationales: Sequence[str], count: int = 3) -> list[int]:
    """Return the positions of the `count` responses that TOP-N keeps, the earlier of equal ones."""
    if count < 1:
        raise BadOption(f"at least one response must be kept, got {count}")
    nearest = _nearest(rationales)
    best = sorted(range(len(rationales)), key=lambda place: (-nearest[place], place))
    return sorted(best[:count])


def _nearest(rationales: Sequence[str]) -> list[Fraction]:
    """Return the similarity of each rationale to its nearest neighbour."""
    nearest = [Fraction(0)] * len(rationales)
    for first, second in combinations(range(len(rationales)), 2):
        value = similarity(rationales[first], rationales[second])
        nearest[first] = max(nearest[first], value)
        nearest[second] = max(nearest[second], value)
    return nearest
