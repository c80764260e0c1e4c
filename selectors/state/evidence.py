"""The findings the order rests on, and the shortest chain of them that implies a relation."""

from collections import defaultdict, deque
from collections.abc import Iterator

from nextpair.selectors.state.judgments import Comparison, Outcome

_Step = tuple[int, bool]
"""A document, and whether the way to it held a strict preference."""


class Evidence:
    """Findings by document. Redundant ones are kept too: they make explanations shorter."""

    def __init__(self) -> None:
        self._comparisons: list[Comparison] = []
        self._downwards: defaultdict[int, list[int]] = defaultdict(list)
        self._counts: defaultdict[int, int] = defaultdict(int)

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self._comparisons)

    def __len__(self) -> int:
        return len(self._comparisons)

    def add(self, comparison: Comparison) -> None:
        """Keep a finding that agrees with the order."""
        place = len(self._comparisons)
        self._comparisons.append(comparison)
        self._counts[comparison.first] += 1
        self._counts[comparison.second] += 1
        if comparison.outcome is not Outcome.WORSE:
            self._downwards[comparison.first].append(place)
        if comparison.outcome is not Outcome.BETTER:
            self._downwards[comparison.second].append(place)

    def count(self, document: int) -> int:
        """Say how many findings a document's place rests on directly."""
        return self._counts[document]

    def shortest_chain(
        self, first: int, second: int, relation: Outcome, oldest: int | None = None
    ) -> tuple[Comparison, ...]:
        """Return the fewest findings from which a known relation follows, first to second.

        Each is told from the document nearer to the first.

        Parameters
        ----------
        oldest
            Use only this many, those that came first; all when not given.
        """
        if relation is Outcome.WORSE:
            downwards = self.shortest_chain(second, first, Outcome.BETTER, oldest)
            return tuple(
                comparison.seen_from(comparison.second) for comparison in reversed(downwards)
            )
        end = len(self) if oldest is None else oldest
        return self._shortest((first, False), (second, relation is Outcome.BETTER), end)

    def _shortest(self, start: _Step, goal: _Step, end: int) -> tuple[Comparison, ...]:
        came: dict[_Step, tuple[_Step, Comparison]] = {}
        queue = deque([start])
        while queue and goal not in came:
            step = document, strict = queue.popleft()
            for place in self._downwards.get(document, ()):
                if place >= end:
                    break
                comparison = self._comparisons[place]
                reached = (
                    comparison.second if comparison.first == document else comparison.first,
                    strict or comparison.outcome is not Outcome.TIE,
                )
                if reached not in came and reached != start:
                    came[reached] = (step, comparison)
                    queue.append(reached)
        return tuple(_walk_back(came, start, goal))[::-1] if goal in came else ()


def _walk_back(
    came: dict[_Step, tuple[_Step, Comparison]], start: _Step, goal: _Step
) -> Iterator[Comparison]:
    while goal != start:
        goal, comparison = came[goal]
        yield comparison.seen_from(goal[0])
