"""Topics on their way in: stored in many small transactions, and seen after one last one.

Documents may be 200 MB, and to write those takes a second: nobody who judges is to wait for that.
So they are stored a part at a time under topics that nobody can see yet, and whoever waits for the
database has it in between. What was stored in vain is removed in the same way.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from nextpair.app.errors import ContentConflict, StudyClosed, UnknownStudy
from nextpair.app.provisioning.parts import Draft, UploadPart, content_of, parts
from nextpair.app.provisioning.setup import IdempotentCall, NewTopic, run_idempotently
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.studies.study import read_settings
from nextpair.storage import studies, topics, uploads
from nextpair.storage.database import Connection, Database
from nextpair.storage.errors import AlreadyThere, StorageError
from nextpair.storage.rows import StudyRow, StudyStatus

Publish = Callable[[Connection], list[str]]
"""Lets staged topics be seen, in a transaction; returns which of them were not there before."""


def add_topic(
    service: ServiceContext, call: IdempotentCall, study: str, new: NewTopic, now: float
) -> tuple[dict[str, Any], bool]:
    """Add a topic with all its documents; the same one may be there already.

    Return its name and whether it is new, and whether the call was done now.
    """
    with staged(service, study, [new], now) as publish:

        def create(connection: Connection) -> dict[str, Any]:
            return {"name": new.name, "new": bool(publish(connection))}

        return run_idempotently(service, call, create, now)


def add_topics(
    service: ServiceContext,
    study: str,
    new: Sequence[NewTopic],
    now: float,
    *,
    dry_run: bool = False,
) -> list[str]:
    """Add topics, all or none; return which of them were not there before.

    Parameters
    ----------
    dry_run
        Only to see whether it could be done: nothing is stored.
    """
    if dry_run:
        drafts = [Draft(one, content_of(one)) for one in new]
        with service.database.read() as connection:
            return [draft.name for draft in _missing(connection, study, drafts)[1]]
    with staged(service, study, new, now) as publish:
        call = IdempotentCall("", None, "")
        answer, _ = run_idempotently(
            service, call, lambda connection: {"new": publish(connection)}, now
        )
    added: list[str] = answer["new"]
    return added


@contextmanager
def staged(
    service: ServiceContext, study: str, new: Sequence[NewTopic], now: float
) -> Iterator[Publish]:
    """Store topics where nobody sees them; yield what lets them be seen.

    Whatever has not been published in the end is removed. What fits into one small transaction is
    only written in that which publishes it.
    """
    drafts = [Draft(one, content_of(one)) for one in new]
    with service.database.read() as connection:
        row, missing = _missing(connection, study, drafts)
    stored = [*parts(missing)]
    if len(stored) <= 1:
        yield lambda connection: _add_at_once(connection, study, drafts, now)
        return
    upload_id = secrets.token_hex(16)
    try:
        _store(service.database, upload_id, row, stored, now)
        yield lambda connection: _publish(connection, upload_id, study, drafts)
    finally:
        _discard(service.database, upload_id)


def sweep(database: Database, stopping: Callable[[], bool] = lambda: False) -> None:
    """Remove what uploads have left behind that ended without a word, a little at a time."""
    if database.outdated:
        return
    with database.read() as connection:
        if not uploads.any_upload(connection):
            return
    with database.write_part() as connection:
        uploads.abandon_silent(connection)
    more = True
    while more and not stopping():
        with database.write_part() as connection:
            more = uploads.remove_part(connection)


def _missing(
    connection: Connection, study: str, drafts: Sequence[Draft]
) -> tuple[StudyRow, list[Draft]]:
    """Return which topics a study does not have; raise where it cannot be given one."""
    row = studies.find_study(connection, study)
    if row is None:
        raise UnknownStudy(f"there is no study {study!r}")
    known = uploads.fingerprints(connection, row.id, [draft.name for draft in drafts])
    missing = []
    for draft in drafts:
        if known.get(draft.name, draft.fingerprint) != draft.fingerprint:
            raise ContentConflict(f"topic {draft.name!r} is there already, with other content")
        if draft.name in known:
            continue
        if row.status == StudyStatus.CLOSED:
            raise StudyClosed(f"study {study!r} is closed")
        missing.append(draft)
    return row, missing


def _add_at_once(
    connection: Connection, study: str, drafts: Sequence[Draft], now: float
) -> list[str]:
    row, missing = _missing(connection, study, drafts)
    for draft in missing:
        topics.add_topic(connection, row.id, _values(row, draft, now), draft.new.documents)
    return [draft.name for draft in missing]


def _publish(
    connection: Connection, upload_id: str, study: str, drafts: Sequence[Draft]
) -> list[str]:
    # Others may have stored the same since, or closed the study.
    row, missing = _missing(connection, study, drafts)
    if uploads.publish(connection, upload_id, row.id) != len(missing):
        # PostgreSQL lets others store between two statements, and perhaps other content.
        raise AlreadyThere()
    return [draft.name for draft in missing]


def _store(
    database: Database, upload_id: str, row: StudyRow, stored: Sequence[UploadPart], now: float
) -> None:
    ids: dict[str, int] = {}
    with database.write_part() as connection:
        uploads.begin(connection, upload_id)
    for part in stored:
        with database.write_part() as connection:
            uploads.renew(connection, upload_id)
            for draft, documents in part.pieces:
                if draft.name not in ids:
                    values = _values(row, draft, now)
                    ids[draft.name] = uploads.stage_topic(connection, upload_id, values)
                topics.add_documents(connection, ids[draft.name], documents)


def _discard(database: Database, upload_id: str) -> None:
    """Remove what is left of an upload; what cannot be removed now is swept later."""
    with suppress(StorageError):
        with database.read() as connection:
            more = uploads.any_upload(connection, upload_id)
        if more:
            with database.write_part() as connection:
                uploads.abandon(connection, upload_id)
        while more:
            with database.write_part() as connection:
                more = uploads.remove_part(connection, upload_id)


def _values(row: StudyRow, draft: Draft, now: float) -> Mapping[str, object]:
    new = draft.new
    return {
        "name": new.name,
        "title": new.title,
        "description": new.description,
        "narrative": new.narrative,
        "seed": _seed(row, new.name) if new.seed is None else new.seed,
        "documents": len(new.documents),
        "fingerprint": draft.fingerprint,
        "version": 0,
        "position": 0,
        "asked": 0,
        "golds": 0,
        "understanding": None if new.understanding is None else dict(new.understanding),
        "created_at": now,
    }


def _seed(row: StudyRow, name: str) -> int:
    seed = read_settings(row.settings).seed
    return int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:6])
