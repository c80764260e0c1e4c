"""Evidence: the comparisons an order rests on, and the shortest chain that implies a relation."""

from collections import defaultdict, deque
from collections.abc import Iterator

from nextpair.selectors.state.judgments import Comparison, Outcome

_Node = tuple[int, bool]
"""A document, and whether the path to it has a strict preference."""


class Evidence:
    """A graph of documents with comparisons as edges, from the better or equal one downwards.

    Redundant comparisons are kept: they make explanations shorter.
    """

    def __init__(self) -> None:
        self._comparisons: list[Comparison] = []
        self._downwards: defaultdict[int, list[int]] = defaultdict(list)
        self._counts: defaultdict[int, int] = defaultdict(int)

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self._comparisons)

    def __len__(self) -> int:
        return len(self._comparisons)

    def add(self, comparison: Comparison) -> None:
        """Add a comparison that agrees with the order."""
        index = len(self._comparisons)
        self._comparisons.append(comparison)
        self._counts[comparison.first] += 1
        self._counts[comparison.second] += 1
        if comparison.outcome is not Outcome.WORSE:
            self._downwards[comparison.first].append(index)
        if comparison.outcome is not Outcome.BETTER:
            self._downwards[comparison.second].append(index)

    def count(self, document: int) -> int:
        """Return how many comparisons involve a document."""
        return self._counts[document]

    def shortest_chain(
        self, first: int, second: int, relation: Outcome, oldest: int | None = None
    ) -> tuple[Comparison, ...]:
        """Return the shortest path of comparisons from first to second that implies a relation.

        Each comparison is seen from the document nearer to the first one.

        Parameters
        ----------
        oldest
            Search only this many of the comparisons, the oldest; all when not given.
        """
        if relation is Outcome.WORSE:
            downwards = self.shortest_chain(second, first, Outcome.BETTER, oldest)
            return tuple(step.seen_from(step.second) for step in reversed(downwards))
        end = len(self) if oldest is None else oldest
        return self._search((first, False), (second, relation is Outcome.BETTER), end)

    def _search(self, start: _Node, goal: _Node, end: int) -> tuple[Comparison, ...]:
        """Search breadth first: all edges count alike."""
        predecessors: dict[_Node, tuple[_Node, Comparison]] = {}
        queue = deque([start])
        while queue and goal not in predecessors:
            node = document, strict = queue.popleft()
            for index in self._downwards.get(document, ()):
                if index >= end:
                    break
                comparison = self._comparisons[index]
                neighbour = (
                    comparison.opponent(document),
                    strict or comparison.outcome is not Outcome.TIE,
                )
                if neighbour not in predecessors and neighbour != start:
                    predecessors[neighbour] = (node, comparison)
                    queue.append(neighbour)
        return tuple(_backtrack(predecessors, start, goal))[::-1] if goal in predecessors else ()


def _backtrack(
    predecessors: dict[_Node, tuple[_Node, Comparison]], start: _Node, goal: _Node
) -> Iterator[Comparison]:
    while goal != start:
        goal, comparison = predecessors[goal]
        yield comparison.seen_from(goal[0])
