"""Offers of tasks, for platforms that show the questions themselves.

The questions of an offer are selected when it is made and assigned to a proxy worker named after
the offer, so that nobody else is asked them. When a worker has answered one at the platform, the
proxy's assignment is skipped and the answer is appended as that worker's own; the proxy's row says
under which number.
"""

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from nextpair.app.designs.base import AnswerModel
from nextpair.app.errors import WorkerBlocked
from nextpair.app.hiring.offers import Demand, affordable_places, enqueue_offers, next_number
from nextpair.app.hiring.outbox import CommandKind, record_activity
from nextpair.app.hiring.redaction import redacted_trace
from nextpair.app.judging.assignment_context import AssignmentContext, check_open, load_context
from nextpair.app.judging.judgment_builder import JudgmentBuilder
from nextpair.app.judging.next_question import next_in_study
from nextpair.app.judging.next_request import NextRequest
from nextpair.app.judging.retractions import RetractionCause, retract
from nextpair.app.platforms.messages import TaskAnswer
from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.unit_of_work import UnitOfWork
from nextpair.app.security.tokens import AssignmentRef
from nextpair.app.studies.study import Study
from nextpair.selectors.errors import NextpairError
from nextpair.storage import assignments, judgments, offers, studies, topics
from nextpair.storage.database import Connection
from nextpair.storage.errors import StorageError
from nextpair.storage.hiring_rows import HiringRow, OfferRow, OfferState
from nextpair.storage.rows import AssignmentRow, JudgmentRow, State

log = logging.getLogger("nextpair")

PROXY_PREFIX = "offer:"
WITHDRAWN = "withdrawn"
ANSWERED_BEFORE = "the same worker has answered this pair before"
_ANSWERED = re.compile(r"answered as (\d+)")


def select_questions(
    service: ServiceContext, study: Study, number: int, now: float
) -> list[AssignmentRow]:
    """Select the questions of an offer; idempotent."""
    name = f"{PROXY_PREFIX}{number}"
    request = NextRequest(name, study.settings.hiring.questions or 1, name)
    return next_in_study(service, study.id, request, now).assignments


def questions_of(service: ServiceContext, study_id: int, number: int) -> list[AssignmentRow]:
    """List the questions of an offer with their state."""
    name = f"{PROXY_PREFIX}{number}"
    with service.database.read() as connection:
        worker = studies.find_worker(connection, study_id, name)
        return assignments.of_request(connection, worker.id, name) if worker else []


def enqueue_task_offers(
    service: ServiceContext, hiring: HiringRow, study: Study, demand: Demand, now: float
) -> None:
    """Enqueue offers one after the other, while there is something to ask."""
    while True:
        with service.database.read() as connection:
            wanted = affordable_places(service, connection, study, demand)
            number = next_number(connection, study.id)
        if not wanted or not select_questions(service, study, number, now):
            return
        with service.database.write() as connection:
            studies.lock_study(connection, study.name)
            enqueue_offers(service, connection, hiring, study, demand, now, max_places=1)


def settle_offers(service: ServiceContext, hiring: HiringRow, now: float) -> None:
    """Close offers whose questions are all answered, and book what the platform has paid."""
    with service.database.read() as connection:
        all_offers = offers.list_offers(connection, hiring.study_id)
    for offer in all_offers:
        if offer.state in (OfferState.OPEN, OfferState.EXPIRED):
            rows = questions_of(service, hiring.study_id, offer.number)
            _settle_offer(service, hiring, offer, rows, now)


def _settle_offer(
    service: ServiceContext,
    hiring: HiringRow,
    offer: OfferRow,
    rows: Sequence[AssignmentRow],
    now: float,
) -> None:
    answered = sum(row.state == State.SKIPPED and row.reason != WITHDRAWN for row in rows)
    ended = offer.state == OfferState.EXPIRED
    if not ended and answered < len(rows):
        return
    with service.database.write() as connection:
        if not ended:
            offers.change_offer(connection, offer.id, state=OfferState.EXPIRED)
        if answered and offer.price:
            cost = offer.places * offer.price
            name, message = f"offer:{offer.number}", "paid by the platform itself"
            columns = {"offer_id": offer.id, "cost": cost}
            record_activity(connection, hiring, CommandKind.ACCEPT, name, message, now, **columns)


def record_answers(
    service: ServiceContext, study: Study, answers: Iterable[TaskAnswer], now: float
) -> None:
    """Record what was answered, changed or withdrawn at the platform; idempotent."""
    for answer in answers:
        task = re.fullmatch(r"([0-9]{1,18})-([0-9]{1,18})", answer.task)
        if task is None:
            # A gold question: the platform itself has checked it.
            continue
        try:
            _record_answer(service, study, AssignmentRef(int(task[1]), int(task[2])), answer, now)
        except StorageError:
            raise
        except NextpairError as error:
            extra = {"study": study.id, "error": redacted_trace(error)}
            log.warning("an answer of the platform is left out", extra=extra)


