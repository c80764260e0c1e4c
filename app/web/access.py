"""Who calls, what they may do, and what every endpoint is given."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Header, Request
from fastapi.exceptions import RequestValidationError

from nextpair.app.enums import Scope
from nextpair.app.errors import Forbidden, NotYours, Unauthorized
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.security.api_keys import KeyRing, RateLimit
from nextpair.app.security.tokens import PREFIX as TOKEN_PREFIX
from nextpair.app.security.tokens import SESSION_PREFIX, AssignmentRef, Session
from nextpair.app.studies.setup import IdempotentCall, fingerprint


@dataclass(frozen=True, slots=True)
class Caller:
    """The holder of a key, and what they have come to."""

    key_id: str
    scope: Scope
    service: ServiceContext
    now: float


@dataclass(frozen=True, slots=True)
class Bearer:
    """Someone who may answer: the holder of a key, or of one assignment's token.

    Parameters
    ----------
    token
        What they came with, if it is a token.
    """

    ref: AssignmentRef | None
    service: ServiceContext
    clock: Callable[[], float]
    token: str | None = None

    def may_answer(self, asked: AssignmentRef) -> AssignmentRef:
        """Return which attempt is meant; a token opens no assignment but its own."""
        if self.ref is None:
            return asked
        if (self.ref.topic_id, self.ref.number) != (asked.topic_id, asked.number):
            raise NotYours("the token is for another assignment")
        return self.ref


@dataclass(frozen=True, slots=True)
class Seated:
    """A worker at the judging page: the holder of a session."""

    session: Session
    service: ServiceContext
    now: float


Known = TypeVar("Known")


class Access(Generic[Known]):
    """A dependency that finds out who calls; `KeyedRoute` asks it before it reads a body.

    Parameters
    ----------
    check
        Identifies the caller, or raises.
    manages
        Whether the caller manages studies, and may send more than an answer.
    """

    def __init__(
        self, check: Callable[[Request], Awaitable[Known]], *, manages: bool = False
    ) -> None:
        self._check = check
        self.manages = manages

    async def __call__(self, request: Request) -> Known:
        """Return who calls; a request is checked, and counted, once."""
        if _CALLER not in request.scope:
            request.scope[_CALLER] = await self._check(request)
        caller: Known = request.scope[_CALLER]
        return caller


_CALLER = "nextpair.caller"
"""Where a request keeps who sent it."""


# Dependencies are coroutines although the endpoints are not, and an endpoint has as few as it can:
# each plain function would cost a journey to another thread, and each dependency its own share.


async def _service(request: Request) -> ServiceContext:
    service: ServiceContext = request.app.state.service
    return service


async def _now(request: Request) -> float:
    now: float = request.app.state.clock()
    return now


def _credentials(request: Request) -> str:
    kind, _, credentials = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not credentials:
        raise Unauthorized()
    return credentials.strip()


async def _open(request: Request) -> Caller:
    _refuse_unknown_queries(request)
    credentials = _credentials(request)
    state = request.app.state
    ring: KeyRing = state.keys
    row = ring.remembered(credentials)
    if row is None:
        row = await state.key_checks.do(credentials, ring.open)
    limit: RateLimit = state.rate_limit
    limit.spend(row.id)
    request.scope["nextpair.key_id"] = row.id
    return Caller(row.id, Scope(row.scope), state.service, state.clock())


def allow(*scopes: Scope) -> Access[Caller]:
    """Make a dependency that lets in keys of these scopes, and of the scope admin."""

    async def check(request: Request) -> Caller:
        caller = await _open(request)
        if caller.scope not in (*scopes, Scope.ADMIN):
            needed = " or ".join((*scopes, Scope.ADMIN))
            raise Forbidden(f"the key's scope is {caller.scope}, this call needs {needed}")
        return caller

    return Access(check, manages=not scopes)


_allow_platform = allow(Scope.PLATFORM)


async def _bearer(request: Request) -> Bearer:
    credentials = _credentials(request)
    if credentials.startswith(TOKEN_PREFIX):
        _refuse_unknown_queries(request)
        state = request.app.state
        ref = state.service.tokens.read(credentials)
        limit: RateLimit = state.worker_limit
        limit.spend(f"{ref.worker_id or ref.id}")
        return Bearer(ref, state.service, state.clock, credentials)
    caller = await _allow_platform(request)
    return Bearer(None, caller.service, request.app.state.clock)


async def _seated(request: Request) -> Seated:
    credentials = _credentials(request)
    if not credentials.startswith(SESSION_PREFIX):
        raise Unauthorized("this is for a judging page: send its session")
    _refuse_unknown_queries(request)
    state = request.app.state
    session = state.service.sessions.read(credentials, state.clock())
    limit: RateLimit = state.worker_limit
    limit.spend(f"{session.study}/{session.worker}")
    return Seated(session, state.service, state.clock())


async def _call(
    request: Request,
    idempotency_key: Annotated[
        str | None,
        Header(
            max_length=200,
            pattern=r"^[\x21-\x7e]+$",
            description="Any text of your own; a repeated call with the same one is done once.",
        ),
    ] = None,
) -> IdempotentCall:
    caller = request.scope.get("nextpair.key_id", "")
    content = "" if idempotency_key is None else (await request.body()).decode("latin-1")
    return IdempotentCall(
        caller, idempotency_key, fingerprint(request.method, request.url.path, content)
    )


def _refuse_unknown_queries(request: Request) -> None:
    """Refuse a query that the endpoint does not have: a misspelt one would be passed over."""
    if not request.scope["query_string"]:
        return
    dependant: Any = request.scope["route"].dependant
    known = {parameter.alias for parameter in _queries(dependant)}
    for name in request.query_params:
        if name not in known:
            raise RequestValidationError(
                [{"loc": ("query", name), "msg": "there is no such parameter here"}]
            )


def _queries(dependant: Any) -> list[Any]:
    inner = [query for one in dependant.dependencies for query in _queries(one)]
    return [*dependant.query_params, *inner]


Svc = Annotated[ServiceContext, Depends(_service)]
Now = Annotated[float, Depends(_now)]
Admin = Annotated[Caller, Depends(allow())]
Platform = Annotated[Caller, Depends(allow(Scope.PLATFORM))]
Reader = Annotated[Caller, Depends(allow(Scope.READ))]
Anyone = Annotated[Caller, Depends(allow(Scope.READ, Scope.PLATFORM))]
Answerer = Annotated[Bearer, Depends(Access(_bearer))]
Worker = Annotated[Seated, Depends(Access(_seated))]
Creating = Annotated[IdempotentCall, Depends(_call)]
"""Named after the caller in an endpoint's parameters: whose call it is must be known first."""
