"""Calls to a platform over HTTP: whatever goes wrong becomes one of three errors."""

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
LONGEST = 300
"""How much is repeated of what a platform says."""
_DENIED = (401, 402, 403)
_PASSING = (408, 425, 429)


class Caller:
    """A platform's HTTP interface, with the key in a header.

    Parameters
    ----------
    secret
        What must not be repeated, whatever the platform says.
    wrong
        Finds what is wrong in an answer whose status says that all is well.
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
        wrong: Callable[[Any], str | None] = lambda _: None,
        gap: float = 0.0,
    ) -> None:
        if not secret:
            raise PlatformDenied(f"there is no key to {name}")
        self._name = name
        self._secret = secret
        self._wrong = wrong
        self._gap, self._next = gap, 0.0
        told = {"Accept": "application/json", **headers}
        try:
            self._http = httpx.Client(base_url=url.rstrip("/") + "/", headers=told, timeout=SECONDS)
        except (httpx.InvalidURL, ValueError):
            raise PlatformDenied(f"the address of {name} or the key to it is malformed") from None

    def close(self) -> None:
        """Give back the connections."""
        self._http.close()

    def send(self, method: str, path: str, **given: Any) -> httpx.Response:
        """Send a request, and return an answer that says it is done."""
        if self._gap:
            time.sleep(max(0.0, self._next - time.monotonic()))
            self._next = time.monotonic() + self._gap
        try:
            response = self._http.request(method, path, **given)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            what = type(error).__name__
            raise PlatformUnreachable(f"{self._name} cannot be reached ({what})") from None
        if not response.is_success:
            self._raise(response)
        return response

    def call(self, method: str, path: str, **given: Any) -> Any:
        """Send a request, and return what the answer says; None if it says nothing."""
        response = self.send(method, path, **given)
        if not response.content.strip():
            return None
        try:
            told = parse(response.content).value
        except Malformed:
            raise PlatformMalformed(f"{self._name} answers with something else") from None
        if wrong := self._wrong(told):
            raise PlatformRefused(self._said(wrong))
        return told

    def _raise(self, response: httpx.Response) -> None:
        status = response.status_code
        told = self._said(f"{status} {_words(response)}".strip())
        if status in _DENIED:
            raise PlatformDenied(told)
        if status in _PASSING or status >= 500:
            raise PlatformUnreachable(told)
        raise PlatformRefused(told)

    def _said(self, words: str) -> str:
        short = " ".join(printable(words.replace(self._secret, "…")).split())[:LONGEST]
        return f"{self._name} says: {short}"


def _words(response: httpx.Response) -> str:
    try:
        told = parse(response.content).value
    except Malformed:
        # A page, made for people who look at pages.
        return response.reason_phrase
    found = told.get("error", told) if isinstance(told, dict) else told
    if isinstance(found, dict):
        found = found.get("detail") or found.get("message") or found.get("title") or found
    return str(found)