def _record_answer(
    service: ServiceContext, study: Study, ref: AssignmentRef, answer: TaskAnswer, now: float
) -> None:
    with service.database.read() as connection:
        row = assignments.find_assignment(connection, ref.topic_id, ref.number)
        if row is None or not _is_proxy(connection, study, row) or row.reason == ANSWERED_BEFORE:
            return
        previous = _answer_to(connection, row)
        worker = studies.find_worker(connection, study.id, answer.worker)
    if answer.answer is None:
        if previous is not None:
            _withdraw(service, ref, previous, now)
        return
    content = study.design.read(answer.answer)
    same_worker = worker is not None and previous is not None and previous.worker_id == worker.id
    if previous is not None:
        if same_worker and previous.answer == content.model_dump(mode="json"):
            return
        _withdraw(service, ref, previous, now)
    _append_answer(service, ref, answer, content, now)


def _is_proxy(connection: Connection, study: Study, row: AssignmentRow) -> bool:
    """Say whether a question was offered at the platform: it may answer no other."""
    name = studies.get_worker(connection, row.worker_id).name
    here = topics.get_topic(connection, row.topic_id).study_id == study.id
    return here and name.startswith(PROXY_PREFIX) and row.request == name


def _answer_to(connection: Connection, row: AssignmentRow) -> JudgmentRow | None:
    """Return the previous answer to a question, also one that was retracted here since."""
    answered = _ANSWERED.fullmatch(row.reason or "")
    if answered is None:
        return None
    return judgments.answers_to(connection, row.topic_id, int(answered[1]))[-1]


def _withdraw(
    service: ServiceContext, ref: AssignmentRef, previous: JudgmentRow, now: float
) -> None:
    retraction = RetractionCause("platform", "changed or withdrawn at the platform")
    retract(service, {ref.topic_id: [previous.number]}, retraction, now)

    def decide(
        connection: Connection, projection: TopicProjection, locked: bool
    ) -> UnitOfWork[None]:
        held = load_context(service, connection, projection, ref, None)
        head = projection.next_head()
        row = replace(held.assignment, reason=WITHDRAWN, version=head.version)
        return UnitOfWork(None, TopicDelta(head, [row]), changed_assignments=[row])

    service.transact(ref.topic_id, decide)


def _append_answer(
    service: ServiceContext,
    ref: AssignmentRef,
    answer: TaskAnswer,
    content: AnswerModel,
    now: float,
) -> None:
    def decide(
        connection: Connection, projection: TopicProjection, locked: bool
    ) -> UnitOfWork[None] | None:
        if not locked:
            return None
        held = load_context(service, connection, projection, ref, None)
        check_open(held)
        if answer.worker in held.study.blocked:
            raise WorkerBlocked(f"worker {answer.worker!r} is blocked in this study")
        worker = studies.enlist_worker(connection, held.study.id, answer.worker, now)
        return _answer_step(service, connection, held, worker.id, answer, content, now)

    service.transact(ref.topic_id, decide)


def _answer_step(
    service: ServiceContext,
    connection: Connection,
    held: AssignmentContext,
    worker_id: int,
    answer: TaskAnswer,
    content: AnswerModel,
    now: float,
) -> UnitOfWork[None]:
    projection, row = held.projection, held.assignment
    earlier = assignments.of_pair(connection, row.topic_id, worker_id, row.pair)
    if earlier is not None and earlier.state == State.ANSWERED:
        head = projection.next_head()
        proxy = replace(row, state=State.SKIPPED, version=head.version, reason=ANSWERED_BEFORE)
        return UnitOfWork(None, TopicDelta(head, [proxy]), changed_assignments=[proxy])
    head = projection.next_head(issued=int(earlier is None), entries=1)
    own = replace(
        row,
        number=head.asked if earlier is None else earlier.number,
        worker_id=worker_id,
        state=State.ANSWERED,
        attempt=1 if earlier is None else earlier.attempt + 1,
        version=head.version,
        request=None,
        reason=None,
    )
    reading = JudgmentBuilder(service, connection, projection, held.study, own)
    judgment = reading.build(content, content.model_dump(mode="json"), now)
    judgment = replace(judgment, seconds=answer.seconds)
    reason = f"answered as {own.number}"
    proxy = replace(row, state=State.SKIPPED, version=head.version, reason=reason)
    change = TopicDelta(head, [proxy, own], [judgments.record_of(judgment)])
    if earlier is None:
        return UnitOfWork(
            None, change, new_assignments=[own], changed_assignments=[proxy], judgment=judgment
        )
    return UnitOfWork(None, change, changed_assignments=[proxy, own], judgment=judgment)
