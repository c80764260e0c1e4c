"""Routes that know who calls before they read what was sent."""

import re
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from nextpair.app.errors import TooLarge
from nextpair.app.settings import Settings
from nextpair.app.web.access import Access
from nextpair.app.web.middleware import SentBody

UPLOADS = ("/topics.jsonl", "/imports")
"""How the paths end that take files."""
FEWEST_PARTS = 20_000
PARTS_PER_DOCUMENT = 10
"""Objects and lists of JSON that a body may have, for each document that a topic may have."""
ANSWER_VALUES = 5000
"""Values that an answer's JSON may have: what is said of each, if it is wrong, takes its time."""
_TEXT = re.compile(rb'"[^"\\]*+(?:\\.?[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
"""A text of JSON; one without an end goes on to the end, so that none is looked at twice."""

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class KeyedRoute(APIRoute):
    """A route that refuses a caller, or lets them send a body as large as befits them.

    The framework would read and parse the body first, and then ask for the key.
    """

    def get_route_handler(self) -> Handler:
        """Put the checks before all that the framework does."""
        handle = super().get_route_handler()
        checks = [*_checks(self.dependant)]
        is_upload = self.path_format.endswith(UPLOADS)
        manages = any(check.manages for check in checks)

        async def known_first(request: Request) -> Response:
            for check in checks:
                await check(request)
            settings: Settings = request.app.state.service.settings
            if checks:
                body: SentBody = request.scope[SentBody.NAME]
                body.allow(_limit(settings, manages=manages, is_upload=is_upload))
            if self.body_field is not None:
                content = await request.body()
                _check_parts(content, settings)
                if not manages:
                    _check_values(content)
            return await handle(request)

        return known_first


def _checks(dependant: Dependant) -> Iterator[Access[Any]]:
    for inner in dependant.dependencies:
        if isinstance(inner.call, Access):
            yield inner.call
        yield from _checks(inner)


def _limit(settings: Settings, *, manages: bool, is_upload: bool) -> float:
    if is_upload:
        return settings.max_upload_mb
    return settings.max_body_mb if manages else settings.max_answer_mb


def _check_parts(content: bytes, settings: Settings) -> None:
    """Refuse what would take a hundred times its size, and seconds, once it is parsed."""
    most = max(FEWEST_PARTS, PARTS_PER_DOCUMENT * settings.max_documents)
    if _parts(content) > most and _parts(_TEXT.sub(b"", content)) > most:
        raise TooLarge(f"a request body here has at most {most:,} objects and lists")


def _check_values(content: bytes) -> None:
    if content.count(b",") > ANSWER_VALUES:
        if _TEXT.sub(b"", content).count(b",") > ANSWER_VALUES:
            raise TooLarge(f"a request body here has at most {ANSWER_VALUES:,} values")


def _parts(content: bytes) -> int:
    return content.count(b"[") + content.count(b"{")
