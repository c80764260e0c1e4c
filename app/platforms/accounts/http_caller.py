"""Calls to a platform over HTTP, whose failures become one of the errors of `PlatformError`."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from nextpair.app.errors import (
    Malformed,
    PlatformDenied,
    PlatformMalformed,
    PlatformRefused,
    PlatformUnreachable,
)
from nextpair.app.platforms.accounts.payloads import parse, printable

SECONDS = 20.0
MAX_QUOTED = 300
"""Characters of a platform's message that are quoted."""
_DENIED = (401, 402, 403)
_TRANSIENT = (408, 425, 429)


class HttpCaller:
    """A platform's HTTP interface, with the key in a header.

    Parameters
    ----------
    secret
        Never quoted in a message, even if the platform repeats it.
    find_error
        Finds the error in an answer whose status is a success.
    gap
        Seconds between two calls, at least, where too many of them are refused.
    """

    def __init__(
        self,
        name: str,
        url: str,
        headers: Mapping[str, str],
        *,
        secret: str,
        find_error: Callable[[Any], str | None] = lambda _: None,
        gap: float = 0.0,
    ) -> None:
        if not secret:
            raise PlatformDenied(f"there is no key to {name}")
        self._name = name
        self._secret = secret
        self._find_error = find_error
        self._gap, self._next = gap, 0.0
        all_headers = {"Accept": "application/json", **headers}
        try:
            base_url = url.rstrip("/") + "/"
            self._http = httpx.Client(base_url=base_url, headers=all_headers, timeout=SECONDS)
        except (httpx.InvalidURL, ValueError):
            raise PlatformDenied(f"the address of {name} or the key to it is malformed") from None

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send a request, and return a successful answer."""
        if self._gap:
            time.sleep(max(0.0, self._next - time.monotonic()))
            self._next = time.monotonic() + self._gap
        try:
            response = self._http.request(method, path, **options)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            what = type(error).__name__
            raise PlatformUnreachable(f"{self._name} cannot be reached ({what})") from None
        if not response.is_success:
            self._raise(response)
        return response

    def call(self, method: str, path: str, **options: Any) -> Any:
        """Send a request, and return the JSON of the answer; None if it is empty."""
        response = self.send(method, path, **options)
        if not response.content.strip():
            return None
        try:
            content = parse(response.content).value
        except Malformed:
            raise PlatformMalformed(f"{self._name} answers with something else") from None
        if error := self._find_error(content):
            raise PlatformRefused(self._quoted(error))
        return content

    def _raise(self, response: httpx.Response) -> None:
        status = response.status_code
        message = self._quoted(f"{status} {_error_text(response)}".strip())
        if status in _DENIED:
            raise PlatformDenied(message)
        if status in _TRANSIENT or status >= 500:
            raise PlatformUnreachable(message)
        raise PlatformRefused(message)

    def _quoted(self, text: str) -> str:
        short = " ".join(printable(text.replace(self._secret, "…")).split())[:MAX_QUOTED]
        return f"{self._name} says: {short}"


def _error_text(response: httpx.Response) -> str:
    try:
        content = parse(response.content).value
    except Malformed:
        # An HTML page, made for people.
        return response.reason_phrase
    error = content.get("error", content) if isinstance(content, dict) else content
    if isinstance(error, dict):
        error = error.get("detail") or error.get("message") or error.get("title") or error
    return str(error)
