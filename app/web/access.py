"""Authentication and authorisation: the dependencies that identify the caller of an endpoint."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Header, Request
from fastapi.exceptions import RequestValidationError

from nextpair.app.enums import Scope
from nextpair.app.errors import Forbidden, NotYours, Unauthorized
from nextpair.app.provisioning.setup import IdempotentCall, fingerprint
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.security.api_keys import KeyRing, RateLimit
from nextpair.app.security.tokens import PREFIX as TOKEN_PREFIX
from nextpair.app.security.tokens import SESSION_PREFIX, AssignmentRef, Session


@dataclass(frozen=True, slots=True)
class Caller:
    """The holder of an API key, and the context of the call."""

    key_id: str
    scope: Scope
    service: ServiceContext
    now: float


@dataclass(frozen=True, slots=True)
class AnswerCaller:
    """A caller who may answer: the holder of an API key, or of one assignment's token.

    Parameters
    ----------
    ref
        The assignment that the token is for; None for a key.
    token
        The token itself; None for a key.
    """

    ref: AssignmentRef | None
    service: ServiceContext
    clock: Callable[[], float]
    token: str | None = None

    def authorize(self, requested: AssignmentRef) -> AssignmentRef:
        """Return the attempt that the call refers to; a token is valid for its assignment only."""
        if self.ref is None:
            return requested
        if (self.ref.topic_id, self.ref.number) != (requested.topic_id, requested.number):
            raise NotYours("the token is for another assignment")
        return self.ref


@dataclass(frozen=True, slots=True)
class SessionCaller:
    """A worker at the judging page: the holder of a session token."""

    session: Session
    service: ServiceContext
    now: float


CallerType = TypeVar("CallerType")


class Authenticator(Generic[CallerType]):
    """A dependency that identifies the caller; `AuthenticatedRoute` runs it before it reads a body.

    Parameters
    ----------
    authenticate
        Identifies the caller, or raises.
    is_manager
        Whether callers manage studies, and so may send larger bodies than an answer.
    """

    def __init__(
        self, authenticate: Callable[[Request], Awaitable[CallerType]], *, is_manager: bool = False
    ) -> None:
        self._authenticate = authenticate
        self.is_manager = is_manager

    async def __call__(self, request: Request) -> CallerType:
        """Return the caller; a request is authenticated and rate limited once."""
        if _CALLER not in request.scope:
            request.scope[_CALLER] = await self._authenticate(request)
        caller: CallerType = request.scope[_CALLER]
        return caller


_CALLER = "nextpair.caller"
"""The key of the ASGI scope under which a request keeps its caller."""


# Dependencies are coroutines although the endpoints are not, and each endpoint has few of them: a
# plain function would run in the thread pool, and every dependency costs time of its own.


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


async def _authenticate_key(request: Request) -> Caller:
    _refuse_unknown_parameters(request)
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


def require_scope(*scopes: Scope) -> Authenticator[Caller]:
    """Make a dependency that admits keys of these scopes, and of the scope admin."""

    async def authenticate(request: Request) -> Caller:
        caller = await _authenticate_key(request)
        if caller.scope not in (*scopes, Scope.ADMIN):
            needed = " or ".join((*scopes, Scope.ADMIN))
            raise Forbidden(f"the key's scope is {caller.scope}, this call needs {needed}")
        return caller

    return Authenticator(authenticate, is_manager=not scopes)


_require_platform_scope = require_scope(Scope.PLATFORM)


async def _authenticate_answerer(request: Request) -> AnswerCaller:
    credentials = _credentials(request)
    if credentials.startswith(TOKEN_PREFIX):
        _refuse_unknown_parameters(request)
        state = request.app.state
        ref = state.service.tokens.read(credentials)
        limit: RateLimit = state.worker_limit
        limit.spend(f"{ref.worker_id or ref.id}")
        return AnswerCaller(ref, state.service, state.clock, credentials)
    caller = await _require_platform_scope(request)
    return AnswerCaller(None, caller.service, request.app.state.clock)


async def _authenticate_session(request: Request) -> SessionCaller:
    credentials = _credentials(request)
    if not credentials.startswith(SESSION_PREFIX):
        raise Unauthorized("this is for a judging page: send its session")
    _refuse_unknown_parameters(request)
    state = request.app.state
    session = state.service.sessions.read(credentials, state.clock())
    limit: RateLimit = state.worker_limit
    limit.spend(f"{session.study}/{session.worker}")
    return SessionCaller(session, state.service, state.clock())


async def _idempotent_call(
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


def _refuse_unknown_parameters(request: Request) -> None:
    """Refuse query parameters that the endpoint does not have: FastAPI would ignore a typo."""
    if not request.scope["query_string"]:
        return
    dependant: Any = request.scope["route"].dependant
    known = {parameter.alias for parameter in _query_parameters(dependant)}
    for name in request.query_params:
        if name not in known:
            raise RequestValidationError(
                [{"loc": ("query", name), "msg": "there is no such parameter here"}]
            )


def _query_parameters(dependant: Any) -> list[Any]:
    inner = [
        query for dependency in dependant.dependencies for query in _query_parameters(dependency)
    ]
    return [*dependant.query_params, *inner]


Svc = Annotated[ServiceContext, Depends(_service)]
Now = Annotated[float, Depends(_now)]
Admin = Annotated[Caller, Depends(require_scope())]
Platform = Annotated[Caller, Depends(require_scope(Scope.PLATFORM))]
Reader = Annotated[Caller, Depends(require_scope(Scope.READ))]
Anyone = Annotated[Caller, Depends(require_scope(Scope.READ, Scope.PLATFORM))]
Answerer = Annotated[AnswerCaller, Depends(Authenticator(_authenticate_answerer))]
WorkerSession = Annotated[SessionCaller, Depends(Authenticator(_authenticate_session))]
Idempotency = Annotated[IdempotentCall, Depends(_idempotent_call)]
"""An endpoint's parameters name it after the caller, who has to be authenticated first."""
