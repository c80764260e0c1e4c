"""The understanding question: one about a topic, to be answered right before any work on it."""

from nextpair.app.errors import BadAnswer
from nextpair.app.judging.next_question import check_admitted
from nextpair.app.runtime.projection import Change, LiveTopic
from nextpair.app.runtime.service import Service
from nextpair.app.runtime.unit_of_work import Step
from nextpair.app.studies.study import Study
from nextpair.storage import checks, quarantine, studies
from nextpair.storage.database import Connection
from nextpair.storage.rows import Check, Effect, TopicRow, VerdictRow


def answer(service: Service, topic_id: int, worker: str, choice: str, now: float) -> VerdictRow:
    """Take a worker's answer; who has passed has passed, and after the last attempt they stop."""

    def act(connection: Connection, live: LiveTopic, locked: bool) -> Step[VerdictRow] | None:
        if not locked:
            return None
        study = service.study(connection, live.head.study_id, live.head.study_version)
        check_admitted(study, live, worker)
        check_choice(live.row, choice)
        worker_id = studies.enlist_worker(connection, study.id, worker, now).id
        known = verdicts(connection, worker_id, topic_id)
        if known and known[-1].effect != Effect.ASK_AGAIN:
            return Step(known[-1])
        verdict = conclude(study, live.row, worker_id, len(known), choice, now)
        return Step(verdict, Change(live.moved()), verdict=verdict)

    return service.change(topic_id, act)


def answer_in_quarantine(
    service: Service, topic_id: int, session: int, worker: str, choice: str, now: float
) -> VerdictRow:
    """Take an answer in a session that its platform has not confirmed: only that one is told of it.

    The verdict is kept with the session, and is the worker's as soon as the session is confirmed.
    """
    with service.look(topic_id) as live:
        topic, head = live.row, live.head
    check_choice(topic, choice)
    with service.database.write() as connection:
        study = service.study(connection, head.study_id, head.study_version)
        check_admitted(study, live, worker)
        worker_id = studies.enlist_worker(connection, study.id, worker, now).id
        studies.lock_worker(connection, worker_id)
        known = verdicts(connection, worker_id, topic_id, session)
        if known and known[-1].effect != Effect.ASK_AGAIN:
            return known[-1]
        verdict = conclude(study, topic, worker_id, len(known), choice, now)
        quarantine.keep_verdict(connection, session, verdict)
    return verdict


def verdicts(
    connection: Connection, worker_id: int, topic_id: int, session: int | None = None
) -> list[VerdictRow]:
    """List what came of a worker's answers to a topic's question, oldest first."""
    known = checks.verdicts_of(connection, worker_id, topic_id)
    if session is not None:
        known = [*known, *quarantine.verdicts_of(connection, session, topic_id)]
    return [one for one in known if one.check == Check.UNDERSTANDING]


def check_choice(topic: TopicRow, choice: str) -> None:
    """Raise unless a topic has such an answer."""
    rule = topic.understanding
    if rule is None:
        raise BadAnswer(f"topic {topic.name!r} has no understanding question")
    if choice not in rule["choices"]:
        raise BadAnswer(f"choice: must be one of {', '.join(rule['choices'])}; got {choice!r}")


def conclude(
    study: Study, topic: TopicRow, worker_id: int, before: int, choice: str, now: float
) -> VerdictRow:
    """Say what an answer comes to, after some others."""
    rule = topic.understanding or {}
    passed, attempt = choice == rule["right"], before + 1
    again = attempt < study.settings.quality.attempts
    effect = Effect.NONE if passed else Effect.ASK_AGAIN if again else Effect.STOP
    details = {"choice": choice}
    check = Check.UNDERSTANDING
    return VerdictRow(topic.id, worker_id, check, 0, attempt, passed, effect, details, now)
