"""The findings the order rests on, and the shortest chain of them that implies a relation."""

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass

from nextpair.selectors.topic.judgments import Finding, Outcome

_Step = tuple[int, bool]
"""A document, and whether the way to it held a strict preference."""


@dataclass(frozen=True, slots=True)
class Link:
    """One step of an explanation: a finding, told from the document nearer to the start."""

    first: int
    second: int
    outcome: Outcome
    judgments: tuple[int, ...]


class Evidence:
    """Findings by document. Redundant ones are kept too: they make explanations shorter."""

    def __init__(self) -> None:
        self._findings: list[Finding] = []
        self._of: defaultdict[int, list[Finding]] = defaultdict(list)

    def __len__(self) -> int:
        return len(self._findings)

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

    def chain(self, first: int, second: int, relation: Outcome) -> tuple[Link, ...]:
        """Return the fewest findings from which a known relation follows, first to second."""
        if relation is Outcome.WORSE:
            return tuple(
                Link(link.second, link.first, link.outcome.reversed, link.judgments)
                for link in reversed(self.chain(second, first, Outcome.BETTER))
            )
        return self._shortest((first, False), (second, relation is Outcome.BETTER))

    def _shortest(self, start: _Step, goal: _Step) -> tuple[Link, ...]:
        came: dict[_Step, tuple[_Step, Link]] = {}
        queue = deque([start])
        while queue and goal not in came:
            step = queue.popleft()
            for link in self._links(step[0]):
                reached = (link.second, step[1] or link.outcome is Outcome.BETTER)
                if reached not in came and reached != start:
                    came[reached] = (step, link)
                    queue.append(reached)
        return tuple(_walk_back(came, start, goal))[::-1]

    def _links(self, document: int) -> Iterator[Link]:
        """Yield the steps that lead from a document to one that is tied with it, or worse."""
        for finding in self._of[document]:
            outcome = finding.oriented(document)
            if outcome is not Outcome.WORSE:
                yield Link(document, finding.opponent(document), outcome, finding.judgments)


def _walk_back(came: dict[_Step, tuple[_Step, Link]], start: _Step, goal: _Step) -> Iterator[Link]:
    while goal != start:
        goal, link = came[goal]
        yield link
