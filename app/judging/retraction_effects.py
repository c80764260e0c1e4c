"""Effects of a retraction: which documents change their status or rank bounds, and why."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from nextpair.app.enums import RankChangeCause
from nextpair.selectors.state.bayesian_selector import Reliability
from nextpair.selectors.state.judgments import Judgment
from nextpair.selectors.state.reported_order import ReportedOrder, Status
from nextpair.selectors.state.topic_state import Topic

MOST_NAMED = 5
"""Judgments, documents or workers that one reason names."""
NOTICED = 0.005
"""By how much a worker's expected share of right answers must change to be named as a reason."""


_GOAL = {
    (True, False): "all documents count as settled once the topic has reached its goal; without"
    " these judgments it has not, and each has to be certain by itself",
    (False, True): "without these judgments the topic has reached its goal, and then all documents"
    " count as settled",
}
"""The reason where the stopping rule was met before or is met after, but not both."""


@dataclass(frozen=True, slots=True)
class RankChangeReason:
    """One reason: a code for programs, and a sentence for people."""

    why: RankChangeCause
    text: str


@dataclass(frozen=True, slots=True)
class RankChange:
    """A document whose status or rank bounds change, with the reasons."""

    document: str
    before: tuple[int, int]
    after: tuple[int, int]
    status_before: Status
    status_after: Status
    because: tuple[RankChangeReason, ...]


