"""HTTP requests that are retried until they are answered."""

import random
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from nextpair.app.schemas.common import Page, ProblemOut
from nextpair.selectors.errors import NextpairError

Shape = TypeVar("Shape", bound=BaseModel)

RETRYABLE_STATUSES = frozenset({429, 502, 503, 504, 507})
"""The statuses of temporary errors."""


class Refused(NextpairError):
    """The service refused a call, and says why."""

    code = "refused"

    def __init__(self, problem: ProblemOut) -> None:
        where = "; ".join(f"{error.where}: {error.what}" for error in problem.errors or ())
        super().__init__(where or problem.detail)
        self.problem = problem


class Unreachable(NextpairError):
    """The service does not answer."""

    code = "unreachable"


class RetryingConnection:
    """The connections to a service at a URL, with an API key; thread-safe."""

    def __init__(
        self, url: str, key: str, *, timeout: float, retries: int, sleep: Callable[[float], None]
    ) -> None:
        try:
            self.http = httpx.Client(
                base_url=url.rstrip("/"),
                headers={"Authorization": f"Bearer {key}"},
                timeout=timeout,
                # No proxy from the environment: it would receive the key.
                trust_env=False,
                limits=httpx.Limits(max_connections=256, max_keepalive_connections=256),
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise Unreachable(f"{url!r} is not the address of a service: {error}") from None
        self._retries = retries
        self._sleep = sleep

    def call(
        self,
        shape: type[Shape],
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, str] | None = None,
        creates: bool = False,
    ) -> Shape:
        """Make a call, and parse the response.

        Parameters
        ----------
        creates
            Whether the call needs an Idempotency-Key, so that a retry creates nothing twice.
        """
        headers = {"Idempotency-Key": uuid.uuid4().hex} if creates else {}
        response = self.send(method, path, json=body, params=query, headers=headers)
        return self.read(shape, response)

    def read(self, shape: type[Shape], response: httpx.Response) -> Shape:
        """Parse a response; another program may be listening at the URL."""
        try:
            return shape.model_validate_json(response.content)
        except ValidationError:
            raise Unreachable(f"{self.http.base_url} does not answer as nextpair does") from None

    def pages(self, shape: type[Shape], path: str) -> Iterator[Shape]:
        """Yield the items of a list, page by page."""
        after: dict[str, str] = {}
        while True:
            # The type argument is a variable, which pydantic supports and type checkers do not.
            page = self.call(Page[shape], "GET", path, query=after)  # type: ignore[valid-type]
            yield from page.items
            if page.next is None:
                return
            after = {"after": page.next}

    @contextmanager
    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[httpx.Response]:
        """Open a response that is streamed; one that breaks off is not retried."""
        try:
            with self.http.stream("GET", path, params=query) as response:
                if response.is_error:
                    response.read()
                    raise refusal_of(response)
                yield response
        except httpx.TransportError as error:
            raise Unreachable(f"{self.http.base_url} broke off: {error}") from None

    def send(
        self,
        method: str,
        path: str,
        *,
        content: Callable[[], Iterable[bytes]] | None = None,
        **options: Any,
    ) -> httpx.Response:
        """Send a request until it is answered.

        Parameters
        ----------
        content
            Yields the body; called once per attempt.
        """
        for attempt in range(self._retries + 1):
            response: httpx.Response | None = None
            try:
                response = self.http.request(
                    method, path, content=content() if content else None, **options
                )
            except (httpx.UnsupportedProtocol, httpx.LocalProtocolError):
                # Not retried, since it cannot help; not chained, since the error may show the key.
                raise Unreachable(
                    f"{self.http.base_url} cannot be called: see to its address, and to the key"
                ) from None
            except httpx.TransportError as error:
                if attempt == self._retries:
                    raise Unreachable(f"{self.http.base_url} does not answer: {error}") from None
            else:
                if response.is_success:
                    return response
                if response.status_code not in RETRYABLE_STATUSES or attempt == self._retries:
                    raise refusal_of(response)
            self._sleep(_backoff_seconds(attempt, response))
        raise AssertionError("the last attempt ends the loop")


def _backoff_seconds(attempt: int, response: httpx.Response | None) -> float:
    """Return the pause before a retry: exponential backoff with jitter, at least Retry-After."""
    retry_after = response.headers.get("retry-after", "") if response is not None else ""
    least = float(retry_after) if retry_after.isdecimal() else 0.0
    return max(least, min(0.05 * 2.0**attempt, 5.0)) * random.uniform(1.0, 1.5)


def refusal_of(response: httpx.Response) -> Refused:
    """Parse the problem document of a refused call."""
    try:
        return Refused(ProblemOut.model_validate_json(response.content))
    except ValidationError:
        detail = f"the service answered {response.status_code}"
        return Refused(
            ProblemOut(type="about:blank", title=detail, status=response.status_code, detail=detail)
        )
