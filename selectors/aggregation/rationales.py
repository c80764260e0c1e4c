"""Rationales: excerpts found in their document, and answers kept by how alike theirs are.

Similarity is Ratcliff and Obershelp's (mcdonnell-2016): twice the characters in matching blocks
over the characters of both texts. difflib computes it; its shortcut for frequent characters must be
off, or it ignores most letters of any text beyond 200 characters.

THRESHOLD keeps the answers that reach, with any other, the best similarity rounded down to a
multiple of 10 %; TOP-N keeps the N that are most similar to any other.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from fractions import Fraction
from itertools import combinations

from nextpair.selectors.aggregation.excerpts import LONGEST, normalise
from nextpair.selectors.errors import BadOption


def similarity(one: str, other: str) -> Fraction:
    """Compare two texts, whatever their case and white space; exact, and the same either way.

    Only the first 2,000 characters count: the cost is quadratic, and a rationale is not so long.

    >>> similarity("abcd", "bcde")
    Fraction(3, 4)
    """
    # difflib's blocks can depend on which text comes first.
    first, second = sorted((normalise(one)[:LONGEST], normalise(other)[:LONGEST]))
    if not second:
        return Fraction(1)
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    return Fraction(2 * sum(block.size for block in blocks), len(first) + len(second))


def filter_by_threshold(rationales: Sequence[str]) -> list[int]:
    """Keep the answers whose rationale is about as similar to another as any is; by place.

    A rationale without another to compare it with is kept.
    """
    nearest = _nearest(rationales)
    if len(rationales) < 2:
        return list(range(len(rationales)))
    threshold = Fraction(10 * max(nearest) // 1, 10)
    return [place for place, similar in enumerate(nearest) if similar >= threshold]


def filter_top(rationales: Sequence[str], count: int = 3) -> list[int]:
    """Keep the `count` answers most similar to any other, the earlier where they are equal."""
    if count < 1:
        raise BadOption(f"at least one answer must be kept, got {count}")
    nearest = _nearest(rationales)
    best = sorted(range(len(rationales)), key=lambda place: (-nearest[place], place))
    return sorted(best[:count])


def _nearest(rationales: Sequence[str]) -> list[Fraction]:
    """Say how similar each rationale is to the one most like it."""
    nearest = [Fraction(0)] * len(rationales)
    for one, other in combinations(range(len(rationales)), 2):
        similar = similarity(rationales[one], rationales[other])
        nearest[one] = max(nearest[one], similar)
        nearest[other] = max(nearest[other], similar)
    return nearest
