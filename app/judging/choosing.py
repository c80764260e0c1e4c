"""Choosing questions for a worker, one after the other, each knowing of those before it."""

from dataclasses import dataclass, field, replace

from nextpair.app.judging.live import Change, LiveTopic
from nextpair.app.judging.steps import Step
from nextpair.app.judging.study import Study
from nextpair.app.words import Reason
from nextpair.selectors.base import Idle
from nextpair.selectors.topic.judgments import Pair, unordered
from nextpair.selectors.topic.settings import Lease
from nextpair.storage.rows import AssignmentRow, State, TopicRow


@dataclass(slots=True)
class Handed:
    """What a worker got, and why not more.

    Parameters
    ----------
    topics, ids
        The topics of the assignments, and the ids of their documents where they are at hand.
    version
        Of the topic before.
    """

    assignments: list[AssignmentRow] = field(default_factory=list)
    topics: dict[int, TopicRow] = field(default_factory=dict)
    ids: dict[int, tuple[str, ...]] = field(default_factory=dict)
    reason: Reason | None = None
    repeated: bool = False
    version: int = -1


class Choosing:
    """What one worker is given of one topic in one call."""

    def __init__(
        self, live: LiveTopic, study: Study, worker_id: int, request: str | None, now: float
    ) -> None:
        self._live = live
        self._worker_id = worker_id
        self._request = request
        self._now = now
        self._expiry = now + study.settings.lease_seconds
        self._leases = live.leases(now)
        self._asked = live.head.asked
        self._version = live.head.version + 1
        self.added: list[AssignmentRow] = []
        self.rows: list[AssignmentRow] = []
        self.idle: Idle | None = None

    def choose(self, count: int) -> None:
        """Choose up to so many questions."""
        for _ in range(count):
            self._choose_one()
            if self.idle is not None:
                return

    def _choose_one(self) -> None:
        state, worker = self._live.state, str(self._worker_id)
        rng = state.settings.question_rng(self._asked)
        choice = state.select(worker, self._leases, rng, self._live.barred(self._worker_id))
        if isinstance(choice, Idle):
            self.idle = choice
            return
        pair = unordered(*choice)
        self._leases.append(Lease(pair, worker))
        held = self._live.ran_out(self._worker_id, pair)
        if held is None:
            row = self._new(pair, swapped=bool(rng.integers(2)))
            self.added.append(row)
        else:
            row = replace(
                held, version=self._version, expires_at=self._expiry, request=self._request
            )
        self.rows.append(row)

    def _new(self, pair: Pair, *, swapped: bool) -> AssignmentRow:
        self._asked += 1
        return AssignmentRow(
            self._live.row.id,
            self._asked,
            self._worker_id,
            *pair,
            swapped,
            State.OPEN,
            1,
            self._version,
            self._expiry,
            self._request,
            self._now,
        )

    def step(self, otherwise: Reason | None) -> Step[Handed]:
        """Return what handing these out changes, and what is told of it."""
        live = self._live
        reason = otherwise if self.idle is None else Reason(self.idle.value)
        ids = {live.row.id: live.state.documents.ids}
        topic = {live.row.id: live.row}
        handed = Handed(self.rows, topic, ids, reason, version=live.head.version)
        if not self.rows:
            return Step(handed)
        fresh = {row.number for row in self.added}
        renewed = [row for row in self.rows if row.number not in fresh]
        change = Change(live.moved(asked=len(self.added)), self.rows)
        return Step(handed, change, self.added, renewed)
