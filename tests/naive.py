"""Naive reference implementations of the fast structures: slow, and obviously correct."""

from collections.abc import Iterable
from itertools import product

from nextpair.selectors.state.judgments import Outcome, Pair

Relations = dict[Pair, Outcome]


def transitive_closure(size: int, answers: Iterable[tuple[int, int, Outcome]]) -> Relations:
    """Return the transitive closure of answers: one rule is repeated until nothing new follows.

    If a is at least as good as b, and b at least as good as c, then a is at least as good as c,
    and strictly better if either relation is strict. Contradicting answers make a document better
    than itself.
    """
    at_least: dict[Pair, bool] = {(place, place): False for place in range(size)}
    for first, second, outcome in answers:
        if outcome is not Outcome.WORSE:
            _add_relation(at_least, first, second, outcome is Outcome.BETTER)
        if outcome is not Outcome.BETTER:
            _add_relation(at_least, second, first, outcome is Outcome.WORSE)
    changed = True
    while changed:
        changed = False
        for (a, b), (c, d) in product(list(at_least.items()), repeat=2):
            if a[1] == c[0]:
                changed |= _add_relation(at_least, a[0], c[1], b or d)
    return {
        (a, b): Outcome.BETTER if strict else Outcome.TIE
        for (a, b), strict in at_least.items()
        if strict or (b, a) in at_least
    } | {(b, a): Outcome.WORSE for (a, b), strict in at_least.items() if strict}


def _add_relation(at_least: dict[Pair, bool], better: int, worse: int, strict: bool) -> bool:
    strict_before = at_least.get((better, worse))
    if strict_before is None or (strict and not strict_before):
        at_least[better, worse] = strict
        return True
    return False


def contradicts(size: int, answers: Iterable[tuple[int, int, Outcome]]) -> bool:
    """Return whether answers make some document better than itself."""
    relations = transitive_closure(size, answers)
    return any(relations[place, place] is not Outcome.TIE for place in range(size))


def accepted(
    size: int, answers: Iterable[tuple[int, int, Outcome]]
) -> list[tuple[int, int, Outcome]]:
    """Return the answers that do not contradict those accepted before them."""
    kept: list[tuple[int, int, Outcome]] = []
    for answer in answers:
        if not contradicts(size, [*kept, answer]):
            kept.append(answer)
    return kept
