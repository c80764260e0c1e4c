"""Uploads: topics stored in many small transactions, which one last transaction lets be seen.

Until then they belong to a study without a name: whoever reads topics does so by their study, no
study's list has this one, and no path can name it. Nothing that is stored is written again: only
the topics' own rows change at the end.
"""

import time
from collections.abc import Iterable, Mapping
from itertools import islice

from sqlalchemy import delete, exists, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.orm import aliased

from nextpair.storage.clock import database_time
from nextpair.storage.database import Connection
from nextpair.storage.errors import Unavailable
from nextpair.storage.rows import StudyStatus
from nextpair.storage.tables import DocumentTable, StudyTable, TopicTable, UploadTable

NOWHERE = ""
"""The name of the study that topics belong to until they are seen."""
LEASE_SECONDS = 900.0
"""How long after its last transaction an upload is taken for dead."""
REMOVED_AT_ONCE = 8
"""Documents that one statement removes."""
REMOVING_SECONDS = 0.005
"""How long a transaction goes on removing documents."""
_BATCH = 500


def begin(connection: Connection, upload_id: str) -> None:
    """Begin an upload, under an id that nobody has ever had."""
    into = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
    values = {"name": NOWHERE, "settings": {}, "status": StudyStatus.CLOSED, "version": 0}
    nowhere = into(StudyTable).values(**values, created_at=0.0).on_conflict_do_nothing()
    connection.execute(nowhere)
    values = {"id": upload_id, "renewed_at": database_time(connection), "abandoned": False}
    connection.execute(insert(UploadTable).values(values))


def renew(connection: Connection, upload_id: str) -> None:
    """Let an upload live on; raise if it was taken for dead, so that nothing is added to it."""
    lives = (UploadTable.id == upload_id, UploadTable.abandoned.is_(False))
    values = {"renewed_at": database_time(connection)}
    if not connection.execute(update(UploadTable).where(*lives).values(values)).rowcount:
        raise Unavailable("the upload took too long, and nothing of it is kept; send it again")


def stage_topic(connection: Connection, upload_id: str, values: Mapping[str, object]) -> int:
    """Add a topic that cannot be seen yet, without its documents."""
    nowhere = select(StudyTable.id).where(StudyTable.name == NOWHERE).scalar_subquery()
    staged = {
        **values,
        "study_id": nowhere,
        "status": StudyStatus.OPEN,
        "name": _prefix(upload_id) + str(values["name"]),
        "upload_id": upload_id,
    }
    added = insert(TopicTable).values(staged).returning(TopicTable.id)
    return int(connection.execute(added).scalar_one())


def publish(connection: Connection, upload_id: str, study_id: int) -> int:
    """Let a study have the topics of an upload, except those that it has by now; count them."""
    renew(connection, upload_id)
    name = func.substr(TopicTable.name, len(_prefix(upload_id)) + 1)
    other = aliased(TopicTable)
    is_there = exists().where(other.study_id == study_id, other.name == name)
    staged = update(TopicTable).where(TopicTable.upload_id == upload_id, ~is_there)
    published = connection.execute(staged.values(study_id=study_id, name=name, upload_id=None))
    _forget_if_empty(connection, upload_id)
    return published.rowcount


def abandon(connection: Connection, upload_id: str) -> None:
    """Have what an upload has stored removed."""
    connection.execute(
        update(UploadTable).where(UploadTable.id == upload_id).values(abandoned=True)
    )


def abandon_silent(connection: Connection) -> None:
    """Have removed what uploads have stored of which nothing was heard for long."""
    silent = UploadTable.renewed_at < database_time(connection) - LEASE_SECONDS
    live = UploadTable.abandoned.is_(False)
    connection.execute(update(UploadTable).where(live, silent).values(abandoned=True))


def any_upload(connection: Connection, upload_id: str | None = None) -> bool:
    """Say whether an upload, or any at all, has not come to its end."""
    found = select(UploadTable.id).limit(1)
    if upload_id is not None:
        found = found.where(UploadTable.id == upload_id)
    return connection.execute(found).scalar_one_or_none() is not None


def remove_part(connection: Connection, upload_id: str | None = None) -> bool:
    """Remove some of what an abandoned upload, or any, has stored; say whether there was one."""
    found = select(UploadTable.id).where(UploadTable.abandoned.is_(True)).limit(1)
    if upload_id is not None:
        found = found.where(UploadTable.id == upload_id)
    upload_id = connection.execute(found).scalar_one_or_none()
    if upload_id is None:
        return False
    until = time.monotonic() + REMOVING_SECONDS
    while _remove_some(connection, upload_id) and time.monotonic() < until:
        pass
    _forget_if_empty(connection, upload_id)
    return True


def fingerprints(connection: Connection, study_id: int, names: Iterable[str]) -> dict[str, str]:
    """Return what the content of topics is known by, of those of these names that are there."""
    waiting, found = iter(names), dict[str, str]()
    while batch := list(islice(waiting, _BATCH)):
        some = select(TopicTable.name, TopicTable.fingerprint).where(
            TopicTable.study_id == study_id, TopicTable.name.in_(batch)
        )
        found |= {name: fingerprint for name, fingerprint in connection.execute(some)}
    return found


def _remove_some(connection: Connection, upload_id: str) -> bool:
    """Remove a few documents of an upload, or a topic that has none left."""
    first = select(TopicTable.id).where(TopicTable.upload_id == upload_id).limit(1)
    topic_id = connection.execute(first).scalar_one_or_none()
    if topic_id is None:
        return False
    of_topic = DocumentTable.topic_id == topic_id
    some = select(DocumentTable.position).where(of_topic).limit(REMOVED_AT_ONCE).scalar_subquery()
    removed = connection.execute(
        delete(DocumentTable).where(of_topic, DocumentTable.position.in_(some))
    )
    if not removed.rowcount:
        connection.execute(delete(TopicTable).where(TopicTable.id == topic_id))
    return True


def _forget_if_empty(connection: Connection, upload_id: str) -> None:
    left = exists().where(TopicTable.upload_id == upload_id)
    connection.execute(delete(UploadTable).where(UploadTable.id == upload_id, ~left))


def _prefix(upload_id: str) -> str:
    # The same name may be on its way in several uploads.
    return f"{upload_id} "
