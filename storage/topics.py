"""Topics and their documents."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from itertools import islice
from typing import Any

from sqlalchemy import BigInteger, bindparam, func, insert, select, update

from nextpair.storage.database import Connection
from nextpair.storage.rows import FIRST_GOLD_POSITION, DocumentRow, StudyStatus, TopicHead, TopicRow
from nextpair.storage.tables import DocumentTable, StudyTable, TopicTable

_BATCH = 500
_TOPIC: tuple[Any, ...] = (
    TopicTable.id,
    TopicTable.study_id,
    TopicTable.name,
    TopicTable.title,
    TopicTable.description,
    TopicTable.narrative,
    TopicTable.seed,
    TopicTable.documents,
    TopicTable.fingerprint,
    TopicTable.status,
    TopicTable.version,
    TopicTable.position,
    TopicTable.asked,
    TopicTable.created_at,
    TopicTable.golds,
    TopicTable.understanding,
)
_DOCUMENT: tuple[Any, ...] = (
    DocumentTable.position,
    DocumentTable.name,
    DocumentTable.title,
    DocumentTable.text,
    DocumentTable.html,
    DocumentTable.url,
    DocumentTable.features,
    DocumentTable.prior,
)
_TITLE = (
    DocumentTable.position,
    DocumentTable.name,
    DocumentTable.title,
    DocumentTable.url,
    DocumentTable.prior,
)
HEAD: tuple[Any, ...] = (
    TopicTable.study_id,
    StudyTable.version,
    StudyTable.status,
    TopicTable.status,
    TopicTable.version,
    TopicTable.position,
    TopicTable.asked,
    TopicTable.golds,
)
# An id is easily guessed: what is being uploaded is nobody's to remember yet.
_MEANT = (TopicTable.id == bindparam("id"), TopicTable.upload_id.is_(None))
_HEAD = select(*HEAD).join(StudyTable, StudyTable.id == TopicTable.study_id).where(*_MEANT)
_LOCKED_HEAD = _HEAD.with_for_update(of=TopicTable)
_BY_NAME = select(*_TOPIC).where(
    TopicTable.study_id == bindparam("study"), TopicTable.name == bindparam("name")
)
_STUDY_VERSION = (
    select(StudyTable.version).where(StudyTable.id == TopicTable.study_id).scalar_subquery()
)
COMPARE_AND_SWAP = (
    update(TopicTable)
    .where(
        TopicTable.id == bindparam("topic"),
        TopicTable.version == bindparam("seen"),
        bindparam("study_seen", type_=BigInteger) == _STUDY_VERSION,
    )
    .values(version=bindparam("to"), position=bindparam("log"), asked=bindparam("handed"))
)
_PAIR = select(*_DOCUMENT).where(
    DocumentTable.topic_id == bindparam("topic"),
    DocumentTable.position.in_(bindparam("positions", expanding=True)),
)


def lock_topic(connection: Connection, topic_id: int) -> TopicHead | None:
    """Take the topic's lock, and say how far it has come.

    Whoever holds the lock alone writes to the topic, so numbers appear in the order of commits.
    """
    row = connection.execute(_LOCKED_HEAD, {"id": topic_id}).one_or_none()
    return TopicHead(*row) if row else None


def topic_head(connection: Connection, topic_id: int) -> TopicHead:
    """Say how far a topic has come."""
    return TopicHead(*connection.execute(_HEAD, {"id": topic_id}).one())


def compare_and_swap(connection: Connection, topic_id: int, seen: TopicHead, to: TopicHead) -> bool:
    """Move a topic on from what was seen of it, and take its lock; say if that still was true.

    Nothing has happened if another process has moved it, or changed its study, since then.
    """
    return connection.execute(COMPARE_AND_SWAP, swap_parameters(topic_id, seen, to)).rowcount == 1


def swap_parameters(topic_id: int, seen: TopicHead, to: TopicHead) -> dict[str, int]:
    """Return what moving a topic on is told."""
    return {
        "topic": topic_id,
        "seen": seen.version,
        "study_seen": seen.study_version,
        "to": to.version,
        "log": to.position,
        "handed": to.asked,
    }


def set_topic_status(connection: Connection, topic_id: int, status: str) -> None:
    """Open or close a topic."""
    connection.execute(
        update(TopicTable)
        .where(TopicTable.id == topic_id)
        .values(status=status, version=TopicTable.version + 1)
    )


def find_topic(connection: Connection, study_id: int, name: str) -> TopicRow | None:
    """Return the topic of this name."""
    row = connection.execute(_BY_NAME, {"study": study_id, "name": name}).one_or_none()
    return TopicRow(*row) if row else None


def get_topic(connection: Connection, topic_id: int) -> TopicRow:
    """Return the topic of this id."""
    return TopicRow(*connection.execute(select(*_TOPIC).where(TopicTable.id == topic_id)).one())


def list_topics(
    connection: Connection, study_id: int, after: str = "", limit: int | None = None
) -> list[TopicRow]:
    """List a study's topics by name, from the first one after a name."""
    found = (
        select(*_TOPIC)
        .where(TopicTable.study_id == study_id, TopicTable.name > after)
        .order_by(TopicTable.name)
        .limit(limit)
    )
    return [TopicRow(*row) for row in connection.execute(found)]


