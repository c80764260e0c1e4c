"""The findings the order rests on, and the shortest chain of them that implies a relation."""

from collections import defaultdict, deque
from collections.abc import Iterator

from nextpair.selectors.topic.judgments import Finding, Outcome

_Step = tuple[int, bool]
"""A document, and whether the way to it held a strict preference."""


class Evidence:
    """Findings by document. Redundant ones are kept too: they make explanations shorter."""

    def __init__(self) -> None:
        self._findings: list[Finding] = []
        self._of: defaultdict[int, list[Finding]] = defaultdict(list)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._findings)

    def add(self, finding: Finding) -> None:
        """Keep a finding that agrees with the order."""
        self._findings.append(finding)
        self._of[finding.first].append(finding)
        self._of[finding.second].append(finding)

    def count(self, document: int) -> int:
        """Say how many findings a document's place rests on directly."""
        return len(self._of[document])

    def chain(self, first: int, second: int, relation: Outcome) -> tuple[Finding, ...]:
        """Return the fewest findings from which a known relation follows, first to second.

        Each is told from the document nearer to the first.
        """
        if relation is Outcome.WORSE:
            downwards = self.chain(second, first, Outcome.BETTER)
            return tuple(finding.told_from(finding.second) for finding in reversed(downwards))
        return self._shortest((first, False), (second, relation is Outcome.BETTER))

    def _shortest(self, start: _Step, goal: _Step) -> tuple[Finding, ...]:
        came: dict[_Step, tuple[_Step, Finding]] = {}
        queue = deque([start])
        while queue and goal not in came:
            step = queue.popleft()
            for finding in self._downwards(step[0]):
                reached = (finding.second, step[1] or finding.outcome is Outcome.BETTER)
                if reached not in came and reached != start:
                    came[reached] = (step, finding)
                    queue.append(reached)
        return tuple(_walk_back(came, start, goal))[::-1]

    def _downwards(self, document: int) -> Iterator[Finding]:
        """Yield the findings that lead from a document to one that is tied with it, or worse."""
        for finding in self._of[document]:
            told = finding.told_from(document)
            if told.outcome is not Outcome.WORSE:
                yield told


def _walk_back(
    came: dict[_Step, tuple[_Step, Finding]], start: _Step, goal: _Step
) -> Iterator[Finding]:
    while goal != start:
        goal, finding = came[goal]
        yield finding
