"""Offers on crowd platforms, and the submissions of their workers."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import case, exists, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.orm import aliased

from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import (
    AT_WORK,
    UNDECIDED,
    OfferRow,
    OfferState,
    OutboxState,
    SubmissionRow,
    SubmissionState,
)
from nextpair.storage.hiring_tables import OfferTable, OutboxTable, SubmissionTable

_OFFER: tuple[Any, ...] = (
    OfferTable.id,
    OfferTable.study_id,
    OfferTable.platform,
    OfferTable.number,
    OfferTable.places,
    OfferTable.questions,
    OfferTable.reward,
    OfferTable.bonus,
    OfferTable.price,
    OfferTable.bonus_price,
    OfferTable.state,
    OfferTable.reference,
    OfferTable.created_at,
    OfferTable.ends_at,
    OfferTable.ended_at,
    OfferTable.working,
)
_SUBMISSION: tuple[Any, ...] = (
    SubmissionTable.id,
    SubmissionTable.study_id,
    SubmissionTable.platform,
    SubmissionTable.session,
    SubmissionTable.worker_id,
    SubmissionTable.offer_id,
    SubmissionTable.state,
    SubmissionTable.extra,
    SubmissionTable.begun_at,
    SubmissionTable.finished_at,
    SubmissionTable.created_at,
    SubmissionTable.confirmed_at,
)
_REJECT = "reject"
_DECIDED = (SubmissionState.ACCEPTED.value, SubmissionState.REJECTED.value)


def add_offer(connection: Connection, values: Mapping[str, Any]) -> OfferRow:
    """Add an offer that is to be published."""
    offer_id = connection.execute(
        insert(OfferTable).values(values).returning(OfferTable.id)
    ).scalar_one()
    return get_offer(connection, offer_id)


def get_offer(connection: Connection, offer_id: int) -> OfferRow:
    """Return an offer."""
    return OfferRow(*connection.execute(select(*_OFFER).where(OfferTable.id == offer_id)).one())


def list_offers(connection: Connection, study_id: int) -> list[OfferRow]:
    """List a study's offers, oldest first."""
    query = select(*_OFFER).where(OfferTable.study_id == study_id).order_by(OfferTable.number)
    return [OfferRow(*row) for row in connection.execute(query)]


def change_offer(connection: Connection, offer_id: int, **values: object) -> None:
    """Store what has changed about an offer."""
    connection.execute(update(OfferTable).where(OfferTable.id == offer_id).values(values))


def find_submission(connection: Connection, submission_id: int) -> SubmissionRow | None:
    """Return a submission, if there is one."""
    query = select(*_SUBMISSION).where(SubmissionTable.id == submission_id)
    row = connection.execute(query).one_or_none()
    return SubmissionRow(*row) if row else None


def submissions_of(
    connection: Connection, study_id: int, session: str | None = None
) -> list[SubmissionRow]:
    """List a study's submissions, or those of one of the platform's sessions; oldest first."""
    query = (
        select(*_SUBMISSION)
        .where(SubmissionTable.study_id == study_id)
        .order_by(SubmissionTable.id)
    )
    if session is not None:
        query = query.where(SubmissionTable.session == session)
    return [SubmissionRow(*row) for row in connection.execute(query)]


def submissions_in_state(
    connection: Connection, study_id: int, states: Sequence[str]
) -> list[SubmissionRow]:
    """List a study's submissions in some states, oldest first."""
    query = select(*_SUBMISSION).where(
        SubmissionTable.study_id == study_id,
        SubmissionTable.state.in_([str(state) for state in states]),
    )
    return [SubmissionRow(*row) for row in connection.execute(query.order_by(SubmissionTable.id))]


def confirmed_submissions(
    connection: Connection, study_id: int, states: Sequence[str] | None = None
) -> list[SubmissionRow]:
    """List a study's submissions that their platform has confirmed, in any or in some states."""
    if states is None:
        rows = submissions_of(connection, study_id)
    else:
        rows = submissions_in_state(connection, study_id, states)
    return [row for row in rows if row.confirmed_at is not None]


