"""A client of the service: typed, and safe to repeat.

    with Client("http://127.0.0.1:8000", key) as client:
        client.create_study("answers", votes=3)
        ...
        for assignment in client.next("answers", worker="ann").assignments:
            client.judge(assignment, "left")

Every call either happens once or not at all, so what gets no answer is simply sent again: creating
calls carry an Idempotency-Key, and the others change nothing when they are repeated.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from nextpair.app.connection import Connection, Refused, Unreachable
from nextpair.app.wire.exports import Format
from nextpair.app.wire.hiring import ActivityOut, ActivityPage, HiringOut, PlanOut
from nextpair.app.wire.judging import (
    AssignmentOut,
    DesignOut,
    JudgmentOut,
    NextOut,
    Skipped,
    VerdictOut,
)
from nextpair.app.wire.reports import ReportOut
from nextpair.app.wire.results import (
    ExplanationOut,
    LogEntryOut,
    ProgressOut,
    RankingOut,
    ReliabilitiesOut,
    ReliabilityOut,
    StudyProgressOut,
)
from nextpair.app.wire.retractions import RetractionIn, RetractionOut
from nextpair.app.wire.sessions import SessionOut
from nextpair.app.wire.studies import StudyIn, StudyOut, WorkerOut
from nextpair.app.wire.topics import (
    DocumentIn,
    GoldsIn,
    GoldsOut,
    TopicHeadIn,
    TopicIn,
    TopicOut,
)
from nextpair.storage.hiring_rows import HiringState
from nextpair.storage.rows import Status, WorkerStatus

__all__ = ["Client", "Refused", "Unreachable"]

JSONL = "application/jsonl"
REPORT_SECONDS = 600.0
"""How long to wait for a report: it folds the whole log again."""


class Client:
    """Calls the service; one connection pool, usable by many threads.

    Parameters
    ----------
    retries
        How often a call is sent again that got no answer, or was told to come back later.
    sleep
        How to wait in between.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 60.0,
        retries: int = 8,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._connection = Connection(url, key, timeout=timeout, retries=retries, sleep=sleep)
        self._call = self._connection.call
        self._pages = self._connection.pages

    def close(self) -> None:
        """Give back the connections."""
        self._connection.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def ready(self) -> None:
        """Raise unless the service can serve."""
        self._connection.send("GET", "/readyz")

    # -- setting up -----------------------------------------------------------------------------

    def create_study(self, study: str | None = None, **settings: Any) -> StudyOut:
        """Add a study; the settings are those of `StudySettings`."""
        body = _checked(StudyIn, {"id": study, **settings})
        return self._call(StudyOut, "POST", "/v1/studies", body, creates=True)

    def change_study(self, study: str, **changes: Any) -> StudyOut:
        """Change what may change while a study runs."""
        return self._call(StudyOut, "PATCH", f"/v1/studies/{_at(study)}", changes)

    def studies(self) -> Iterator[StudyOut]:
        """Yield all studies."""
        return self._pages(StudyOut, "/v1/studies")

    def study(self, study: str) -> StudyOut:
        """Describe a study."""
        return self._call(StudyOut, "GET", f"/v1/studies/{_at(study)}")

    def add_topic(self, study: str, topic: TopicIn) -> TopicOut:
        """Add a topic with all its documents."""
        return self._call(
            TopicOut, "POST", f"/v1/studies/{_at(study)}/topics", _dump(topic), creates=True
        )

    def upload_topic(
        self, study: str, topic: TopicHeadIn, documents: Callable[[], Iterable[DocumentIn]]
    ) -> TopicOut:
        """Add a topic whose documents are sent one by one, however many they are.

        Parameters
        ----------
        documents
            Begins to yield them; called again if the upload has to be.
        """

        def lines() -> Iterator[bytes]:
            for shape in (topic, *documents()):
                yield shape.model_dump_json(exclude_unset=True).encode() + b"\n"

        path = f"/v1/studies/{_at(study)}/topics.jsonl"
        response = self._connection.send(
            "POST", path, content=lines, headers={"Content-Type": JSONL}
        )
        return self._connection.read(TopicOut, response)

    def add_golds(self, study: str, topic: str, golds: GoldsIn) -> GoldsOut:
        """Add questions whose answers are known: traps among the work, or a quiz before it."""
        path = f"/v1/studies/{_at(study)}/topics/{_at(topic)}/golds"
        return self._call(GoldsOut, "POST", path, _dump(golds))

    def design(self, study: str) -> DesignOut:
        """Say what a worker's page asks for."""
        return self._call(DesignOut, "GET", f"/v1/studies/{_at(study)}/design")

    def topics(self, study: str) -> Iterator[TopicOut]:
        """Yield a study's topics."""
        return self._pages(TopicOut, f"/v1/studies/{_at(study)}/topics")

    def change_topic(self, study: str, topic: str, status: Status) -> TopicOut:
        """Open, pause or close a topic."""
        path = f"/v1/studies/{_at(study)}/topics/{_at(topic)}"
        return self._call(TopicOut, "PATCH", path, {"status": status})

    # -- judging --------------------------------------------------------------------------------

    def next(
        self,
        study: str,
        worker: str,
        *,
        topic: str | None = None,
        count: int = 1,
        documents: bool = True,
    ) -> NextOut:
        """Get the pairs that teach most now."""
        body = {"worker": worker, "topic": topic, "count": count, "documents": documents}
        return self._call(NextOut, "POST", f"/v1/studies/{_at(study)}/next", body, creates=True)

    def judge(
        self,
        assignment: AssignmentOut,
        answer: str | Mapping[str, Any],
        *,
        seconds: float | None = None,
    ) -> JudgmentOut:
        """Answer an assignment, as the study's design has it.

        Parameters
        ----------
        answer
            By the names of its parts; or, of a preference, only left, right, equal, equally_good
            or equally_bad.
        """
        body = {
            "answer": {"preference": answer} if isinstance(answer, str) else dict(answer),
            "worker": assignment.worker,
            "attempt": assignment.attempt,
            "seconds": seconds,
        }
        return self._call(JudgmentOut, "POST", f"/v1/assignments/{assignment.id}/judgment", body)

    def assignment(self, assignment: str) -> AssignmentOut:
        """Show an assignment as it stands."""
        return self._call(AssignmentOut, "GET", f"/v1/assignments/{_at(assignment)}")

    def skip(self, assignment: AssignmentOut, reason: str | None = None) -> Skipped:
        """Give a question back; it goes to someone else."""
        body = {"worker": assignment.worker, "attempt": assignment.attempt, "reason": reason}
        return self._call(Skipped, "POST", f"/v1/assignments/{assignment.id}/skip", body)

    def undo(self, assignment: AssignmentOut) -> AssignmentOut:
        """Take the worker's last answer back, and get the same question again."""
        body = {"worker": assignment.worker, "attempt": assignment.attempt}
        return self._call(AssignmentOut, "POST", f"/v1/assignments/{assignment.id}/undo", body)

    def open_session(
        self, study: str, worker: str, *, topic: str | None = None, count: int | None = None
    ) -> SessionOut:
        """Open a judging session: its `url` is where the worker goes."""
        body = {"worker": worker, "topic": topic, "count": count}
        return self._call(SessionOut, "POST", f"/v1/studies/{_at(study)}/sessions", body)

    def show_understanding(self, study: str, topic: str, worker: str, choice: str) -> VerdictOut:
        """Answer a topic's understanding question for a worker."""
        path = f"/v1/studies/{_at(study)}/topics/{_at(topic)}/understanding"
        return self._call(VerdictOut, "POST", path, {"worker": worker, "choice": choice})

    # -- hiring ---------------------------------------------------------------------------------

    def hiring(self, study: str) -> HiringOut:
        """Say how a study's hiring stands."""
        return self._call(HiringOut, "GET", f"/v1/studies/{_at(study)}/hiring")

    def plan_hiring(self, study: str, changes: Mapping[str, Any] | None = None) -> PlanOut:
        """Say what hiring would create and cost, perhaps with other settings."""
        path = f"/v1/studies/{_at(study)}/hiring/plan"
        return self._call(PlanOut, "POST", path, dict(changes or {}))

    def set_hiring(self, study: str, state: HiringState) -> HiringOut:
        """Let a study hire, pause or stop."""
        return self._call(HiringOut, "POST", f"/v1/studies/{_at(study)}/hiring", {"state": state})

    def activity(self, study: str) -> Iterator[ActivityOut]:
        """Yield what was done at a study's platform, oldest first."""
        path, after = f"/v1/studies/{_at(study)}/activity", 0
        while True:
            query = {"after": str(after), "limit": "1000"}
            page = self._call(ActivityPage, "GET", path, query=query)
            yield from page.items
            if page.next is None:
                return
            after = page.next

    # -- knowing --------------------------------------------------------------------------------

    def ranking(self, study: str, topic: str, rating: str | None = None) -> RankingOut:
        """Rank a topic's documents."""
        query = {} if rating is None else {"rating": rating}
        path = f"/v1/studies/{_at(study)}/topics/{_at(topic)}/ranking"
        return self._call(RankingOut, "GET", path, query=query)

    def progress(self, study: str, topic: str) -> ProgressOut:
        """Say how far a topic has come."""
        path = f"/v1/studies/{_at(study)}/topics/{_at(topic)}/progress"
        return self._call(ProgressOut, "GET", path)

    def study_progress(self, study: str) -> StudyProgressOut:
        """Say how far a study has come."""
        return self._call(StudyProgressOut, "GET", f"/v1/studies/{_at(study)}/progress")

    def explain(self, study: str, topic: str, first: str, second: str) -> ExplanationOut:
        """Say how two documents compare, and why."""
        path = f"/v1/studies/{_at(study)}/topics/{_at(topic)}/explain"
        return self._call(ExplanationOut, "GET", path, query={"first": first, "second": second})

    def reliability(self, study: str, topic: str) -> list[ReliabilityOut]:
        """Say how far each worker's answers can be relied on, least first."""
        path = f"/v1/studies/{_at(study)}/topics/{_at(topic)}/reliability"
        return self._call(ReliabilitiesOut, "GET", path).workers

    def judgments(self, study: str, topic: str) -> Iterator[LogEntryOut]:
        """Yield a topic's log."""
        return self._pages(LogEntryOut, f"/v1/studies/{_at(study)}/topics/{_at(topic)}/judgments")

    def workers(self, study: str) -> Iterator[WorkerOut]:
        """Yield a study's workers."""
        return self._pages(WorkerOut, f"/v1/studies/{_at(study)}/workers")

    def verdicts(self, study: str, worker: str) -> Iterator[VerdictOut]:
        """Yield what came of checking a worker."""
        path = f"/v1/studies/{_at(study)}/workers/{_at(worker)}/verdicts"
        return self._pages(VerdictOut, path)

    def change_worker(self, study: str, worker: str, status: WorkerStatus) -> WorkerOut:
        """Block a worker, or let them in again."""
        path = f"/v1/studies/{_at(study)}/workers/{_at(worker)}"
        return self._call(WorkerOut, "PATCH", path, {"status": status})

    def retract(self, study: str, retraction: RetractionIn) -> RetractionOut:
        """Take judgments back, or see what that would change."""
        path = f"/v1/studies/{_at(study)}/retractions"
        return self._call(RetractionOut, "POST", path, _dump(retraction))

    def report(
        self,
        study: str,
        *,
        topic: str | None = None,
        rating: str | None = None,
        points: int | None = None,
        pseudonyms: bool | None = None,
    ) -> ReportOut:
        """Report on a study; of a large one that takes a while."""
        query = {"topic": topic, "rating": rating, "points": points, "pseudonyms": pseudonyms}
        path = f"/v1/studies/{_at(study)}/report"
        response = self._connection.send("GET", path, params=_given(query), timeout=REPORT_SECONDS)
        return self._connection.read(ReportOut, response)

    def export(
        self,
        study: str,
        format: Format,
        *,
        topic: str | None = None,
        rating: str | None = None,
        levels: int | None = None,
        inferred: bool | None = None,
        pseudonyms: bool | None = None,
    ) -> Iterator[bytes]:
        """Yield a study's results as a file."""
        query = {"topic": topic, "rating": rating, "levels": levels}
        query |= {"inferred": inferred, "pseudonyms": pseudonyms}
        path = f"/v1/studies/{_at(study)}/export/{format.value}"
        return self._connection.stream(path, _given(query))


def _at(name: str) -> str:
    return quote(name, safe="")


def _given(query: Mapping[str, object]) -> dict[str, str]:
    told = {name: value for name, value in query.items() if value is not None}
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in told.items()
    }


def _dump(shape: BaseModel) -> dict[str, Any]:
    return shape.model_dump(mode="json", exclude_unset=True)


def _checked(shape: type[BaseModel], values: Mapping[str, Any]) -> dict[str, Any]:
    """Check what is sent before it is: a misspelt setting is told where it was written."""
    try:
        return _dump(shape.model_validate(values))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise TypeError(f"{where}: {first['msg']}") from None
