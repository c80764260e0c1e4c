"""Calls that tell what is known, and take back what was wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from nextpair.app.client.calls import Calls, at, dump, given
from nextpair.app.schemas.exports import UNJUDGED, Format
from nextpair.app.schemas.judging import VerdictOut
from nextpair.app.schemas.reports import ReportOut
from nextpair.app.schemas.results import (
    ConflictOut,
    ExplanationOut,
    LogEntryOut,
    ProgressOut,
    RankingOut,
    ReliabilitiesOut,
    ReliabilityOut,
    StudyProgressOut,
)
from nextpair.app.schemas.retractions import RetractionIn, RetractionOut
from nextpair.app.schemas.studies import WorkerOut
from nextpair.storage.rows import WorkerStatus

REPORT_SECONDS = 600.0
"""How long to wait for a report: it folds the whole log again."""


class Export:
    """The bytes of a file as they come.

    Parameters
    ----------
    unjudged
        How many documents of the topics nobody has judged.
    """

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.unjudged = int(response.headers.get(UNJUDGED, 0))

    def __iter__(self) -> Iterator[bytes]:
        return self._response.iter_bytes()


class Knowing(Calls):
    """Calls that tell what is known, and take back what was wrong."""

    def ranking(self, study: str, topic: str, rating: str | None = None) -> RankingOut:
        """Rank a topic's documents."""
        query = {} if rating is None else {"rating": rating}
        path = f"/v1/studies/{at(study)}/topics/{at(topic)}/ranking"
        return self._call(RankingOut, "GET", path, query=query)

    def progress(self, study: str, topic: str) -> ProgressOut:
        """Say how far a topic has come."""
        path = f"/v1/studies/{at(study)}/topics/{at(topic)}/progress"
        return self._call(ProgressOut, "GET", path)

    def study_progress(self, study: str) -> StudyProgressOut:
        """Say how far a study has come."""
        return self._call(StudyProgressOut, "GET", f"/v1/studies/{at(study)}/progress")

    def explain(self, study: str, topic: str, first: str, second: str) -> ExplanationOut:
        """Say how two documents compare, and why."""
        path = f"/v1/studies/{at(study)}/topics/{at(topic)}/explain"
        return self._call(ExplanationOut, "GET", path, query={"first": first, "second": second})

    def reliability(self, study: str, topic: str) -> list[ReliabilityOut]:
        """Say how far each worker's answers can be relied on, least first."""
        path = f"/v1/studies/{at(study)}/topics/{at(topic)}/reliability"
        return self._call(ReliabilitiesOut, "GET", path).workers

    def conflicts(self, study: str, topic: str) -> Iterator[ConflictOut]:
        """Yield what contradicts the rest of a topic's answers."""
        return self._pages(ConflictOut, f"/v1/studies/{at(study)}/topics/{at(topic)}/conflicts")

    def judgments(self, study: str, topic: str) -> Iterator[LogEntryOut]:
        """Yield a topic's log."""
        return self._pages(LogEntryOut, f"/v1/studies/{at(study)}/topics/{at(topic)}/judgments")

    def workers(self, study: str) -> Iterator[WorkerOut]:
        """Yield a study's workers."""
        return self._pages(WorkerOut, f"/v1/studies/{at(study)}/workers")

    def verdicts(self, study: str, worker: str) -> Iterator[VerdictOut]:
        """Yield what came of checking a worker."""
        path = f"/v1/studies/{at(study)}/workers/{at(worker)}/verdicts"
        return self._pages(VerdictOut, path)

    def change_worker(self, study: str, worker: str, status: WorkerStatus) -> WorkerOut:
        """Block a worker, or let them in again."""
        path = f"/v1/studies/{at(study)}/workers/{at(worker)}"
        return self._call(WorkerOut, "PATCH", path, {"status": status})

    def retract(self, study: str, retraction: RetractionIn) -> RetractionOut:
        """Take judgments back, or see what that would change."""
        path = f"/v1/studies/{at(study)}/retractions"
        return self._call(RetractionOut, "POST", path, dump(retraction))

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
        path = f"/v1/studies/{at(study)}/report"
        response = self._connection.send("GET", path, params=given(query), timeout=REPORT_SECONDS)
        return self._connection.read(ReportOut, response)

    def export(self, study: str, format: Format, **options: Any) -> Iterator[bytes]:
        """Yield a study's results as a file; see `open_export` for the options."""
        with self.open_export(study, format, **options) as content:
            yield from content

    @contextmanager
    def open_export(
        self,
        study: str,
        format: Format,
        *,
        topic: str | None = None,
        rating: str | None = None,
        levels: int | None = None,
        unjudged: bool | None = None,
        inferred: bool | None = None,
        pseudonyms: bool | None = None,
    ) -> Iterator[Export]:
        """Open a study's results as a file, which says what it leaves out."""
        query = {"topic": topic, "rating": rating, "levels": levels, "unjudged": unjudged}
        query |= {"inferred": inferred, "pseudonyms": pseudonyms}
        path = f"/v1/studies/{at(study)}/export/{format.value}"
        with self._connection.stream(path, given(query)) as response:
            yield Export(response)
