"""How far one worker agrees with themselves: transitive answers, and repeated ones.

Three documents of which a worker compared all three pairs are a triad. It is intransitive if no
order with ties explains its answers: going round it, some document is ahead of the next and none
behind, or some behind and none ahead. So A > B > C > A is intransitive, and so is A > B = C = A;
A = B = C = A is not. Yang et al. count discords with the best order of a group of eight instead;
a triad needs no group.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from nextpair.selectors.errors import SelfComparison
from nextpair.selectors.state.judgments import Outcome, Pair, unordered

Told = tuple[int, int, Outcome]
"""Two documents, and how the first compares with the second."""

_SIGN = {Outcome.BETTER: 1, Outcome.WORSE: -1, Outcome.TIE: 0}


@dataclass(frozen=True, slots=True)
class Triads:
    """Triads of one worker: all, those no order explains, and of these the cycles without ties."""

    complete: int
    intransitive: int
    cycles: int

    @property
    def share(self) -> float:
        """The share of intransitive triads; NaN if there are none."""
        return self.intransitive / self.complete if self.complete else float("nan")


@dataclass(frozen=True, slots=True)
class Repeats:
    """Questions one worker was asked more than once, and those always answered alike."""

    repeated: int
    alike: int

    @property
    def share(self) -> float:
        """The share of repeated questions answered alike; NaN if there are none."""
        return self.alike / self.repeated if self.repeated else float("nan")


def triads(answers: Iterable[Told]) -> Triads:
    """Count the triads of one worker's answers; of a repeated pair the first answer counts."""
    signs: dict[Pair, int] = {}
    met: dict[int, set[int]] = defaultdict(set)
    for pair, outcome in map(_turned, answers):
        signs.setdefault(pair, _SIGN[outcome])
        met[pair[0]].add(pair[1])
    complete = intransitive = cycles = 0
    for (low, middle), ahead in signs.items():
        for high in met[low] & met[middle]:
            # Round the triad: low to middle, middle to high, high to low.
            around = (ahead, signs[middle, high], -signs[low, high])
            complete += 1
            intransitive += (max(around) > 0) != (min(around) < 0)
            cycles += abs(sum(around)) == 3
    return Triads(complete, intransitive, cycles)


def repeats(answers: Iterable[tuple[Hashable, Hashable]]) -> Repeats:
    """Count questions, each with an answer, that came more than once."""
    given: dict[Hashable, list[Hashable]] = defaultdict(list)
    for question, answer in answers:
        given[question].append(answer)
    often = [said for said in given.values() if len(said) > 1]
    return Repeats(len(often), sum(len(set(said)) == 1 for said in often))


def repeated_pairs(answers: Iterable[Told]) -> Repeats:
    """Count pairs that came more than once, on whichever sides."""
    return repeats(map(_turned, answers))


def _turned(answer: Told) -> tuple[Pair, Outcome]:
    first, second, outcome = answer
    if first == second:
        raise SelfComparison()
    pair = unordered(first, second)
    return pair, outcome if pair == (first, second) else outcome.reversed
