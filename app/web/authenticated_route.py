"""Routes that authenticate the caller before they read the request body."""

import re
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from nextpair.app.errors import TooLarge
from nextpair.app.settings import ServiceSettings
from nextpair.app.web.access import Authenticator
from nextpair.app.web.middleware import BodyLimit

UPLOADS = ("/topics.jsonl", "/imports")
"""The path suffixes of uploads."""
MIN_CONTAINERS = 20_000
CONTAINERS_PER_DOCUMENT = 10
"""JSON objects and arrays that a body may have, for each document that a topic may have."""
MAX_ANSWER_VALUES = 5000
"""JSON values that an answer may have: validating each invalid one takes time."""
_JSON_STRING = re.compile(rb'"[^"\\]*+(?:\\.?[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
"""A JSON string; an unterminated one extends to the end, so that matching stays linear."""

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class AuthenticatedRoute(APIRoute):
    """A route that authenticates the caller, and then limits the body by who they are.

    FastAPI itself would read and parse the body before it resolves any dependency.
    """

    def get_route_handler(self) -> Handler:
        """Wrap the framework's handler with authentication and limits."""
        handle = super().get_route_handler()
        authenticators = [*_authenticators(self.dependant)]
        is_upload = self.path_format.endswith(UPLOADS)
        is_manager = any(check.is_manager for check in authenticators)

        async def authenticate_first(request: Request) -> Response:
            for authenticate in authenticators:
                await authenticate(request)
            settings: ServiceSettings = request.app.state.service.settings
            if authenticators:
                body: BodyLimit = request.scope[BodyLimit.SCOPE_KEY]
                body.allow(_limit(settings, is_manager=is_manager, is_upload=is_upload))
            if self.body_field is not None:
                content = await request.body()
                _check_containers(content, settings)
                if not is_manager:
                    _check_values(content)
            return await handle(request)

        return authenticate_first


def _authenticators(dependant: Dependant) -> Iterator[Authenticator[Any]]:
    for inner in dependant.dependencies:
        if isinstance(inner.call, Authenticator):
            yield inner.call
        yield from _authenticators(inner)


def _limit(settings: ServiceSettings, *, is_manager: bool, is_upload: bool) -> float:
    if is_upload:
        return settings.max_upload_mb
    return settings.max_body_mb if is_manager else settings.max_answer_mb


def _check_containers(content: bytes, settings: ServiceSettings) -> None:
    """Refuse JSON that would take a hundred times its size, and seconds, once it is parsed."""
    most = max(MIN_CONTAINERS, CONTAINERS_PER_DOCUMENT * settings.max_documents)
    if (
        _count_containers(content) > most
        and _count_containers(_JSON_STRING.sub(b"", content)) > most
    ):
        raise TooLarge(f"a request body here has at most {most:,} objects and lists")


def _check_values(content: bytes) -> None:
    if content.count(b",") > MAX_ANSWER_VALUES:
        if _JSON_STRING.sub(b"", content).count(b",") > MAX_ANSWER_VALUES:
            raise TooLarge(f"a request body here has at most {MAX_ANSWER_VALUES:,} values")


def _count_containers(content: bytes) -> int:
    return content.count(b"[") + content.count(b"{")
