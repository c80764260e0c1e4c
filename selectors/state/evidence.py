"""The findings the order rests on, and the shortest chain of them that implies a relation."""

from collections import defaultdict, deque
from collections.abc import Iterator

from nextpair.selectors.state.judgments import Finding, Outcome

_Step = tuple[int, bool]
"""A document, and whether the way to it held a strict preference."""


class Evidence:
    """Findings by document. Redundant ones are kept too: they make explanations shorter."""

    def __init__(self) -> None:
        self._findings: list[Finding] = []
        self._downwards: defaultdict[int, list[int]] = defaultdict(list)
        self._counts: defaultdict[int, int] = defaultdict(int)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._findings)

    def __len__(self) -> int:
        return len(self._findings)

    def add(self, finding: Finding) -> None:
        """Keep a finding that agrees with the order."""
        place = len(self._findings)
        self._findings.append(finding)
        self._counts[finding.first] += 1
        self._counts[finding.second] += 1
        if finding.outcome is not Outcome.WORSE:
            self._downwards[finding.first].append(place)
        if finding.outcome is not Outcome.BETTER:
            self._downwards[finding.second].append(place)

    def count(self, document: int) -> int:
        """Say how many findings a document's place rests on directly."""
        return self._counts[document]

    def chain(
        self, first: int, second: int, relation: Outcome, oldest: int | None = None
    ) -> tuple[Finding, ...]:
        """Return the fewest findings from which a known relation follows, first to second.

        Each is told from the document nearer to the first.

        Parameters
        ----------
        oldest
            Use only this many, those that came first; all when not given.
        """
        if relation is Outcome.WORSE:
            downwards = self.chain(second, first, Outcome.BETTER, oldest)
            return tuple(finding.told_from(finding.second) for finding in reversed(downwards))
        end = len(self) if oldest is None else oldest
        return self._shortest((first, False), (second, relation is Outcome.BETTER), end)

    def _shortest(self, start: _Step, goal: _Step, end: int) -> tuple[Finding, ...]:
        came: dict[_Step, tuple[_Step, Finding]] = {}
        queue = deque([start])
        while queue and goal not in came:
            step = document, strict = queue.popleft()
            for place in self._downwards.get(document, ()):
                if place >= end:
                    break
                finding = self._findings[place]
                reached = (
                    finding.second if finding.first == document else finding.first,
                    strict or finding.outcome is not Outcome.TIE,
                )
                if reached not in came and reached != start:
                    came[reached] = (step, finding)
                    queue.append(reached)
        return tuple(_walk_back(came, start, goal))[::-1] if goal in came else ()


def _walk_back(
    came: dict[_Step, tuple[_Step, Finding]], start: _Step, goal: _Step
) -> Iterator[Finding]:
    while goal != start:
        goal, finding = came[goal]
        yield finding.told_from(goal[0])
