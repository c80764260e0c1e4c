"""Self-consistency of one worker: intransitive triads, and repeated questions.

A triad is three documents of which the worker compared all three pairs. It is intransitive if no
weak order explains its three responses: around the triad, some document is ahead of the next one
and none is behind, or some is behind and none is ahead. So A > B > C > A is intransitive, and so is
A > B = C = A; A = B = C = A is not. Yang et al. count discords with the best order of a group of
eight instead; a triad needs no group.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from nextpair.selectors.errors import SelfComparison
from nextpair.selectors.state.judgments import Outcome, Pair, unordered

DirectedComparison = tuple[int, int, Outcome]
"""Two documents, and how the first compares with the second: one response to a pair."""


@dataclass(frozen=True, slots=True)
class TriadCounts:
    """Triads of one worker: all, the intransitive ones, and of these the cycles without ties."""

    complete: int
    intransitive: int
    cycles: int

    @property
    def share(self) -> float:
        """The share of intransitive triads; NaN if there are none."""
        return self.intransitive / self.complete if self.complete else float("nan")


@dataclass(frozen=True, slots=True)
class RepeatCounts:
    """Questions that one worker answered more than once, and those always answered alike."""

    repeated: int
    alike: int

    @property
    def share(self) -> float:
        """The share of repeated questions answered alike; NaN if there are none."""
        return self.alike / self.repeated if self.repeated else float("nan")


def triads(responses: Iterable[DirectedComparison]) -> TriadCounts:
    """Count the triads of one worker; of a repeated pair the first response counts."""
    signs: dict[Pair, int] = {}
    larger_neighbours: dict[int, set[int]] = defaultdict(set)
    for pair, outcome in map(_unordered_comparison, responses):
        signs.setdefault(pair, 1 - outcome.code)
        larger_neighbours[pair[0]].add(pair[1])
    complete = intransitive = cycles = 0
    for (low, middle), sign in signs.items():
        for high in larger_neighbours[low] & larger_neighbours[middle]:
            # Around the triad: low to middle, middle to high, high to low.
            around = (sign, signs[middle, high], -signs[low, high])
            complete += 1
            intransitive += (max(around) > 0) != (min(around) < 0)
            cycles += abs(sum(around)) == 3
    return TriadCounts(complete, intransitive, cycles)


def repeats(responses: Iterable[tuple[Hashable, Hashable]]) -> RepeatCounts:
    """Count the repeated questions among (question, answer)."""
    by_question: dict[Hashable, list[Hashable]] = defaultdict(list)
    for question, answer in responses:
        by_question[question].append(answer)
    repeated = [answers for answers in by_question.values() if len(answers) > 1]
    return RepeatCounts(len(repeated), sum(len(set(answers)) == 1 for answers in repeated))


def repeated_pairs(responses: Iterable[DirectedComparison]) -> RepeatCounts:
    """Count the repeated pairs, whichever document was first."""
    return repeats(map(_unordered_comparison, responses))


def _unordered_comparison(response: DirectedComparison) -> tuple[Pair, Outcome]:
    first, second, outcome = response
    if first == second:
        raise SelfComparison()
    pair = unordered(first, second)
    return pair, outcome if pair == (first, second) else outcome.reversed
