"""Routes of studies and their workers."""

from typing import Any

from fastapi import APIRouter, Response

from nextpair.app.provisioning import setup
from nextpair.app.schemas.common import Page
from nextpair.app.schemas.studies import StudyChange, StudyIn, StudyOut, WorkerChange, WorkerOut
from nextpair.app.studies.study import StudySettings, read_settings
from nextpair.app.web.access import Admin, Anyone, Idempotency, Now, Reader, Svc
from nextpair.app.web.api_description import After, Limit, StudyName, WorkerName, problems, repeated
from nextpair.app.web.authenticated_route import AuthenticatedRoute
from nextpair.selectors.errors import NextpairError
from nextpair.storage import studies
from nextpair.storage.database import Connection
from nextpair.storage.rows import State, StudyRow, StudyStatus, WorkerRow, WorkerStatus

router = APIRouter(prefix="/v1/studies", tags=["studies"], route_class=AuthenticatedRoute)


def study_out(row: StudyRow) -> StudyOut:
    """Present a study."""
    settings = read_settings(row.settings)
    try:
        options = settings.all_options()
    except NextpairError:
        # The selector is no longer installed: its defaults are unknown.
        options = dict(settings.options)
    return StudyOut(
        **settings.model_dump(),
        options_in_force=options,
        id=row.name,
        status=StudyStatus(row.status),
        created_at=row.created_at,
    )


@router.post("", status_code=201, responses={**repeated(StudyOut), **problems(409)})
def create_study(
    body: StudyIn, caller: Admin, call: Idempotency, service: Svc, now: Now, response: Response
) -> StudyOut:
    """Add a study. The same one again is a success that changes nothing."""
    settings = StudySettings(**body.model_dump(exclude={"id"}, exclude_unset=True))

    def create(connection: Connection) -> dict[str, Any]:
        row = setup.add_study(connection, body.id, settings, now)
        return {"name": row.name, "new": row.created_at == now}

    answer, new = setup.run_idempotently(service, call, create, now)
    response.status_code = 201 if new and answer["new"] else 200
    with service.database.read() as connection:
        row = studies.get_study(connection, service.study_id(answer["name"]))
    return study_out(row)


@router.get("", responses=problems())
def list_studies(
    caller: Anyone, service: Svc, after: After = "", limit: Limit = 100
) -> Page[StudyOut]:
    """List studies by name."""
    with service.database.read() as connection:
        rows = studies.list_studies(connection, after, limit + 1)
    more = rows[limit - 1].name if len(rows) > limit else None
    return Page(items=[study_out(row) for row in rows[:limit]], next=more)


@router.get("/{study}", responses=problems(404))
def get_study(study: StudyName, caller: Anyone, service: Svc) -> StudyOut:
    """Describe a study."""
    with service.database.read() as connection:
        return study_out(studies.get_study(connection, service.study_id(study)))


@router.patch("/{study}", responses=problems(404))
def change_study(study: StudyName, body: StudyChange, caller: Admin, service: Svc) -> StudyOut:
    """Change what may change while a study runs: pause it, close it, give more time."""
    setup.change_study(service, study, body.model_dump(exclude_unset=True, mode="json"))
    return get_study(study, caller, service)


@router.get("/{study}/workers", tags=["workers"], responses=problems(404))
def list_workers(
    study: StudyName, caller: Reader, service: Svc, after: After = "", limit: Limit = 100
) -> Page[WorkerOut]:
    """List a study's workers by name."""
    study_id = service.study_id(study)
    with service.database.read() as connection:
        rows = studies.list_workers(connection, study_id, after, limit + 1)
        shown = rows[:limit]
        counts = studies.count_states(connection, [row.id for row in shown])
    more = shown[-1].name if len(rows) > limit else None
    return Page(items=[_worker(row, counts[row.id]) for row in shown], next=more)


@router.patch("/{study}/workers/{worker}", tags=["workers"], responses=problems(404))
def change_worker(
    study: StudyName, worker: WorkerName, body: WorkerChange, caller: Admin, service: Svc
) -> WorkerOut:
    """Block a worker, who then gets no questions, or let them in again."""
    row = setup.set_worker_status(service, service.study_id(study), worker, body.status)
    with service.database.read() as connection:
        counts = studies.count_states(connection, [row.id])
    return _worker(row, counts[row.id])


def _worker(row: WorkerRow, counts: dict[str, int]) -> WorkerOut:
    return WorkerOut(
        id=row.name,
        status=WorkerStatus(row.status),
        created_at=row.created_at,
        **{state.value: counts.get(state, 0) for state in State},
    )