class RetractionComparison:
    """Compares a topic's state with its state without some judgments.

    Parameters
    ----------
    retracted
        The numbers of those judgments.
    worker_names
        The names of the workers, by their ids in the state.
    """

    def __init__(
        self,
        before: Topic,
        after: Topic,
        retracted: Collection[int],
        worker_names: Mapping[str, str],
    ) -> None:
        self._before, self._after = before, after
        self._retracted = frozenset(retracted)
        self._worker_names = worker_names
        self._ids = before.documents.ids
        self._is_bayesian = not before.selector.counts_votes
        self._own_numbers = _numbers_by_document(before.log, self._retracted)

    def moved(self) -> tuple[RankChange, ...]:
        """List the documents whose status or rank bounds change, each with its reasons."""
        before, after = self._orders
        return tuple(
            RankChange(
                name,
                (int(before.ranks.best[place]), int(before.ranks.worst[place])),
                (int(after.ranks.best[place]), int(after.ranks.worst[place])),
                before.status[place],
                after.status[place],
                tuple(self._reasons(place)),
            )
            for place, name in enumerate(self._ids)
            if before.status[place] is not after.status[place]
            or before.ranks.best[place] != after.ranks.best[place]
            or before.ranks.worst[place] != after.ranks.worst[place]
        )

    @cached_property
    def _orders(self) -> tuple[ReportedOrder, ReportedOrder]:
        return self._before.reported(), self._after.reported()

    def _reasons(self, place: int) -> Iterator[RankChangeReason]:
        reasons = [*self._own(place), *(self._of_posterior(place) if self._is_bayesian else ())]
        if not reasons:
            reasons = [*self._inferred(place)]
        yield from reasons or [RankChangeReason(RankChangeCause.MODEL, self._whole_fit(place))]

    def _own(self, place: int) -> Iterator[RankChangeReason]:
        numbers = self._own_numbers.get(self._ids[place])
        if numbers:
            yield RankChangeReason(
                RankChangeCause.OWN, f"{_judgments(numbers)} about it {_are(numbers)} gone"
            )

    # -- where the order is a transitive closure ------------------------------------------------

    def _inferred(self, place: int) -> Iterator[RankChangeReason]:
        """Find a relation that was inferred by a chain with retracted judgments, and is lost."""
        for other in range(len(self._ids)):
            if other == place or self._after.order.relation(place, other) is not None:
                continue
            if self._before.order.relation(place, other) is None:
                continue
            chain = self._before.explain(self._ids[place], self._ids[other])
            numbers = sorted(self._retracted & {n for step in chain for n in step.judgments})
            if numbers:
                text = (
                    f"how it compares with {self._ids[other]} followed from"
                    f" {_judgments(numbers)}, which {_are(numbers)} gone"
                )
                yield RankChangeReason(RankChangeCause.INFERRED, text)
                return

    # -- where a model has a posterior of all documents -----------------------------------------

    def _of_posterior(self, place: int) -> Iterator[RankChangeReason]:
        before, after = (order.status[place] for order in self._orders)
        if before is Status.SETTLED is after:
            yield RankChangeReason(
                RankChangeCause.OTHERS, "it is as settled as before; documents around it are not"
            )
            return
        if Status.SETTLED in (before, after) and self._goals in _GOAL:
            yield RankChangeReason(RankChangeCause.GOAL, _GOAL[self._goals] + self._sure(place))
        neighbours = sorted(self._neighbours(place))
        if neighbours:
            text = f"it was compared with {_some(neighbours)}, about which judgments are gone"
            yield RankChangeReason(RankChangeCause.NEIGHBOURS, text)
        yield from self._reweighted_judges(place)

    @cached_property
    def _goals(self) -> tuple[bool, bool]:
        return self._before.selector.goal_reached, self._after.selector.goal_reached

    def _neighbours(self, place: int) -> set[str]:
        name = self._ids[place]
        return {
            other
            for judgment in self._after.log
            if name in (judgment.first, judgment.second)
            for other in (judgment.first, judgment.second)
            if other != name and other in self._own_numbers
        }

    def _reweighted_judges(self, place: int) -> Iterator[RankChangeReason]:
        name = self._ids[place]
        judges = {
            judgment.worker
            for judgment in self._after.log
            if name in (judgment.first, judgment.second)
        }
        changed = [
            (abs(self._rates_before[worker].right - self._rates_after[worker].right), worker)
            for worker in judges
            if worker in self._rates_before and worker in self._rates_after
        ]
        changes = [
            f"{self._worker_names.get(worker, worker)} from {self._rates_before[worker].right:.1%}"
            f" to {self._rates_after[worker].right:.1%}"
            for difference, worker in sorted(changed, reverse=True)
            if difference >= NOTICED
        ]
        if changes:
            text = f"the share of right answers expected of its judges changes: {_some(changes)}"
            yield RankChangeReason(RankChangeCause.WORKERS, text)

    @cached_property
    def _rates_before(self) -> Mapping[str, Reliability]:
        return {rates.worker: rates for rates in self._before.reliabilities()}

    @cached_property
    def _rates_after(self) -> Mapping[str, Reliability]:
        return {rates.worker: rates for rates in self._after.reliabilities()}

    def _whole_fit(self, place: int) -> str:
        if not self._is_bayesian:
            return "the order is built up anew from the answers that are left"
        return f"all answers are fitted together, and without these otherwise{self._sure(place)}"

    def _sure(self, place: int) -> str:
        before, after = self._before.certainty(), self._after.certainty()
        if before is None or after is None:
            return ""
        return f" (its place is {before[place]:.1%} certain, then {after[place]:.1%})"


def _numbers_by_document(
    log: Sequence[Judgment], retracted: Collection[int]
) -> dict[str, list[int]]:
    numbers: dict[str, list[int]] = {}
    for judgment in log:
        if judgment.number in retracted:
            for name in (judgment.first, judgment.second):
                numbers.setdefault(name, []).append(judgment.number)
    return numbers


def _judgments(numbers: Sequence[int]) -> str:
    return (
        f"judgment{'' if len(numbers) == 1 else 's'} {_some([str(number) for number in numbers])}"
    )


def _are(numbers: Sequence[int]) -> str:
    return "is" if len(numbers) == 1 else "are"


def _some(words: Sequence[str]) -> str:
    more = len(words) - MOST_NAMED
    return ", ".join(words[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
