"""Slow twins of the fast structures, so plain that they are right at a glance."""

from collections.abc import Iterable
from itertools import product

from nextpair.selectors.state.judgments import Outcome, Pair

Relations = dict[Pair, Outcome]


def closure(size: int, answers: Iterable[tuple[int, int, Outcome]]) -> Relations:
    """Close answers under transitivity by repeating one rule until nothing new follows.

    If a is at least as good as b, and b at least as good as c, then a is at least as good as c,
    and strictly better if either step was. Contradicting answers give a document that is better
    than itself.
    """
    at_least: dict[Pair, bool] = {(place, place): False for place in range(size)}
    for first, second, outcome in answers:
        if outcome is not Outcome.WORSE:
            _learn(at_least, first, second, outcome is Outcome.BETTER)
        if outcome is not Outcome.BETTER:
            _learn(at_least, second, first, outcome is Outcome.WORSE)
    changed = True
    while changed:
        changed = False
        for (a, b), (c, d) in product(list(at_least.items()), repeat=2):
            if a[1] == c[0]:
                changed |= _learn(at_least, a[0], c[1], b or d)
    return {
        (a, b): Outcome.BETTER if strict else Outcome.TIE
        for (a, b), strict in at_least.items()
        if strict or (b, a) in at_least
    } | {(b, a): Outcome.WORSE for (a, b), strict in at_least.items() if strict}


def _learn(at_least: dict[Pair, bool], better: int, worse: int, strict: bool) -> bool:
    known = at_least.get((better, worse))
    if known is None or (strict and not known):
        at_least[better, worse] = strict
        return True
    return False


def contradicts(size: int, answers: Iterable[tuple[int, int, Outcome]]) -> bool:
    """Say whether answers make some document better than itself."""
    relations = closure(size, answers)
    return any(relations[place, place] is not Outcome.TIE for place in range(size))


def accepted(
    size: int, answers: Iterable[tuple[int, int, Outcome]]
) -> list[tuple[int, int, Outcome]]:
    """Keep each answer that does not contradict those kept before it."""
    kept: list[tuple[int, int, Outcome]] = []
    for answer in answers:
        if not contradicts(size, [*kept, answer]):
            kept.append(answer)
    return kept
