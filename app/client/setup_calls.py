"""Calls that set up studies and topics."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from nextpair.app.client.calls import CallGroup, dump_set_fields, path_segment, validated_body
from nextpair.app.schemas.judging import DesignOut
from nextpair.app.schemas.studies import StudyIn, StudyOut
from nextpair.app.schemas.topics import (
    DocumentIn,
    DocumentOut,
    GoldsIn,
    GoldsOut,
    TopicAddedOut,
    TopicHeadIn,
    TopicIn,
    TopicOut,
)
from nextpair.storage.rows import StudyStatus

JSONL = "application/jsonl"


class SetupCalls(CallGroup):
    """Calls that set up studies and topics."""

    def create_study(self, study: str | None = None, **settings: Any) -> StudyOut:
        """Add a study; the settings are those of `StudySettings`."""
        body = validated_body(StudyIn, {"id": study, **settings})
        return self._call(StudyOut, "POST", "/v1/studies", body, creates=True)

    def change_study(self, study: str, **changes: Any) -> StudyOut:
        """Change the settings of a study that may change while it runs."""
        return self._call(StudyOut, "PATCH", f"/v1/studies/{path_segment(study)}", changes)

    def studies(self) -> Iterator[StudyOut]:
        """Yield all studies."""
        return self._pages(StudyOut, "/v1/studies")

    def study(self, study: str) -> StudyOut:
        """Describe a study."""
        return self._call(StudyOut, "GET", f"/v1/studies/{path_segment(study)}")

    def add_topic(self, study: str, topic: TopicIn) -> TopicAddedOut:
        """Add a topic with all its documents."""
        path = f"/v1/studies/{path_segment(study)}/topics"
        return self._call(TopicAddedOut, "POST", path, dump_set_fields(topic), creates=True)

    def upload_topic(
        self, study: str, topic: TopicHeadIn, documents: Callable[[], Iterable[DocumentIn]]
    ) -> TopicAddedOut:
        """Add a topic whose documents are streamed, however many they are.

        Parameters
        ----------
        documents
            Yields the documents; called again if the upload is retried.
        """

        def lines() -> Iterator[bytes]:
            for shape in (topic, *documents()):
                yield shape.model_dump_json(exclude_unset=True).encode() + b"\n"

        path = f"/v1/studies/{path_segment(study)}/topics.jsonl"
        response = self._connection.send(
            "POST", path, content=lines, headers={"Content-Type": JSONL}
        )
        return self._connection.read(TopicAddedOut, response)

    def add_golds(self, study: str, topic: str, golds: GoldsIn) -> GoldsOut:
        """Add gold questions: traps among the work, or a quiz before it."""
        path = f"/v1/studies/{path_segment(study)}/topics/{path_segment(topic)}/golds"
        return self._call(GoldsOut, "POST", path, dump_set_fields(golds))

    def design(self, study: str) -> DesignOut:
        """Return what a study asks of its workers."""
        return self._call(DesignOut, "GET", f"/v1/studies/{path_segment(study)}/design")

    def topics(self, study: str) -> Iterator[TopicOut]:
        """Yield a study's topics."""
        return self._pages(TopicOut, f"/v1/studies/{path_segment(study)}/topics")

    def topic(self, study: str, topic: str) -> TopicOut:
        """Describe a topic."""
        return self._call(
            TopicOut, "GET", f"/v1/studies/{path_segment(study)}/topics/{path_segment(topic)}"
        )

    def documents(self, study: str, topic: str) -> Iterator[DocumentOut]:
        """Yield a topic's documents, in the order in which they were given."""
        return self._pages(
            DocumentOut, f"/v1/studies/{path_segment(study)}/topics/{path_segment(topic)}/documents"
        )

    def change_topic(self, study: str, topic: str, status: StudyStatus) -> TopicOut:
        """Open, pause or close a topic."""
        path = f"/v1/studies/{path_segment(study)}/topics/{path_segment(topic)}"
        return self._call(TopicOut, "PATCH", path, {"status": status})
