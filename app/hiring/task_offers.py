"""Questions that a platform shows itself: chosen when they are offered, answered when it tells.

The questions of an offer are handed out to a stand-in of that offer's name, which keeps them from
being asked twice. When someone has answered one there, it is given back by the stand-in, and the
answer is written down as that worker's own; the stand-in's row says where.
"""

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from nextpair.app.designs.base import AnswerModel
from nextpair.app.errors import WorkerBlocked
from nextpair.app.hiring.fault_descriptions import describe
from nextpair.app.hiring.offers import Work, next_number, offer_more, places_now
from nextpair.app.hiring.outbox import Kind, note
from nextpair.app.judging.assignment_context import Held, check_open, take
from nextpair.app.judging.judgment_record import Reading
from nextpair.app.judging.next_question import next_in_study
from nextpair.app.judging.next_request import Wish
from nextpair.app.judging.retractions import Retraction, retract
from nextpair.app.platforms.facts import TaskAnswer
from nextpair.app.runtime.projection import Change, LiveTopic
from nextpair.app.runtime.service import Service
from nextpair.app.runtime.unit_of_work import Step
from nextpair.app.security.tokens import AssignmentRef
from nextpair.app.studies.study import Study
from nextpair.selectors.errors import NextpairError
from nextpair.storage import assignments, judgments, offers, studies, topics
from nextpair.storage.database import Connection
from nextpair.storage.errors import StorageError
from nextpair.storage.hiring_rows import HiringRow, OfferRow, OfferState
from nextpair.storage.rows import AssignmentRow, JudgmentRow, State

log = logging.getLogger("nextpair")

STAND_IN = "offer:"
WITHDRAWN = "withdrawn"
SAID_BEFORE = "the same worker has answered this pair before"
_ANSWERED = re.compile(r"answered as (\d+)")


def ask(service: Service, study: Study, number: int, now: float) -> list[AssignmentRow]:
    """Choose the questions of an offer; the same again for the same offer."""
    name = f"{STAND_IN}{number}"
    wish = Wish(name, study.settings.hiring.questions or 1, name)
    return next_in_study(service, study.id, wish, now).assignments


def asked(service: Service, study_id: int, number: int) -> list[AssignmentRow]:
    """List the questions of an offer as they stand."""
    name = f"{STAND_IN}{number}"
    with service.database.read() as connection:
        worker = studies.find_worker(connection, study_id, name)
        return assignments.of_request(connection, worker.id, name) if worker else []


def offer_tasks(service: Service, hiring: HiringRow, study: Study, work: Work, now: float) -> None:
    """Write down offers, one after the other, while there is something to ask."""
    while True:
        with service.database.read() as connection:
            wanted = places_now(service, connection, study, work)
            number = next_number(connection, study.id)
        if not wanted or not ask(service, study, number, now):
            return
        with service.database.write() as connection:
            studies.lock_study(connection, study.name)
            offer_more(service, connection, hiring, study, work, now, most=1)


def settle(service: Service, hiring: HiringRow, now: float) -> None:
    """Close offers whose questions are all answered, and book what the platform paid for them."""
    with service.database.read() as connection:
        made = offers.list_offers(connection, hiring.study_id)
    for offer in made:
        if offer.state in (OfferState.OPEN, OfferState.EXPIRED):
            rows = asked(service, hiring.study_id, offer.number)
            _settle(service, hiring, offer, rows, now)


