"""Calls for results: rankings, progress, logs, reports, exports; and retractions."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from nextpair.app.client.calls import CallGroup, dump_set_fields, path_segment, query_parameters
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
"""The timeout of a report, which folds the whole log again."""


class Export:
    """The bytes of an export as they arrive.

    Parameters
    ----------
    unjudged
        The number of unjudged documents of the topics.
    """

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.unjudged = int(response.headers.get(UNJUDGED, 0))

    def __iter__(self) -> Iterator[bytes]:
        return self._response.iter_bytes()


class ResultCalls(CallGroup):
    """Calls for results: rankings, progress, logs, reports, exports; and retractions."""

    def ranking(self, study: str, topic: str, rating: str | None = None) -> RankingOut:
        """Rank a topic's documents."""
        query = {} if rating is None else {"rating": rating}
        path = f"/v1/studies/{path_segment(study)}/topics/{path_segment(topic)}/ranking"
        return self._call(RankingOut, "GET", path, query=query)

    def progress(self, study: str, topic: str) -> ProgressOut:
        """Return the progress of a topic."""
        path = f"/v1/studies/{path_segment(study)}/topics/{path_segment(topic)}/progress"
        return self._call(ProgressOut, "GET", path)

    def study_progress(self, study: str) -> StudyProgressOut:
        """Return the progress of a study."""
        return self._call(StudyProgressOut, "GET", f"/v1/studies/{path_segment(study)}/progress")

    def explain(self, study: str, topic: str, first: str, second: str) -> ExplanationOut:
        """Explain how two documents compare."""
        path = f"/v1/studies/{path_segment(study)}/topics/{path_segment(topic)}/explain"
        return self._call(ExplanationOut, "GET", path, query={"first": first, "second": second})

    def reliability(self, study: str, topic: str) -> list[ReliabilityOut]:
        """Return the reliability of each worker, least first."""
        path = f"/v1/studies/{path_segment(study)}/topics/{path_segment(topic)}/reliability"
        return self._call(ReliabilitiesOut, "GET", path).workers

    def conflicts(self, study: str, topic: str) -> Iterator[ConflictOut]:
        """Yield the findings that contradict a topic's order."""
        return self._pages(
            ConflictOut, f"/v1/studies/{path_segment(study)}/topics/{path_segment(topic)}/conflicts"
        )

    def judgments(self, study: str, topic: str) -> Iterator[LogEntryOut]:
        """Yield a topic's log."""
        return self._pages(
            LogEntryOut, f"/v1/studies/{path_segment(study)}/topics/{path_segment(topic)}/judgments"
        )

    def workers(self, study: str) -> Iterator[WorkerOut]:
        """Yield a study's workers."""
        return self._pages(WorkerOut, f"/v1/studies/{path_segment(study)}/workers")

    def verdicts(self, study: str, worker: str) -> Iterator[VerdictOut]:
        """Yield the verdicts on a worker."""
        path = f"/v1/studies/{path_segment(study)}/workers/{path_segment(worker)}/verdicts"
        return self._pages(VerdictOut, path)

    def change_worker(self, study: str, worker: str, status: WorkerStatus) -> WorkerOut:
        """Block a worker, or unblock them."""
        path = f"/v1/studies/{path_segment(study)}/workers/{path_segment(worker)}"
        return self._call(WorkerOut, "PATCH", path, {"status": status})

    def retract(self, study: str, retraction: RetractionIn) -> RetractionOut:
        """Retract judgments, or preview what that would change."""
        path = f"/v1/studies/{path_segment(study)}/retractions"
        return self._call(RetractionOut, "POST", path, dump_set_fields(retraction))

    def report(
        self,
        study: str,
        *,
        topic: str | None = None,
        rating: str | None = None,
        points: int | None = None,
        pseudonyms: bool | None = None,
    ) -> ReportOut:
        """Return the report on a study; for a large one that takes a while."""
        query = {"topic": topic, "rating": rating, "points": points, "pseudonyms": pseudonyms}
        path = f"/v1/studies/{path_segment(study)}/report"
        response = self._connection.send(
            "GET", path, params=query_parameters(query), timeout=REPORT_SECONDS
        )
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
        """Open a study's results as a file, with the number of unjudged documents."""
        query = {"topic": topic, "rating": rating, "levels": levels, "unjudged": unjudged}
        query |= {"inferred": inferred, "pseudonyms": pseudonyms}
        path = f"/v1/studies/{path_segment(study)}/export/{format.value}"
        with self._connection.stream(path, query_parameters(query)) as response:
            yield Export(response)
