"""Setting up: studies, topics with their documents, and workers."""

import hashlib
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nextpair.app.designs.base import Shape
from nextpair.app.errors import ContentConflict, TooLarge, UnknownStudy, UnknownWorker
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.studies.study import Study, StudySettings, read_settings, study_of
from nextpair.selectors.state.documents import Document, Documents
from nextpair.selectors.state.topic_state import Topic
from nextpair.storage import keys, studies, topics
from nextpair.storage.database import Connection
from nextpair.storage.errors import AlreadyThere
from nextpair.storage.rows import (
    DocumentRow,
    StudyRow,
    StudyStatus,
    WorkerRow,
    WorkerStatus,
)


@dataclass(frozen=True, slots=True)
class IdempotentCall:
    """A creating call: who makes it, and what makes its repetition known."""

    key_id: str
    idempotency_key: str | None
    fingerprint: str


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic to be added."""

    name: str
    title: str
    description: str
    narrative: str
    seed: int | None
    documents: Sequence[DocumentRow]
    understanding: Mapping[str, Any] | None = None


def fingerprint(*parts: object) -> str:
    """Return a short text that is the same exactly for the same content."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


Create = Callable[[Connection], dict[str, Any]]


def run_idempotently(
    service: ServiceContext, call: IdempotentCall, create: Create, now: float
) -> tuple[dict[str, Any], bool]:
    """Do a creating call, or answer as when it was done; say whether it was done now."""
    try:
        return _once(service, call, create, now)
    except AlreadyThere:
        # Someone else was faster: look again at what is there now.
        return _once(service, call, create, now)


def _once(
    service: ServiceContext, call: IdempotentCall, create: Create, now: float
) -> tuple[dict[str, Any], bool]:
    with service.database.write() as connection:
        if call.idempotency_key is None:
            return create(connection), True
        earlier = keys.find_request(connection, call.key_id, call.idempotency_key)
        if earlier is not None:
            if earlier[0] != call.fingerprint:
                raise ContentConflict("the Idempotency-Key was used for another call before")
            return earlier[1], False
        answer = create(connection)
        keys.add_request(
            connection, call.key_id, call.idempotency_key, call.fingerprint, answer, now
        )
        return answer, True


def add_study(
    connection: Connection, name: str | None, settings: StudySettings, now: float
) -> StudyRow:
    """Add a study; one of the same name and settings may be there already."""
    settings.check()
    name = name or f"study-{secrets.token_hex(4)}"
    kept = settings.model_dump(mode="json")
    existing = studies.find_study(connection, name)
    if existing is None:
        return studies.add_study(connection, name, kept, now)
    # What was kept by an earlier version lacks what has been added since.
    if read_settings(existing.settings).model_dump(mode="json") != kept:
        raise ContentConflict(f"study {name!r} is there already, with other settings")
    return existing


def change_study(service: ServiceContext, name: str, changes: Mapping[str, Any]) -> Study:
    """Change what may change about a study while it runs."""
    with service.database.write() as connection:
        row = studies.lock_study(connection, name)
        if row is None:
            raise UnknownStudy(f"there is no study {name!r}")
        status = changes.get("status", row.status)
        rest = {key: value for key, value in changes.items() if key != "status"}
        settings = read_settings({**row.settings, **rest})
        settings.make_platform()
        studies.change_study(connection, row.id, settings.model_dump(mode="json"), status)
        return study_of(studies.get_study(connection, row.id))


def check_topic(service: ServiceContext, study: str, new: NewTopic) -> None:
    """Refuse a topic that is too large, or that the study's selector cannot work on."""
    most, longest = service.settings.max_documents, service.settings.max_text
    if len(new.documents) > most:
        raise TooLarge(f"a topic has at most {most:,} documents, this one has more")
    for document in new.documents:
        check_length(document, longest)
    with service.database.read() as connection:
        found = service.study(connection, service.study_id(study))
    documents = [Document(one.name, one.features or {}, one.prior) for one in new.documents]
    if found.design.shape is Shape.SINGLE:
        Documents(documents)
    else:
        Topic(documents, found.settings.for_topic(0))


def check_length(document: DocumentRow, longest: int) -> None:
    """Refuse a document that is too long."""
    length = max(len(document.text), len(document.html or ""))
    if length > longest:
        raise TooLarge(
            f"document {document.name!r} has {length:,} characters, at most {longest:,} are allowed"
        )


def set_topic_status(service: ServiceContext, topic_id: int, status: StudyStatus) -> None:
    """Open, pause or close a topic."""
    with service.topics.hold(topic_id), service.database.write() as connection:
        topics.lock_topic(connection, topic_id)
        topics.set_topic_status(connection, topic_id, status)


def set_worker_status(
    service: ServiceContext, study_id: int, worker: str, status: WorkerStatus
) -> WorkerRow:
    """Block a worker, or let them in again."""
    with service.database.write() as connection:
        row = studies.find_worker(connection, study_id, worker)
        if row is None:
            raise UnknownWorker(f"the study has no worker {worker!r}")
        studies.set_worker_status(connection, row.id, status)
        studies.touch_study(connection, study_id)
        return studies.get_worker(connection, row.id)
