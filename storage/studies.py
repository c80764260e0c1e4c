"""Studies, and the workers of each."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from nextpair.storage.database import Connection
from nextpair.storage.rows import StudyRow, StudyStatus, WorkerRow, WorkerStatus
from nextpair.storage.tables import AssignmentTable, StudyTable, WorkerTable

_STUDY: tuple[Any, ...] = (
    StudyTable.id,
    StudyTable.name,
    StudyTable.settings,
    StudyTable.status,
    StudyTable.version,
    StudyTable.created_at,
)
_WORKER: tuple[Any, ...] = (
    WorkerTable.id,
    WorkerTable.name,
    WorkerTable.status,
    WorkerTable.created_at,
)
_BY_NAME = select(*_STUDY).where(StudyTable.name == bindparam("name"))
_BY_ID = select(*_STUDY).where(StudyTable.id == bindparam("id"))
_FIND_WORKER = select(*_WORKER).where(
    WorkerTable.study_id == bindparam("study"), WorkerTable.name == bindparam("name")
)


def find_study(connection: Connection, name: str) -> StudyRow | None:
    """Return the study of this name."""
    row = connection.execute(_BY_NAME, {"name": name}).one_or_none()
    return StudyRow(*row) if row else None


def get_study(connection: Connection, study_id: int) -> StudyRow:
    """Return the study of this id."""
    return StudyRow(*connection.execute(_BY_ID, {"id": study_id}).one())


def lock_study(connection: Connection, name: str) -> StudyRow | None:
    """Lock the row of a study until the transaction ends, and return it."""
    row = connection.execute(_BY_NAME.with_for_update(), {"name": name}).one_or_none()
    return StudyRow(*row) if row else None


def list_studies(connection: Connection, after: str, limit: int) -> list[StudyRow]:
    """List studies by name, from the first one after a name; all real ones have names."""
    found = select(*_STUDY).where(StudyTable.name > after).order_by(StudyTable.name).limit(limit)
    return [StudyRow(*row) for row in connection.execute(found)]


def add_study(
    connection: Connection, name: str, settings: Mapping[str, Any], now: float
) -> StudyRow:
    """Add a study."""
    values = {
        "name": name,
        "settings": dict(settings),
        "status": StudyStatus.OPEN,
        "version": 0,
        "created_at": now,
    }
    study_id = connection.execute(
        insert(StudyTable).values(values).returning(StudyTable.id)
    ).scalar_one()
    return StudyRow(study_id, name, dict(settings), StudyStatus.OPEN, 0, now)


def change_study(
    connection: Connection, study_id: int, settings: Mapping[str, Any], status: str
) -> None:
    """Change a study's settings and status."""
    connection.execute(
        update(StudyTable)
        .where(StudyTable.id == study_id)
        .values(settings=dict(settings), status=status, version=StudyTable.version + 1)
    )


def touch_study(connection: Connection, study_id: int) -> None:
    """Raise a study's version, so that every process drops what it has cached of it."""
    connection.execute(
        update(StudyTable).where(StudyTable.id == study_id).values(version=StudyTable.version + 1)
    )


def find_worker(connection: Connection, study_id: int, name: str) -> WorkerRow | None:
    """Return the worker of this name."""
    row = connection.execute(_FIND_WORKER, {"study": study_id, "name": name}).one_or_none()
    return WorkerRow(*row) if row else None


def get_worker(connection: Connection, worker_id: int) -> WorkerRow:
    """Return the worker of this id."""
    return WorkerRow(*connection.execute(select(*_WORKER).where(WorkerTable.id == worker_id)).one())


def worker_names(connection: Connection, worker_ids: Sequence[int]) -> dict[int, str]:
    """Return the names of workers by their ids."""
    found = select(WorkerTable.id, WorkerTable.name).where(WorkerTable.id.in_(worker_ids))
    return {worker_id: name for worker_id, name in connection.execute(found)}


def lock_worker(connection: Connection, worker_id: int) -> None:
    """Lock a worker's row, so that only one transaction at a time counts their assignments."""
    connection.execute(select(WorkerTable.id).where(WorkerTable.id == worker_id).with_for_update())


def enlist_worker(connection: Connection, study_id: int, name: str, now: float) -> WorkerRow:
    """Return the worker of this name; insert one if there is none."""
    values = {
        "study_id": study_id,
        "name": name,
        "status": WorkerStatus.ACTIVE,
        "created_at": now,
    }
    add = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
    connection.execute(add(WorkerTable).values(values).on_conflict_do_nothing())
    found = find_worker(connection, study_id, name)
    assert found is not None
    return found


def list_workers(connection: Connection, study_id: int, after: str, limit: int) -> list[WorkerRow]:
    """List a study's workers by name, from the first one after a name."""
    found = (
        select(*_WORKER)
        .where(WorkerTable.study_id == study_id, WorkerTable.name > after)
        .order_by(WorkerTable.name)
        .limit(limit)
    )
    return [WorkerRow(*row) for row in connection.execute(found)]


def count_states(connection: Connection, worker_ids: list[int]) -> dict[int, dict[str, int]]:
    """Count the assignments of some workers by their state."""
    counts: dict[int, dict[str, int]] = {worker_id: {} for worker_id in worker_ids}
    found = (
        select(AssignmentTable.worker_id, AssignmentTable.state, func.count())
        .where(AssignmentTable.worker_id.in_(worker_ids))
        .group_by(AssignmentTable.worker_id, AssignmentTable.state)
    )
    for worker_id, state, count in connection.execute(found):
        counts[worker_id][state] = count
    return counts


def unserved_workers(connection: Connection, study_id: int) -> list[WorkerRow]:
    """List the workers who get no questions: blocked and stopped ones."""
    found = select(*_WORKER).where(
        WorkerTable.study_id == study_id, WorkerTable.status != WorkerStatus.ACTIVE
    )
    return [WorkerRow(*row) for row in connection.execute(found)]


def set_worker_status(connection: Connection, worker_id: int, status: str) -> None:
    """Block a worker, or readmit them."""
    connection.execute(update(WorkerTable).where(WorkerTable.id == worker_id).values(status=status))


def stop_worker(connection: Connection, study_id: int, worker_id: int) -> None:
    """Stop a worker; one whom the owner has blocked stays blocked."""
    connection.execute(
        update(WorkerTable)
        .where(WorkerTable.id == worker_id, WorkerTable.status == WorkerStatus.ACTIVE)
        .values(status=WorkerStatus.STOPPED)
    )
    touch_study(connection, study_id)
