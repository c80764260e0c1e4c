"""Calls that set studies and topics up."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from nextpair.app.client.calls import Calls, at, checked, dump
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
from nextpair.storage.rows import Status

JSONL = "application/jsonl"


class SettingUp(Calls):
    """Calls that set studies and topics up."""

    def create_study(self, study: str | None = None, **settings: Any) -> StudyOut:
        """Add a study; the settings are those of `StudySettings`."""
        body = checked(StudyIn, {"id": study, **settings})
        return self._call(StudyOut, "POST", "/v1/studies", body, creates=True)

    def change_study(self, study: str, **changes: Any) -> StudyOut:
        """Change what may change while a study runs."""
        return self._call(StudyOut, "PATCH", f"/v1/studies/{at(study)}", changes)

    def studies(self) -> Iterator[StudyOut]:
        """Yield all studies."""
        return self._pages(StudyOut, "/v1/studies")

    def study(self, study: str) -> StudyOut:
        """Describe a study."""
        return self._call(StudyOut, "GET", f"/v1/studies/{at(study)}")

    def add_topic(self, study: str, topic: TopicIn) -> TopicAddedOut:
        """Add a topic with all its documents."""
        path = f"/v1/studies/{at(study)}/topics"
        return self._call(TopicAddedOut, "POST", path, dump(topic), creates=True)

    def upload_topic(
        self, study: str, topic: TopicHeadIn, documents: Callable[[], Iterable[DocumentIn]]
    ) -> TopicAddedOut:
        """Add a topic whose documents are sent one by one, however many they are.

        Parameters
        ----------
        documents
            Begins to yield them; called again if the upload has to be.
        """

        def lines() -> Iterator[bytes]:
            for shape in (topic, *documents()):
                yield shape.model_dump_json(exclude_unset=True).encode() + b"\n"

        path = f"/v1/studies/{at(study)}/topics.jsonl"
        response = self._connection.send(
            "POST", path, content=lines, headers={"Content-Type": JSONL}
        )
        return self._connection.read(TopicAddedOut, response)

    def add_golds(self, study: str, topic: str, golds: GoldsIn) -> GoldsOut:
        """Add questions whose answers are known: traps among the work, or a quiz before it."""
        path = f"/v1/studies/{at(study)}/topics/{at(topic)}/golds"
        return self._call(GoldsOut, "POST", path, dump(golds))

    def design(self, study: str) -> DesignOut:
        """Say what a worker's page asks for."""
        return self._call(DesignOut, "GET", f"/v1/studies/{at(study)}/design")

    def topics(self, study: str) -> Iterator[TopicOut]:
        """Yield a study's topics."""
        return self._pages(TopicOut, f"/v1/studies/{at(study)}/topics")

    def topic(self, study: str, topic: str) -> TopicOut:
        """Describe a topic."""
        return self._call(TopicOut, "GET", f"/v1/studies/{at(study)}/topics/{at(topic)}")

    def documents(self, study: str, topic: str) -> Iterator[DocumentOut]:
        """Yield a topic's documents, in the order in which they were given."""
        return self._pages(DocumentOut, f"/v1/studies/{at(study)}/topics/{at(topic)}/documents")

    def change_topic(self, study: str, topic: str, status: Status) -> TopicOut:
        """Open, pause or close a topic."""
        path = f"/v1/studies/{at(study)}/topics/{at(topic)}"
        return self._call(TopicOut, "PATCH", path, {"status": status})
