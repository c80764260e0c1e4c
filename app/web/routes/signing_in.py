"""Signing a browser in by a one-time code, so that nobody has to copy a key."""

from fastapi import APIRouter, Request

from nextpair.app.schemas.keys import SignedInOut, SignedOut, SignInOut, SignInUse
from nextpair.app.security import api_keys
from nextpair.app.web.access import Now, Reader, Svc
from nextpair.app.web.api_description import problem_response, problems
from nextpair.app.web.keyed_route import KeyedRoute
from nextpair.app.web.routes.keys import key_values

router = APIRouter(prefix="/v1/sign-ins", tags=["keys"], route_class=KeyedRoute)


@router.post("", status_code=201, responses=problems())
def create_sign_in(caller: Reader, service: Svc, now: Now) -> SignInOut:
    """Make a one-time address that signs a browser in, with the scope of the caller's key."""
    with service.database.write() as connection:
        code, ends = api_keys.make_sign_in(connection, caller.key_id, now)
    return SignInOut(url=sign_in_path(code), code=code, expires_at=ends)


@router.post("/use", status_code=201, responses=problem_response(400, 401, 413, 422, 503, 507))
def use_sign_in(body: SignInUse, service: Svc, now: Now) -> SignedInOut:
    """Exchange a one-time code for a key of the browser's own; the code can do it once, and soon.

    No key is needed: the code stands for one.
    """
    with service.database.read() as connection:
        api_keys.check_sign_in(connection, body.code, now)
    with service.database.write() as connection:
        key, row = api_keys.use_sign_in(connection, body.code, now)
    return SignedInOut(**key_values(row), key=key)


@router.delete("/current", responses=problems())
def sign_out(caller: Reader, service: Svc, now: Now, request: Request) -> SignedOut:
    """Sign the browser out that makes this call: its own key opens nothing any more."""
    with service.database.write() as connection:
        revoked = api_keys.sign_out(connection, caller.key_id, now)
    request.app.state.keys.forget(caller.key_id)
    return SignedOut(revoked=revoked)


def sign_in_path(code: str) -> str:
    """Return the address that signs a browser in, below that of the service."""
    return f"/sign-in#{code}"
