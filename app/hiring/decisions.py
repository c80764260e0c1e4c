"""Deciding on what was handed in, by the study's quality rules: accept, hold or reject."""

from collections.abc import Sequence

from nextpair.app.hiring.outbox import Kind, Note, intend, note
from nextpair.app.hiring.pay_rules import OnFailure
from nextpair.app.studies.study import Study
from nextpair.storage import assignments, checks, offers, studies
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import HiringRow, SubmissionRow, SubmissionState
from nextpair.storage.rows import Check, Effect, VerdictRow

UNCHECKED = "no bonus: no check of the study could tell how this session was judged"


def decide_all(connection: Connection, hiring: HiringRow, study: Study, now: float) -> None:
    """Write down what follows for all that was handed in, and who is kept away."""
    for row in offers.submissions_in(connection, study.id, [SubmissionState.SUBMITTED]):
        _decide(connection, hiring, study, row, now)
    if study.settings.hiring.keep_away:
        _keep_away(connection, hiring, study, now)


def _decide(
    connection: Connection, hiring: HiringRow, study: Study, row: SubmissionRow, now: float
) -> None:
    doubt = _doubt(connection, row)
    if doubt is not None:
        _hold(connection, hiring, row, doubt, now)
        return
    verdicts = verdicts_in(connection, row)
    rule = study.settings.hiring.on_failure
    # Not passed without an effect: too little was answered to tell. Nobody loses pay by that.
    if not any(one.effect != Effect.NONE for one in verdicts):
        bonus = _earned(connection, study, row, verdicts)
        _accept(connection, hiring, row, now, bonus=bonus)
        if not bonus and study.settings.hiring.bonus:
            note(connection, hiring, Note.UNCHECKED, row.id, UNCHECKED, now, **_about(row))
    elif rule is OnFailure.PAY:
        _accept(connection, hiring, row, now, bonus=False)
    elif rule is OnFailure.HOLD:
        _hold(connection, hiring, row, "the study's checks were not passed", now)
    else:
        offers.change_submission(connection, row.id, state=SubmissionState.REJECTED)
        intend(connection, hiring, Kind.REJECT, row.id, now, **_about(row))


def _doubt(connection: Connection, row: SubmissionRow) -> str | None:
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
    """List the last verdict of each check of a session: of one that was tried again, the last."""
    last: dict[tuple[int, str, int], VerdictRow] = {}
    for one in checks.verdicts_of(connection, row.worker_id):
        if row.begun_at <= one.created_at <= _end_of(row):
            last[one.topic_id, one.check, one.number] = one
    return list(last.values())


def _end_of(row: SubmissionRow) -> float:
    return row.finished_at if row.finished_at is not None else float("inf")


def _earned(
    connection: Connection, study: Study, row: SubmissionRow, verdicts: Sequence[VerdictRow]
) -> bool:
    """Say whether a check was passed that earns the bonus; a study without any pays it to all.

    Where batches are checked it is a batch of this session, otherwise the quiz, which comes once.
    """
    quality = study.settings.quality
    if quality.measures:
        return any(one.passed and one.check == Check.BATCH for one in verdicts)
    if not quality.quiz:
        return True
    known = checks.verdicts_of(connection, row.worker_id)
    return any(one.passed and one.created_at <= _end_of(row) for one in known)


def _accept(
    connection: Connection, hiring: HiringRow, row: SubmissionRow, now: float, *, bonus: bool
) -> None:
    assert row.offer_id is not None
    offer = offers.get_offer(connection, row.offer_id)
    offers.change_submission(connection, row.id, state=SubmissionState.ACCEPTED)
    if bonus and offer.bonus:
        # First: what is accepted is out of sight, and a bonus that failed would be too.
        cost = offer.bonus_price
        intend(connection, hiring, Kind.BONUS, row.id, now, cost=cost, **_about(row))
    intend(connection, hiring, Kind.ACCEPT, row.id, now, cost=offer.price, **_about(row))


def _hold(
    connection: Connection, hiring: HiringRow, row: SubmissionRow, why: str, now: float
) -> None:
    offers.change_submission(connection, row.id, state=SubmissionState.HELD)
    note(connection, hiring, Note.HOLD, row.id, why, now, **_about(row))


def _about(row: SubmissionRow) -> dict[str, int | None]:
    return {"submission_id": row.id, "offer_id": row.offer_id, "worker_id": row.worker_id}


def _keep_away(connection: Connection, hiring: HiringRow, study: Study, now: float) -> None:
    """Offer nothing more to those who get no questions here."""
    unserved = sorted(study.blocked | study.stopped)
    if not unserved:
        return
    rows = offers.submissions_of(connection, study.id)
    came = {row.worker_id for row in rows if row.confirmed_at is not None}
    for name in unserved:
        worker = studies.find_worker(connection, study.id, name)
        if worker is not None and worker.id in came:
            intend(connection, hiring, Kind.KEEP_AWAY, worker.id, now, worker_id=worker.id)
