"""Routes of API keys."""

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request, Response

from nextpair.app.provisioning.setup import run_idempotently
from nextpair.app.schemas.common import Name, Page
from nextpair.app.schemas.keys import KeyIn, KeyOut, NewKeyOut
from nextpair.app.security import api_keys
from nextpair.app.web.access import Admin, Anyone, Idempotency, Now, Svc
from nextpair.app.web.api_description import problems, repeated
from nextpair.app.web.authenticated_route import AuthenticatedRoute
from nextpair.storage import keys as stored
from nextpair.storage.database import Connection
from nextpair.storage.rows import KeyRow

router = APIRouter(prefix="/v1/keys", tags=["keys"], route_class=AuthenticatedRoute)


def key_values(row: KeyRow) -> dict[str, Any]:
    """Return the public fields of a key."""
    return {name: value for name, value in asdict(row).items() if name not in ("hash", "parent")}


@router.post("", status_code=201, responses={**repeated(NewKeyOut), **problems(409)})
def create_key(
    body: KeyIn, caller: Admin, call: Idempotency, service: Svc, now: Now, response: Response
) -> NewKeyOut:
    """Make a key. It is in the answer, and nowhere else; a repeated call does not show it again."""
    created: list[str] = []

    def create(connection: Connection) -> dict[str, Any]:
        key, row = api_keys.make_key(connection, body.scope, body.label, now)
        created.append(key)
        return key_values(row)

    answer, new = run_idempotently(service, call, create, now)
    response.status_code = 201 if new else 200
    return NewKeyOut(**answer, key=created[-1] if new else None)


@router.get("", responses=problems())
def list_keys(caller: Admin, service: Svc) -> Page[KeyOut]:
    """List all keys, revoked ones too."""
    with service.database.read() as connection:
        rows = stored.list_keys(connection)
    return Page(items=[KeyOut(**key_values(row)) for row in rows])


@router.get("/current", responses=problems())
def get_current_key(caller: Anyone, service: Svc) -> KeyOut:
    """Describe the key that this call is made with."""
    with service.database.read() as connection:
        (row,) = (key for key in stored.list_keys(connection) if key.id == caller.key_id)
    return KeyOut(**key_values(row))


@router.delete("/{key}", responses=problems(404))
def revoke_key(key: Name, caller: Admin, service: Svc, now: Now, request: Request) -> KeyOut:
    """Let a key open nothing any more; other processes notice within a few seconds."""
    with service.database.write() as connection:
        row = api_keys.revoke_key(connection, key, now)
    request.app.state.keys.forget(key)
    return KeyOut(**key_values(row))
