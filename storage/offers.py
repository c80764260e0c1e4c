"""What was published on crowd platforms, and who came for it."""

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
    DeedState,
    OfferRow,
    OfferState,
    SubmissionRow,
    SubmissionState,
)
from nextpair.storage.hiring_tables import Deed, Offer, Submission

_OFFER: tuple[Any, ...] = (
    Offer.id,
    Offer.study_id,
    Offer.platform,
    Offer.number,
    Offer.places,
    Offer.questions,
    Offer.reward,
    Offer.bonus,
    Offer.price,
    Offer.bonus_price,
    Offer.state,
    Offer.reference,
    Offer.created_at,
    Offer.ends_at,
    Offer.ended_at,
    Offer.working,
)
_SUBMISSION: tuple[Any, ...] = (
    Submission.id,
    Submission.study_id,
    Submission.platform,
    Submission.session,
    Submission.worker_id,
    Submission.offer_id,
    Submission.state,
    Submission.extra,
    Submission.begun_at,
    Submission.finished_at,
    Submission.created_at,
    Submission.confirmed_at,
)
_REJECT = "reject"
_DECIDED = (SubmissionState.ACCEPTED.value, SubmissionState.REJECTED.value)


def add_offer(connection: Connection, values: Mapping[str, Any]) -> OfferRow:
    """Add an offer that is to be published."""
    offer_id = connection.execute(insert(Offer).values(values).returning(Offer.id)).scalar_one()
    return get_offer(connection, offer_id)


def get_offer(connection: Connection, offer_id: int) -> OfferRow:
    """Return an offer."""
    return OfferRow(*connection.execute(select(*_OFFER).where(Offer.id == offer_id)).one())


def list_offers(connection: Connection, study_id: int) -> list[OfferRow]:
    """List a study's offers, oldest first."""
    found = select(*_OFFER).where(Offer.study_id == study_id).order_by(Offer.number)
    return [OfferRow(*row) for row in connection.execute(found)]


def change_offer(connection: Connection, offer_id: int, **values: object) -> None:
    """Store what has changed about an offer."""
    connection.execute(update(Offer).where(Offer.id == offer_id).values(values))


def find_submission(connection: Connection, submission_id: int) -> SubmissionRow | None:
    """Return a submission."""
    found = select(*_SUBMISSION).where(Submission.id == submission_id)
    row = connection.execute(found).one_or_none()
    return SubmissionRow(*row) if row else None


def submissions_of(
    connection: Connection, study_id: int, session: str | None = None
) -> list[SubmissionRow]:
    """List a study's submissions, or those of one of the platform's sessions; oldest first."""
    found = select(*_SUBMISSION).where(Submission.study_id == study_id).order_by(Submission.id)
    if session is not None:
        found = found.where(Submission.session == session)
    return [SubmissionRow(*row) for row in connection.execute(found)]


def submissions_in(
    connection: Connection, study_id: int, states: Sequence[str]
) -> list[SubmissionRow]:
    """List a study's submissions in some states, oldest first."""
    found = select(*_SUBMISSION).where(
        Submission.study_id == study_id, Submission.state.in_([str(one) for one in states])
    )
    return [SubmissionRow(*row) for row in connection.execute(found.order_by(Submission.id))]


def confirmed_of(
    connection: Connection, study_id: int, states: Sequence[str] | None = None
) -> list[SubmissionRow]:
    """List a study's submissions that their platform has confirmed, in any or in some states."""
    if states is None:
        rows = submissions_of(connection, study_id)
    else:
        rows = submissions_in(connection, study_id, states)
    return [row for row in rows if row.confirmed_at is not None]


def enlist_submission(connection: Connection, values: Mapping[str, Any]) -> SubmissionRow:
    """Return a worker's submission of a session, which may be new."""
    add = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
    connection.execute(add(Submission).values(values).on_conflict_do_nothing())
    found = select(*_SUBMISSION).where(
        Submission.study_id == values["study_id"],
        Submission.platform == values["platform"],
        Submission.session == values["session"],
        Submission.worker_id == values["worker_id"],
    )
    return SubmissionRow(*connection.execute(found).one())


def change_submission(connection: Connection, submission_id: int, **values: object) -> None:
    """Store what has changed about a submission."""
    connection.execute(update(Submission).where(Submission.id == submission_id).values(values))


def begin_after(connection: Connection, worker_id: int, but: int, now: float) -> None:
    """Let a worker's other sessions begin now: no answer is paid for twice."""
    connection.execute(
        update(Submission)
        .where(
            Submission.worker_id == worker_id,
            Submission.id != but,
            Submission.state == SubmissionState.WORKING.value,
        )
        .values(begun_at=now)
    )


def handed_in(connection: Connection, study_id: int) -> list[tuple[int, float]]:
    """List who has handed in a session that is not decided on, and works on no other; and when."""
    other = aliased(Submission)
    at_work = exists().where(
        other.worker_id == Submission.worker_id, other.state == SubmissionState.WORKING.value
    )
    found = select(Submission.worker_id, Submission.finished_at).where(
        Submission.study_id == study_id,
        Submission.state.in_([SubmissionState.FINISHED.value, SubmissionState.SUBMITTED.value]),
        Submission.confirmed_at.is_not(None),
        Submission.finished_at.is_not(None),
        ~at_work,
    )
    return [(worker, at) for worker, at in connection.execute(found) if at is not None]


def reserved(connection: Connection, study_id: int) -> int:
    """Say what a study's offers may still cost: places to be taken, and sessions undecided.

    Of an offer that has ended these are the sessions that the platform has confirmed, and those
    that it says are still being worked on. What somebody only claims to work on costs nothing.
    Who is to be rejected is undecided until the platform has taken that: a person there may have
    accepted them meanwhile. Who is held is accepted by a person, if at all, and gets no bonus.
    """
    waits = exists().where(
        Deed.submission_id == Submission.id,
        Deed.kind == _REJECT,
        Deed.state == DeedState.INTENDED.value,
    )
    confirmed = Submission.confirmed_at.is_not(None)
    undecided = _count(confirmed, Submission.state.in_([one.value for one in UNDECIDED]) | waits)
    at_work = _count(confirmed, Submission.state.in_([one.value for one in AT_WORK]))
    decided = _count(Submission.state.in_(_DECIDED) & ~waits)
    held = _count(Submission.state == SubmissionState.HELD.value)
    unseen = func.coalesce(Offer.working, 0) - at_work
    left = case(
        (
            Offer.state == OfferState.EXPIRED.value,
            undecided + case((unseen > 0, unseen), else_=0),
        ),
        else_=Offer.places - decided,
    )
    each = Offer.price + Offer.bonus_price
    may_cost = left * each - held * Offer.bonus_price
    which = (Offer.study_id == study_id, Offer.state != OfferState.FAILED.value)
    found = select(func.coalesce(func.sum(may_cost), 0)).where(*which)
    return int(connection.execute(found).scalar_one())


def _count(*conditions: Any) -> Any:
    return (
        select(func.count())
        .where(Submission.offer_id == Offer.id, *conditions)
        .correlate(Offer)
        .scalar_subquery()
    )
