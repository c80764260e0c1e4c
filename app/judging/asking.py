"""Handing out questions: choose a pair, store its assignment with a lease, and only then tell."""

import zlib
from dataclasses import dataclass, field, replace

from nextpair.app.errors import StudyClosed, TopicClosed, WorkerBlocked
from nextpair.app.judging.live import Change, LiveTopic
from nextpair.app.judging.service import Service
from nextpair.app.judging.steps import Step
from nextpair.app.judging.study import Study
from nextpair.app.words import Reason
from nextpair.selectors.base import Idle
from nextpair.selectors.topic.judgments import Pair, unordered
from nextpair.selectors.topic.settings import Lease
from nextpair.storage import assignments, studies, topics
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, State, Status, TopicRow


@dataclass(frozen=True, slots=True)
class Wish:
    """What a worker asks for.

    Parameters
    ----------
    request
        What makes a repetition of the same call known, if the caller gave something.
    """

    worker: str
    count: int = 1
    request: str | None = None


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


def next_in_study(service: Service, study_id: int, wish: Wish, now: float) -> Handed:
    """Hand out questions of any topic of a study.

    Each worker goes through the topics in their own turn, so that many workers spread over many
    topics, and each stays with one while it has questions.
    """
    with service.database.read() as connection:
        study = studies.get_study(connection, study_id)
        open_topics = topics.topic_versions(connection, study_id)
    if study.status == Status.CLOSED:
        raise StudyClosed(f"study {study.name!r} is closed")
    turn = zlib.crc32(wish.worker.encode()) % max(len(open_topics), 1)
    handed = Handed(reason=Reason.DONE)
    for topic_id, version in (*open_topics[turn:], *open_topics[:turn]):
        if service.is_done(topic_id, version):
            continue
        left = replace(wish, count=wish.count - len(handed.assignments))
        some = next_in_topic(service, topic_id, left, now, repeatable=not handed.assignments)
        handed.assignments += some.assignments
        handed.topics |= some.topics
        handed.ids |= some.ids
        if some.repeated or len(handed.assignments) == wish.count or some.reason is Reason.CAP:
            handed.reason = some.reason
            break
        if some.reason in (Reason.WAIT, Reason.PAUSED):
            handed.reason = some.reason
        elif some.reason is Reason.DONE and not some.assignments:
            service.remember_done(topic_id, some.version)
    if wish.request is not None and not handed.assignments:
        return _given_before(service, study_id, wish) or handed
    return handed


def _given_before(service: Service, study_id: int, wish: Wish) -> Handed | None:
    """Return what the same call was given, for topics of which nothing is left to ask."""
    with service.database.read() as connection:
        worker = studies.find_worker(connection, study_id, wish.worker)
        if worker is None:
            return None
        earlier = assignments.of_request(connection, worker.id, wish.request or "")
        return Handed(earlier, _topics_of(connection, earlier), repeated=True) if earlier else None


def next_in_topic(
    service: Service, topic_id: int, wish: Wish, now: float, *, repeatable: bool = True
) -> Handed:
    """Hand out questions of one topic.

    Parameters
    ----------
    repeatable
        Whether to look if the same was asked for, and given, before.
    """

    def act(connection: Connection, live: LiveTopic, locked: bool) -> Step[Handed] | None:
        study = service.study(connection, live.head.study_id, live.head.study_version)
        _check_open(study, live, wish.worker)
        worker_id = service.worker_id(connection, study.id, wish.worker)
        if not locked and (worker_id is None or study.settings.judgments_per_worker is not None):
            # A new worker, or one whose questions are counted, is locked: but the topic first.
            return None
        if worker_id is None:
            worker_id = studies.enlist_worker(connection, study.id, wish.worker, now).id
        if repeatable and wish.request is not None:
            earlier = assignments.of_request(connection, worker_id, wish.request)
            if earlier:
                return Step(Handed(earlier, _topics_of(connection, earlier), repeated=True))
        if Status.PAUSED in (live.head.status, live.head.study_status):
            return Step(Handed(reason=Reason.PAUSED))
        room = _room(connection, study, worker_id, wish.count, now)
        choosing = _Choosing(live, study, worker_id, wish.request, now)
        choosing.choose(room)
        return choosing.step(Reason.CAP if room < wish.count else None)

    return service.change(topic_id, act)


def _check_open(study: Study, live: LiveTopic, worker: str) -> None:
    if live.head.study_status == Status.CLOSED:
        raise StudyClosed(f"study {study.name!r} is closed")
    if live.head.status == Status.CLOSED:
        raise TopicClosed(f"topic {live.row.name!r} is closed")
    if worker in study.blocked:
        raise WorkerBlocked(f"worker {worker!r} is blocked in study {study.name!r}")


def _topics_of(connection: Connection, rows: list[AssignmentRow]) -> dict[int, TopicRow]:
    return {
        topic_id: topics.get_topic(connection, topic_id)
        for topic_id in {row.topic_id for row in rows}
    }


def _room(connection: Connection, study: Study, worker_id: int, count: int, now: float) -> int:
    """Say how many questions a worker may still have."""
    cap = study.settings.judgments_per_worker
    if cap is None:
        return count
    studies.lock_worker(connection, worker_id)
    return max(0, min(count, cap - assignments.count_taken(connection, worker_id, now)))


class _Choosing:
    """Questions chosen one after the other, each knowing of those before it."""

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
