"""Routes that know who calls before they read what was sent."""

import re
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from nextpair.app.errors import TooLarge
from nextpair.app.settings import Settings
from nextpair.app.web.access import Authenticator
from nextpair.app.web.middleware import BodyLimit

UPLOADS = ("/topics.jsonl", "/imports")
"""How the paths end that take files."""
MIN_CONTAINERS = 20_000
CONTAINERS_PER_DOCUMENT = 10
"""Objects and lists of JSON that a body may have, for each document that a topic may have."""
MAX_ANSWER_VALUES = 5000
"""Values that an answer's JSON may have: what is said of each, if it is wrong, takes its time."""
_JSON_STRING = re.compile(rb'"[^"\\]*+(?:\\.?[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
"""A text of JSON; one without an end goes on to the end, so that none is looked at twice."""

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class AuthenticatedRoute(APIRoute):
    """A route that refuses a caller, or lets them send a body as large as befits them.

    The framework would read and parse the body first, and then ask for the key.
    """

    def get_route_handler(self) -> Handler:
        """Put the checks before all that the framework does."""
        handle = super().get_route_handler()
        authenticators = [*_authenticators(self.dependant)]
        is_upload = self.path_format.endswith(UPLOADS)
        is_manager = any(check.is_manager for check in authenticators)

        async def authenticate_first(request: Request) -> Response:
            for check in authenticators:
                await check(request)
            settings: Settings = request.app.state.service.settings
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


def _limit(settings: Settings, *, is_manager: bool, is_upload: bool) -> float:
    if is_upload:
        return settings.max_upload_mb
    return settings.max_body_mb if is_manager else settings.max_answer_mb


def _check_containers(content: bytes, settings: Settings) -> None:
    """Refuse what would take a hundred times its size, and seconds, once it is parsed."""
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