def _settle(
    service: Service, hiring: HiringRow, offer: OfferRow, rows: Sequence[AssignmentRow], now: float
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
            about = {"offer_id": offer.id, "cost": cost}
            note(connection, hiring, Kind.ACCEPT, name, message, now, **about)


def absorb(service: Service, study: Study, answers: Iterable[TaskAnswer], now: float) -> None:
    """Take in what was answered, changed or withdrawn; the same again changes nothing."""
    for one in answers:
        found = re.fullmatch(r"([0-9]{1,18})-([0-9]{1,18})", one.task)
        if found is None:
            # A question whose answer was known: the platform itself has checked it.
            continue
        try:
            _take_in(service, study, AssignmentRef(int(found[1]), int(found[2])), one, now)
        except StorageError:
            raise
        except NextpairError as error:
            extra = {"study": study.id, "error": describe(error)}
            log.warning("an answer of the platform is left out", extra=extra)


def _take_in(
    service: Service, study: Study, ref: AssignmentRef, told: TaskAnswer, now: float
) -> None:
    with service.database.read() as connection:
        row = assignments.find_assignment(connection, ref.topic_id, ref.number)
        if row is None or not _is_stand_in(connection, study, row) or row.reason == SAID_BEFORE:
            return
        before = _answer_to(connection, row)
        worker = studies.find_worker(connection, study.id, told.worker)
    if told.answer is None:
        if before is not None:
            _withdraw(service, ref, before, now)
        return
    content = study.design.read(told.answer)
    same_worker = worker is not None and before is not None and before.worker_id == worker.id
    if before is not None:
        if same_worker and before.answer == content.model_dump(mode="json"):
            return
        _withdraw(service, ref, before, now)
    _write_down(service, ref, told, content, now)


def _is_stand_in(connection: Connection, study: Study, row: AssignmentRow) -> bool:
    """Say whether a question was one for the platform: its word is good for no other."""
    name = studies.get_worker(connection, row.worker_id).name
    here = topics.get_topic(connection, row.topic_id).study_id == study.id
    return here and name.startswith(STAND_IN) and row.request == name


def _answer_to(connection: Connection, row: AssignmentRow) -> JudgmentRow | None:
    """Return the answer a question has had, also one that was retracted here since."""
    found = _ANSWERED.fullmatch(row.reason or "")
    if found is None:
        return None
    return judgments.answers_to(connection, row.topic_id, int(found[1]))[-1]


def _withdraw(service: Service, ref: AssignmentRef, before: JudgmentRow, now: float) -> None:
    taken = Retraction("platform", "changed or withdrawn at the platform")
    retract(service, {ref.topic_id: [before.number]}, taken, now)

    def act(connection: Connection, live: LiveTopic, locked: bool) -> Step[None]:
        held = take(service, connection, live, ref, None)
        head = live.moved()
        row = replace(held.row, reason=WITHDRAWN, version=head.version)
        return Step(None, Change(head, [row]), changed=[row])

    service.change(ref.topic_id, act)


def _write_down(
    service: Service, ref: AssignmentRef, told: TaskAnswer, content: AnswerModel, now: float
) -> None:
    def act(connection: Connection, live: LiveTopic, locked: bool) -> Step[None] | None:
        if not locked:
            return None
        held = take(service, connection, live, ref, None)
        check_open(held)
        if told.worker in held.study.blocked:
            raise WorkerBlocked(f"worker {told.worker!r} is blocked in this study")
        worker = studies.enlist_worker(connection, held.study.id, told.worker, now)
        return _answered(service, connection, held, worker.id, told, content, now)

    service.change(ref.topic_id, act)


def _answered(
    service: Service,
    connection: Connection,
    held: Held,
    worker_id: int,
    told: TaskAnswer,
    content: AnswerModel,
    now: float,
) -> Step[None]:
    live, row = held.live, held.row
    earlier = assignments.of_pair(connection, row.topic_id, worker_id, row.pair)
    if earlier is not None and earlier.state == State.ANSWERED:
        head = live.moved()
        stand_in = replace(row, state=State.SKIPPED, version=head.version, reason=SAID_BEFORE)
        return Step(None, Change(head, [stand_in]), changed=[stand_in])
    head = live.moved(asked=int(earlier is None), entries=1)
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
    reading = Reading(service, connection, live, held.study, own)
    judgment = reading.judgment(content, content.model_dump(mode="json"), now)
    judgment = replace(judgment, seconds=told.seconds)
    given = f"answered as {own.number}"
    stand_in = replace(row, state=State.SKIPPED, version=head.version, reason=given)
    change = Change(head, [stand_in, own], [judgments.vote_of(judgment)])
    if earlier is None:
        return Step(None, change, added=[own], changed=[stand_in], judgment=judgment)
    return Step(None, change, changed=[stand_in, own], judgment=judgment)