def get_or_add_submission(connection: Connection, values: Mapping[str, Any]) -> SubmissionRow:
    """Return a worker's submission of a session; it is added if it is new."""
    insert_into = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
    connection.execute(insert_into(SubmissionTable).values(values).on_conflict_do_nothing())
    query = select(*_SUBMISSION).where(
        SubmissionTable.study_id == values["study_id"],
        SubmissionTable.platform == values["platform"],
        SubmissionTable.session == values["session"],
        SubmissionTable.worker_id == values["worker_id"],
    )
    return SubmissionRow(*connection.execute(query).one())


def change_submission(connection: Connection, submission_id: int, **values: object) -> None:
    """Store what has changed about a submission."""
    connection.execute(
        update(SubmissionTable).where(SubmissionTable.id == submission_id).values(values)
    )


def restart_other_sessions(connection: Connection, worker_id: int, but: int, now: float) -> None:
    """Let a worker's other sessions begin now, so that no answer is paid for twice."""
    connection.execute(
        update(SubmissionTable)
        .where(
            SubmissionTable.worker_id == worker_id,
            SubmissionTable.id != but,
            SubmissionTable.state == SubmissionState.WORKING.value,
        )
        .values(begun_at=now)
    )


def workers_handed_in(connection: Connection, study_id: int) -> list[tuple[int, float]]:
    """List the workers with a handed-in, undecided session and no other at work; and when."""
    other = aliased(SubmissionTable)
    works_elsewhere = exists().where(
        other.worker_id == SubmissionTable.worker_id, other.state == SubmissionState.WORKING.value
    )
    query = select(SubmissionTable.worker_id, SubmissionTable.finished_at).where(
        SubmissionTable.study_id == study_id,
        SubmissionTable.state.in_(
            [SubmissionState.FINISHED.value, SubmissionState.SUBMITTED.value]
        ),
        SubmissionTable.confirmed_at.is_not(None),
        SubmissionTable.finished_at.is_not(None),
        ~works_elsewhere,
    )
    return [(worker, at) for worker, at in connection.execute(query) if at is not None]


def reserved_budget(connection: Connection, study_id: int) -> int:
    """Return the budget reservation of a study: what its offers may still cost.

    An open offer reserves its places that are not decided on. An offer that has ended reserves the
    undecided sessions that the platform has confirmed, and those that it says are still at work. A
    session that somebody only claims to have reserves nothing. A rejection counts as undecided
    until the platform has carried it out, because a person there may have accepted the session in
    between. A held session is accepted by a person, if at all, and gets no bonus.
    """
    rejection_pending = exists().where(
        OutboxTable.submission_id == SubmissionTable.id,
        OutboxTable.kind == _REJECT,
        OutboxTable.state == OutboxState.INTENDED.value,
    )
    confirmed = SubmissionTable.confirmed_at.is_not(None)
    undecided = _count(
        confirmed,
        SubmissionTable.state.in_([state.value for state in UNDECIDED]) | rejection_pending,
    )
    at_work = _count(confirmed, SubmissionTable.state.in_([state.value for state in AT_WORK]))
    decided = _count(SubmissionTable.state.in_(_DECIDED) & ~rejection_pending)
    held = _count(SubmissionTable.state == SubmissionState.HELD.value)
    unseen = func.coalesce(OfferTable.working, 0) - at_work
    places_left = case(
        (
            OfferTable.state == OfferState.EXPIRED.value,
            undecided + case((unseen > 0, unseen), else_=0),
        ),
        else_=OfferTable.places - decided,
    )
    each = OfferTable.price + OfferTable.bonus_price
    may_cost = places_left * each - held * OfferTable.bonus_price
    live = (OfferTable.study_id == study_id, OfferTable.state != OfferState.FAILED.value)
    query = select(func.coalesce(func.sum(may_cost), 0)).where(*live)
    return int(connection.execute(query).scalar_one())


def _count(*conditions: Any) -> Any:
    return (
        select(func.count())
        .where(SubmissionTable.offer_id == OfferTable.id, *conditions)
        .correlate(OfferTable)
        .scalar_subquery()
    )