def topic_versions(connection: Connection, study_id: int) -> list[tuple[int, int]]:
    """List the topics of a study that are not closed, with their versions."""
    found = (
        select(TopicTable.id, TopicTable.version)
        .where(TopicTable.study_id == study_id, TopicTable.status != StudyStatus.CLOSED)
        .order_by(TopicTable.id)
    )
    return [(topic_id, version) for topic_id, version in connection.execute(found)]


def topic_positions(
    connection: Connection, study_ids: Iterable[int]
) -> list[tuple[int, int, int, int]]:
    """Return of each topic of some studies: the study, its id, its documents, its log's length."""
    found = select(
        TopicTable.study_id, TopicTable.id, TopicTable.documents, TopicTable.position
    ).where(TopicTable.study_id.in_(list(study_ids)))
    return [(*row,) for row in connection.execute(found)]


def add_topic(
    connection: Connection,
    study_id: int,
    values: Mapping[str, object],
    documents: Iterable[DocumentRow],
) -> int:
    """Add a topic with all its documents."""
    row = {"study_id": study_id, "status": StudyStatus.OPEN, **values}
    topic_id = connection.execute(
        insert(TopicTable).values(row).returning(TopicTable.id)
    ).scalar_one()
    add_documents(connection, topic_id, documents)
    return topic_id


def add_documents(connection: Connection, topic_id: int, documents: Iterable[DocumentRow]) -> None:
    """Add documents to a topic."""
    waiting = iter(documents)
    while batch := list(islice(waiting, _BATCH)):
        connection.execute(
            insert(DocumentTable),
            [{"topic_id": topic_id, **asdict(document)} for document in batch],
        )


def positions_of(connection: Connection, topic_id: int, names: Iterable[str]) -> dict[str, int]:
    """Return where some documents stand, by their names."""
    found = select(DocumentTable.name, DocumentTable.position).where(
        DocumentTable.topic_id == topic_id, DocumentTable.name.in_(list(names))
    )
    return {name: position for name, position in connection.execute(found)}


def gold_document_names(connection: Connection, topic_id: int) -> dict[int, str]:
    """Return the names of the documents outside the pool, by their positions."""
    found = select(DocumentTable.position, DocumentTable.name).where(
        DocumentTable.topic_id == topic_id, DocumentTable.position >= FIRST_GOLD_POSITION
    )
    return {position: name for position, name in connection.execute(found)}


def last_gold_position(connection: Connection, topic_id: int) -> int:
    """Return the last position of a document outside the pool; that before the first if none."""
    found = select(func.max(DocumentTable.position)).where(
        DocumentTable.topic_id == topic_id, DocumentTable.position >= FIRST_GOLD_POSITION
    )
    last = connection.execute(found).scalar_one()
    return FIRST_GOLD_POSITION - 1 if last is None else int(last)


def list_documents(
    connection: Connection, topic_id: int, after: int = -1, limit: int | None = None
) -> list[DocumentRow]:
    """List a topic's documents, from the first one after a position."""
    found = _listed(_DOCUMENT, topic_id, after, limit)
    return [DocumentRow(*row) for row in connection.execute(found)]


def list_titles(
    connection: Connection, topic_id: int, after: int = -1, limit: int | None = None
) -> list[DocumentRow]:
    """List a topic's documents as if they had no text: texts are most of what there is to read."""
    found = _listed(_TITLE, topic_id, after, limit)
    return [
        DocumentRow(position, name, title, "", None, url, None, prior)
        for position, name, title, url, prior in connection.execute(found)
    ]


def _listed(columns: tuple[Any, ...], topic_id: int, after: int, limit: int | None) -> Any:
    inside = (
        DocumentTable.topic_id == topic_id,
        DocumentTable.position > after,
        DocumentTable.position < FIRST_GOLD_POSITION,
    )
    return select(*columns).where(*inside).order_by(DocumentTable.position).limit(limit)


def documents_at(
    connection: Connection, topic_id: int, positions: Iterable[int]
) -> dict[int, DocumentRow]:
    """Return the documents at some positions."""
    given = {"topic": topic_id, "positions": list(positions)}
    return {row[0]: DocumentRow(*row) for row in connection.execute(_PAIR, given)}


def outlines(
    connection: Connection, topic_id: int
) -> list[tuple[str, dict[str, float | None] | None, float | None]]:
    """List each document's name, features and prior, without its text."""
    found = (
        select(DocumentTable.name, DocumentTable.features, DocumentTable.prior)
        .where(DocumentTable.topic_id == topic_id, DocumentTable.position < FIRST_GOLD_POSITION)
        .order_by(DocumentTable.position)
    )
    return [(name, features, prior) for name, features, prior in connection.execute(found)]
