"""Decisions on submissions by the study's quality rules: accept, hold or reject."""

from collections.abc import Sequence

from nextpair.app.hiring.outbox import ActivityEvent, CommandKind, enqueue, record_activity
from nextpair.app.studies.pay_rules import PayOnFailure
from nextpair.app.studies.study import Study
from nextpair.storage import assignments, checks, offers, studies
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import HiringRow, SubmissionRow, SubmissionState
from nextpair.storage.rows import Check, VerdictEffect, VerdictRow

UNCHECKED = "no bonus: no check of the study could tell how this session was judged"


def decide_submissions(connection: Connection, hiring: HiringRow, study: Study, now: float) -> None:
    """Decide on every handed-in submission, and enqueue the commands that follow."""
    for row in offers.submissions_in_state(connection, study.id, [SubmissionState.SUBMITTED]):
        _decide(connection, hiring, study, row, now)
    if study.settings.hiring.keep_away:
        _keep_away(connection, hiring, study, now)


def _decide(
    connection: Connection, hiring: HiringRow, study: Study, row: SubmissionRow, now: float
) -> None:
    reason = _reason_to_hold(connection, row)
    if reason is not None:
        _hold(connection, hiring, row, reason, now)
        return
    verdicts = verdicts_in(connection, row)
    rule = study.settings.hiring.on_failure
    # A check that was not passed and has no effect had too few answers: nobody loses pay by it.
    if not any(verdict.effect != VerdictEffect.NONE for verdict in verdicts):
        bonus = _earns_bonus(connection, study, row, verdicts)
        _accept(connection, hiring, row, now, bonus=bonus)
        if not bonus and study.settings.hiring.bonus:
            record_activity(
                connection, hiring, ActivityEvent.UNCHECKED, row.id, UNCHECKED, now, **_columns(row)
            )
    elif rule is PayOnFailure.PAY:
        _accept(connection, hiring, row, now, bonus=False)
    elif rule is PayOnFailure.HOLD:
        _hold(connection, hiring, row, "the study's checks were not passed", now)
    else:
        offers.change_submission(connection, row.id, state=SubmissionState.REJECTED)
        enqueue(connection, hiring, CommandKind.REJECT, row.id, now, **_columns(row))


def _reason_to_hold(connection: Connection, row: SubmissionRow) -> str | None:
    """Say why a person should look at a submission before anyone is paid for it."""
    if row.finished_at is None:
        answered = assignments.count_answered(connection, row.worker_id, row.begun_at, row.id)
        return f"handed in at the platform without being finished here: {answered} answered"
    if row.extra.get("told") and not row.extra.get("receipt"):
        return "the receipt is not the one that was given for this session"
    if row.offer_id is None:
        return "it belongs to no offer of this study"
    return None


def verdicts_in(connection: Connection, row: SubmissionRow) -> list[VerdictRow]:
    """List the verdicts of a session; of a check that was attempted several times, the last."""
    last: dict[tuple[int, str, int], VerdictRow] = {}
    for verdict in checks.verdicts_of(connection, row.worker_id):
        if row.begun_at <= verdict.created_at <= _end_of(row):
            last[verdict.topic_id, verdict.check, verdict.number] = verdict
    return list(last.values())


def _end_of(row: SubmissionRow) -> float:
    return row.finished_at if row.finished_at is not None else float("inf")


def _earns_bonus(
    connection: Connection, study: Study, row: SubmissionRow, verdicts: Sequence[VerdictRow]
) -> bool:
    """Say whether a passed check earns the bonus; a study without checks pays it to everybody.

    Where batches are checked, it is a batch of this session; otherwise the quiz, which comes once.
    """
    quality = study.settings.quality
    if quality.measures:
        return any(verdict.passed and verdict.check == Check.BATCH for verdict in verdicts)
    if not quality.quiz:
        return True
    all_verdicts = checks.verdicts_of(connection, row.worker_id)
    return any(verdict.passed and verdict.created_at <= _end_of(row) for verdict in all_verdicts)


def _accept(
    connection: Connection, hiring: HiringRow, row: SubmissionRow, now: float, *, bonus: bool
) -> None:
    assert row.offer_id is not None
    offer = offers.get_offer(connection, row.offer_id)
    offers.change_submission(connection, row.id, state=SubmissionState.ACCEPTED)
    if bonus and offer.bonus:
        # First the bonus: a failed one would go unnoticed once the submission is accepted.
        cost = offer.bonus_price
        enqueue(connection, hiring, CommandKind.BONUS, row.id, now, cost=cost, **_columns(row))
    enqueue(connection, hiring, CommandKind.ACCEPT, row.id, now, cost=offer.price, **_columns(row))


def _hold(
    connection: Connection, hiring: HiringRow, row: SubmissionRow, reason: str, now: float
) -> None:
    offers.change_submission(connection, row.id, state=SubmissionState.HELD)
    record_activity(connection, hiring, ActivityEvent.HOLD, row.id, reason, now, **_columns(row))


def _columns(row: SubmissionRow) -> dict[str, int | None]:
    return {"submission_id": row.id, "offer_id": row.offer_id, "worker_id": row.worker_id}


def _keep_away(connection: Connection, hiring: HiringRow, study: Study, now: float) -> None:
    """Exclude the workers who get no more questions here from further offers."""
    unserved = sorted(study.blocked | study.stopped)
    if not unserved:
        return
    rows = offers.submissions_of(connection, study.id)
    arrived = {row.worker_id for row in rows if row.confirmed_at is not None}
    for name in unserved:
        worker = studies.find_worker(connection, study.id, name)
        if worker is not None and worker.id in arrived:
            enqueue(connection, hiring, CommandKind.KEEP_AWAY, worker.id, now, worker_id=worker.id)
