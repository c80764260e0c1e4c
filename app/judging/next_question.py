"""Handing out questions: choose a pair, store its assignment with a lease, and only then tell."""

import zlib
from dataclasses import replace

from nextpair.app.enums import Reason
from nextpair.app.errors import StudyClosed, TopicClosed, WorkerBlocked
from nextpair.app.judging.issuer import Choosing, Handed
from nextpair.app.judging.next_request import Wish
from nextpair.app.quality.worker_gate import Checked, checks_workers
from nextpair.app.runtime.projection import LiveTopic
from nextpair.app.runtime.service import Service
from nextpair.app.runtime.unit_of_work import Step
from nextpair.app.studies.study import Study
from nextpair.selectors.base import Idle
from nextpair.storage import assignments, studies, topics
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, Status, TopicRow

_FINAL = frozenset((Reason.CAP, Reason.STOPPED, Reason.UNDERSTANDING, Reason.QUIZ, Reason.HELD))
"""Reasons for which no other topic is looked at, unless a selector gave them."""
_OVER_TOPICS = (Reason.DONE, Reason.SEEN, Reason.HELD, Reason.WAIT, Reason.PAUSED).index
"""Which of the reasons of several topics is told: the last one of these."""


def next_in_study(service: Service, study_id: int, wish: Wish, now: float) -> Handed:
    """Hand out questions of any topic of a study.

    Each worker goes through the topics in their own turn, so that many workers spread over many
    topics, and each stays with one while it has questions.
    """
    with service.database.read() as connection:
        study = service.study(connection, study_id)
        open_topics = topics.topic_versions(connection, study_id)
        worker_id = service.worker_id(connection, study_id, wish.worker)
    _check_study(study, wish.worker)
    if wish.worker in study.stopped:
        return Handed(reason=Reason.STOPPED)
    turn = zlib.crc32(wish.worker.encode()) % max(len(open_topics), 1)
    handed = Handed(reason=Reason.DONE)
    for topic_id, version in (*open_topics[turn:], *open_topics[:turn]):
        idle = _known_idle(service, study, (topic_id, version), worker_id, wish, now)
        if idle is None:
            some = _next_of(service, topic_id, wish, handed, now)
            if some.reason is Reason.DONE and not some.assignments:
                checked = worker_id if study.settings.quality.checks else None
                service.remember_done(topic_id, some.version, checked)
            full = some.repeated or len(handed.assignments) == wish.count
            if full or (some.reason in _FINAL and some.idle is None):
                handed.reason = some.reason
                break
            idle = some.reason
        handed.reason = max(handed.reason or Reason.DONE, idle or Reason.DONE, key=_OVER_TOPICS)
    if wish.request is not None and not handed.assignments:
        return _given_before(service, study_id, wish) or handed
    return handed


def _next_of(service: Service, topic_id: int, wish: Wish, handed: Handed, now: float) -> Handed:
    """Hand out what one topic has, as far as others have not handed out enough."""
    left = replace(wish, count=wish.count - len(handed.assignments))
    try:
        some = next_in_topic(service, topic_id, left, now, repeatable=not handed.assignments)
    except TopicClosed:
        # In this very moment: it was open when the topics were listed.
        return Handed(reason=Reason.DONE)
    handed.assignments += some.assignments
    handed.topics |= some.topics
    handed.ids |= some.ids
    return some


def _known_idle(
    service: Service,
    study: Study,
    topic: tuple[int, int],
    worker_id: int | None,
    wish: Wish,
    now: float,
) -> Reason | None:
    """Say why a topic has nothing for a worker, if memory can tell without troubling others."""
    topic_id, version = topic
    checks = study.settings.quality.checks
    if checks and worker_id is None:
        return None
    if service.is_done(topic_id, version, worker_id if checks else None):
        return Reason.DONE
    if worker_id is None or not service.topics.has(topic_id):
        return None
    with service.topics.hold(topic_id) as slot:
        live = slot.live
        if live is None or live.head.version != version or live.head.status != Status.OPEN:
            return None
        if checks:
            # Who has nothing left to do here may have a batch that is to be concluded.
            return None
        rng = live.state.settings.question_rng(live.head.asked)
        leases = live.leases(now, study.unserved, study.settings.lease_seconds)
        barred = live.barred(worker_id, wish.quarantine)
        choice = live.state.select(str(worker_id), leases, rng, barred)
    return Reason(choice.value) if isinstance(choice, Idle) else None


def _given_before(service: Service, study_id: int, wish: Wish) -> Handed | None:
    """Return what the same call was given, for topics of which nothing is left to ask."""
    with service.database.read() as connection:
        worker_id = service.worker_id(connection, study_id, wish.worker)
        if worker_id is None:
            return None
        earlier = assignments.of_request(connection, worker_id, wish.request or "")
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
        check_admitted(study, live, wish.worker)
        worker_id = service.worker_id(connection, study.id, wish.worker)
        if not locked and (worker_id is None or _counts(study, live)):
            # A new worker, or one whose questions are counted, is locked: but the topic first.
            return None
        if worker_id is None:
            worker_id = studies.enlist_worker(connection, study.id, wish.worker, now).id
        if repeatable and wish.request is not None:
            earlier = assignments.of_request(connection, worker_id, wish.request)
            if earlier:
                return Step(Handed(earlier, _topics_of(connection, earlier), repeated=True))
        if wish.worker in study.stopped:
            return Step(Handed(reason=Reason.STOPPED))
        if Status.PAUSED in (live.head.status, live.head.study_status):
            return Step(Handed(reason=Reason.PAUSED))
        room = _room(connection, study, worker_id, wish, now)
        capped = Reason.CAP if room < wish.count else None
        if checks_workers(study, live):
            asked = Checked(connection, live, study, worker_id, wish, now)
            return asked.step(room, capped)
        choosing = Choosing(live, study, worker_id, wish, now)
        choosing.choose(room)
        return choosing.step(capped)

    return service.change(topic_id, act)


def _counts(study: Study, live: LiveTopic) -> bool:
    return study.settings.judgments_per_worker is not None or checks_workers(study, live)


def check_admitted(study: Study, live: LiveTopic, worker: str) -> None:
    """Raise unless a worker may have, or answer, something of a topic."""
    _check_study(study, worker)
    if live.head.status == Status.CLOSED:
        raise TopicClosed(f"topic {live.row.name!r} is closed")


def _check_study(study: Study, worker: str) -> None:
    if study.status == Status.CLOSED:
        raise StudyClosed(f"study {study.name!r} is closed")
    if worker in study.blocked:
        raise WorkerBlocked(f"worker {worker!r} is blocked in study {study.name!r}")


def _topics_of(connection: Connection, rows: list[AssignmentRow]) -> dict[int, TopicRow]:
    return {
        topic_id: topics.get_topic(connection, topic_id)
        for topic_id in {row.topic_id for row in rows}
    }


def _room(connection: Connection, study: Study, worker_id: int, wish: Wish, now: float) -> int:
    """Say how many questions a worker may still have."""
    cap = study.settings.judgments_per_worker
    if cap is None:
        return wish.count
    studies.lock_worker(connection, worker_id)
    taken = assignments.count_taken(connection, worker_id, now, wish.quarantine)
    return max(0, min(wish.count, cap - taken))
