"""The comprehension gate: a question about a topic, to be answered right before any work on it."""

from nextpair.app.errors import BadAnswer
from nextpair.app.judging.next_question import check_admitted
from nextpair.app.runtime.projection import TopicDelta, TopicProjection
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.runtime.unit_of_work import UnitOfWork
from nextpair.app.studies.study import Study
from nextpair.storage import checks, quarantine, studies
from nextpair.storage.database import Connection
from nextpair.storage.rows import Check, TopicRow, VerdictEffect, VerdictRow


def submit_choice(
    service: ServiceContext, topic_id: int, worker: str, choice: str, now: float
) -> VerdictRow:
    """Grade a worker's choice; a pass is final, and the last failed attempt stops the worker."""

    def decide(
        connection: Connection, projection: TopicProjection, locked: bool
    ) -> UnitOfWork[VerdictRow] | None:
        if not locked:
            return None
        study = service.study(connection, projection.head.study_id, projection.head.study_version)
        check_admitted(study, projection, worker)
        check_choice(projection.topic, choice)
        worker_id = studies.enlist_worker(connection, study.id, worker, now).id
        earlier = verdicts(connection, worker_id, topic_id)
        if earlier and earlier[-1].effect != VerdictEffect.ASK_AGAIN:
            return UnitOfWork(earlier[-1])
        verdict = grade_choice(study, projection.topic, worker_id, len(earlier), choice, now)
        return UnitOfWork(verdict, TopicDelta(projection.next_head()), verdict=verdict)

    return service.transact(topic_id, decide)


def submit_quarantined_choice(
    service: ServiceContext, topic_id: int, session: int, worker: str, choice: str, now: float
) -> VerdictRow:
    """Grade a choice in a session that its platform has not confirmed.

    The verdict is stored with the session, and becomes the worker's once the session is confirmed.
    """
    with service.projection_of(topic_id) as projection:
        topic, head = projection.topic, projection.head
    check_choice(topic, choice)
    with service.database.write() as connection:
        study = service.study(connection, head.study_id, head.study_version)
        check_admitted(study, projection, worker)
        worker_id = studies.enlist_worker(connection, study.id, worker, now).id
        studies.lock_worker(connection, worker_id)
        earlier = verdicts(connection, worker_id, topic_id, session)
        if earlier and earlier[-1].effect != VerdictEffect.ASK_AGAIN:
            return earlier[-1]
        verdict = grade_choice(study, topic, worker_id, len(earlier), choice, now)
        quarantine.store_verdict(connection, session, verdict)
    return verdict


def verdicts(
    connection: Connection, worker_id: int, topic_id: int, session: int | None = None
) -> list[VerdictRow]:
    """List the verdicts on a worker's choices for a topic's question, oldest first."""
    rows = checks.verdicts_of(connection, worker_id, topic_id)
    if session is not None:
        rows = [*rows, *quarantine.verdicts_of(connection, session, topic_id)]
    return [row for row in rows if row.check == Check.UNDERSTANDING]


def check_choice(topic: TopicRow, choice: str) -> None:
    """Raise unless a topic has a comprehension question with this choice."""
    rule = topic.understanding
    if rule is None:
        raise BadAnswer(f"topic {topic.name!r} has no understanding question")
    if choice not in rule["choices"]:
        raise BadAnswer(f"choice: must be one of {', '.join(rule['choices'])}; got {choice!r}")


def grade_choice(
    study: Study, topic: TopicRow, worker_id: int, before: int, choice: str, now: float
) -> VerdictRow:
    """Return the verdict on a choice, after some earlier attempts."""
    rule = topic.understanding or {}
    passed, attempt = choice == rule["right"], before + 1
    again = attempt < study.settings.quality.attempts
    effect = (
        VerdictEffect.NONE if passed else VerdictEffect.ASK_AGAIN if again else VerdictEffect.STOP
    )
    details = {"choice": choice}
    check = Check.UNDERSTANDING
    return VerdictRow(topic.id, worker_id, check, 0, attempt, passed, effect, details, now)
