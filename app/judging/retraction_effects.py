"""Why documents stand elsewhere, or are more or less certain, once judgments are taken back."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from nextpair.app.enums import Why
from nextpair.selectors.state.bayesian_selector import Reliability
from nextpair.selectors.state.judgments import Judgment
from nextpair.selectors.state.reported_order import ReportedOrder, Status
from nextpair.selectors.state.topic_state import Topic

MOST_NAMED = 5
"""Judgments, documents or workers that one reason names."""
NOTICED = 0.005
"""A worker is weighed otherwise if the share of right answers expected differs by this."""


_GOAL = {
    (True, False): "all documents count as settled once the topic has reached its goal; without"
    " these judgments it has not, and each has to be certain by itself",
    (False, True): "without these judgments the topic has reached its goal, and then all documents"
    " count as settled",
}
"""What it means for a document whether the goal is reached, before and after."""


@dataclass(frozen=True, slots=True)
class Because:
    """One reason, in a word for programs and a sentence for people."""

    why: Why
    text: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A document whose status or possible ranks are other than before."""

    document: str
    before: tuple[int, int]
    after: tuple[int, int]
    status_before: Status
    status_after: Status
    because: tuple[Because, ...]


class Moving:
    """Compares a topic with what it would be without some of its judgments.

    Parameters
    ----------
    gone
        The numbers of those judgments.
    names
        What the workers are called, by what the topic calls them.
    """

    def __init__(
        self, before: Topic, after: Topic, gone: Collection[int], names: Mapping[str, str]
    ) -> None:
        self._before, self._after = before, after
        self._gone = frozenset(gone)
        self._names = names
        self._ids = before.documents.ids
        self._believes = not before.selector.counts_votes
        self._touched = _numbers_by_document(before.log, self._gone)

    def moved(self) -> tuple[Moved, ...]:
        """List the documents whose status or possible ranks change, each with why."""
        one, other = self._orders
        return tuple(
            Moved(
                name,
                (int(one.ranks.best[place]), int(one.ranks.worst[place])),
                (int(other.ranks.best[place]), int(other.ranks.worst[place])),
                one.status[place],
                other.status[place],
                tuple(self._because(place)),
            )
            for place, name in enumerate(self._ids)
            if one.status[place] is not other.status[place]
            or one.ranks.best[place] != other.ranks.best[place]
            or one.ranks.worst[place] != other.ranks.worst[place]
        )

    @cached_property
    def _orders(self) -> tuple[ReportedOrder, ReportedOrder]:
        return self._before.reported(), self._after.reported()

    def _because(self, place: int) -> Iterator[Because]:
        found = [*self._own(place), *(self._of_beliefs(place) if self._believes else ())]
        if not found:
            found = [*self._inferred(place)]
        yield from found or [Because(Why.MODEL, self._whole_fit(place))]

    def _own(self, place: int) -> Iterator[Because]:
        numbers = self._touched.get(self._ids[place])
        if numbers:
            yield Because(Why.OWN, f"{_judgments(numbers)} about it {_are(numbers)} gone")

    # -- where the order is inferred from findings ----------------------------------------------

    def _inferred(self, place: int) -> Iterator[Because]:
        """Find what was known of a document and others by way of judgments that are gone."""
        for other in range(len(self._ids)):
            if other == place or self._after.order.relation(place, other) is not None:
                continue
            if self._before.order.relation(place, other) is None:
                continue
            chain = self._before.explain(self._ids[place], self._ids[other])
            numbers = sorted(self._gone & {n for step in chain for n in step.judgments})
            if numbers:
                text = (
                    f"how it compares with {self._ids[other]} followed from"
                    f" {_judgments(numbers)}, which {_are(numbers)} gone"
                )
                yield Because(Why.INFERRED, text)
                return

    # -- where a model believes something of all documents --------------------------------------

    def _of_beliefs(self, place: int) -> Iterator[Because]:
        then, now = (order.status[place] for order in self._orders)
        if then is Status.SETTLED is now:
            yield Because(Why.OTHERS, "it is as settled as before; documents around it are not")
            return
        if Status.SETTLED in (then, now) and self._goals in _GOAL:
            yield Because(Why.GOAL, _GOAL[self._goals] + self._sure(place))
        neighbours = sorted(self._neighbours(place))
        if neighbours:
            text = f"it was compared with {_some(neighbours)}, about which judgments are gone"
            yield Because(Why.NEIGHBOURS, text)
        yield from self._weighed_otherwise(place)

    @cached_property
    def _goals(self) -> tuple[bool, bool]:
        return self._before.selector.goal_reached, self._after.selector.goal_reached

    def _neighbours(self, place: int) -> set[str]:
        name = self._ids[place]
        return {
            other
            for one in self._after.log
            if name in (one.first, one.second)
            for other in (one.first, one.second)
            if other != name and other in self._touched
        }

    def _weighed_otherwise(self, place: int) -> Iterator[Because]:
        name = self._ids[place]
        judges = {one.worker for one in self._after.log if name in (one.first, one.second)}
        changed = [
            (abs(self._then[one].right - self._now[one].right), one)
            for one in judges
            if one in self._then and one in self._now
        ]
        told = [
            f"{self._names.get(one, one)} from {self._then[one].right:.1%}"
            f" to {self._now[one].right:.1%}"
            for difference, one in sorted(changed, reverse=True)
            if difference >= NOTICED
        ]
        if told:
            text = f"the share of right answers expected of its judges changes: {_some(told)}"
            yield Because(Why.WORKERS, text)

    @cached_property
    def _then(self) -> Mapping[str, Reliability]:
        return {one.worker: one for one in self._before.reliabilities()}

    @cached_property
    def _now(self) -> Mapping[str, Reliability]:
        return {one.worker: one for one in self._after.reliabilities()}

    def _whole_fit(self, place: int) -> str:
        if not self._believes:
            return "the order is built up anew from the answers that are left"
        return f"all answers are fitted together, and without these otherwise{self._sure(place)}"

    def _sure(self, place: int) -> str:
        then, now = self._before.certainty(), self._after.certainty()
        if then is None or now is None:
            return ""
        return f" (its place is {then[place]:.1%} certain, then {now[place]:.1%})"


def _numbers_by_document(log: Sequence[Judgment], gone: Collection[int]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for one in log:
        if one.number in gone:
            for name in (one.first, one.second):
                found.setdefault(name, []).append(one.number)
    return found


def _judgments(numbers: Sequence[int]) -> str:
    return f"judgment{'' if len(numbers) == 1 else 's'} {_some([str(one) for one in numbers])}"


def _are(numbers: Sequence[int]) -> str:
    return "is" if len(numbers) == 1 else "are"


def _some(words: Sequence[str]) -> str:
    more = len(words) - MOST_NAMED
    return ", ".join(words[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
