"""The understanding question: one about a topic, to be answered right before any work on it."""

from nextpair.app.errors import BadAnswer
from nextpair.app.judging.asking import check_admitted
from nextpair.app.judging.live import Change, LiveTopic
from nextpair.app.judging.service import Service
from nextpair.app.judging.steps import Step
from nextpair.storage import checks, studies
from nextpair.storage.database import Connection
from nextpair.storage.rows import Check, Effect, VerdictRow


def answer(service: Service, topic_id: int, worker: str, choice: str, now: float) -> VerdictRow:
    """Take a worker's answer; who has passed has passed, and after the last attempt they stop."""

    def act(connection: Connection, live: LiveTopic, locked: bool) -> Step[VerdictRow] | None:
        if not locked:
            return None
        study = service.study(connection, live.head.study_id, live.head.study_version)
        check_admitted(study, live, worker)
        rule = live.row.understanding
        if rule is None:
            raise BadAnswer(f"topic {live.row.name!r} has no understanding question")
        if choice not in rule["choices"]:
            raise BadAnswer(f"choice: must be one of {', '.join(rule['choices'])}; got {choice!r}")
        worker_id = studies.enlist_worker(connection, study.id, worker, now).id
        known = [
            one
            for one in checks.verdicts_of(connection, worker_id, topic_id)
            if one.check == Check.UNDERSTANDING
        ]
        if known and known[-1].effect != Effect.ASK_AGAIN:
            return Step(known[-1])
        passed, attempt = choice == rule["right"], len(known) + 1
        again = attempt < study.settings.quality.attempts
        effect = Effect.NONE if passed else Effect.ASK_AGAIN if again else Effect.STOP
        verdict = VerdictRow(
            topic_id,
            worker_id,
            Check.UNDERSTANDING,
            0,
            attempt,
            passed,
            effect,
            {"choice": choice},
            now,
        )
        return Step(verdict, Change(live.moved()), verdict=verdict)

    return service.change(topic_id, act)
