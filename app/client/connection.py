"""Calls that are sent again until they are answered: what the client is built on."""

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

PASSING = frozenset({429, 502, 503, 504, 507})
"""What may go better in a moment."""


class Refused(NextpairError):
    """The service refused a call, and says why."""

    code = "refused"

    def __init__(self, problem: ProblemOut) -> None:
        where = "; ".join(f"{one.where}: {one.what}" for one in problem.errors or ())
        super().__init__(where or problem.detail)
        self.problem = problem


class Unreachable(NextpairError):
    """The service does not answer."""

    code = "unreachable"


class Connection:
    """A service at an address, with a key to it; many threads may use it at once."""

    def __init__(
        self, url: str, key: str, *, timeout: float, retries: int, sleep: Callable[[float], None]
    ) -> None:
        try:
            self.http = httpx.Client(
                base_url=url.rstrip("/"),
                headers={"Authorization": f"Bearer {key}"},
                timeout=timeout,
                # Nothing in the environment may send a key elsewhere.
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
        """Make a call, and read its answer.

        Parameters
        ----------
        creates
            Whether a repetition must be known as one.
        """
        headers = {"Idempotency-Key": uuid.uuid4().hex} if creates else {}
        response = self.send(method, path, json=body, params=query, headers=headers)
        return self.read(shape, response)

    def read(self, shape: type[Shape], response: httpx.Response) -> Shape:
        """Read what was answered; another program may be listening at the address."""
        try:
            return shape.model_validate_json(response.content)
        except ValidationError:
            raise Unreachable(f"{self.http.base_url} does not answer as nextpair does") from None

    def pages(self, shape: type[Shape], path: str) -> Iterator[Shape]:
        """Yield what a list holds, page by page."""
        after: dict[str, str] = {}
        while True:
            # A shape is known only when called, which pydantic can do and a type checker cannot.
            page = self.call(Page[shape], "GET", path, query=after)  # type: ignore[valid-type]
            yield from page.items
            if page.next is None:
                return
            after = {"after": page.next}

    @contextmanager
    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[httpx.Response]:
        """Open an answer that is read as it comes; one that breaks off is not begun anew."""
        try:
            with self.http.stream("GET", path, params=query) as response:
                if response.is_error:
                    response.read()
                    raise refused(response)
                yield response
        except httpx.TransportError as error:
            raise Unreachable(f"{self.http.base_url} broke off: {error}") from None

    def send(
        self,
        method: str,
        path: str,
        *,
        content: Callable[[], Iterable[bytes]] | None = None,
        **given: Any,
    ) -> httpx.Response:
        """Send a request until it is answered.

        Parameters
        ----------
        content
            Begins to yield the body; called anew for each attempt.
        """
        for attempt in range(self._retries + 1):
            response: httpx.Response | None = None
            try:
                response = self.http.request(
                    method, path, content=content() if content else None, **given
                )
            except (httpx.UnsupportedProtocol, httpx.LocalProtocolError):
                # Trying again cannot help; and the error itself might show the key.
                raise Unreachable(
                    f"{self.http.base_url} cannot be called: see to its address, and to the key"
                ) from None
            except httpx.TransportError as error:
                if attempt == self._retries:
                    raise Unreachable(f"{self.http.base_url} does not answer: {error}") from None
            else:
                if response.is_success:
                    return response
                if response.status_code not in PASSING or attempt == self._retries:
                    raise refused(response)
            self._sleep(_pause(attempt, response))
        raise AssertionError("the last attempt ends the loop")


def _pause(attempt: int, response: httpx.Response | None) -> float:
    """Wait longer each time, as long as was asked for, and not just as long as everyone else."""
    told = response.headers.get("retry-after", "") if response is not None else ""
    least = float(told) if told.isdecimal() else 0.0
    return max(least, min(0.05 * 2.0**attempt, 5.0)) * random.uniform(1.0, 1.5)


def refused(response: httpx.Response) -> Refused:
    """Read why a call was refused."""
    try:
        return Refused(ProblemOut.model_validate_json(response.content))
    except ValidationError:
        said = f"the service answered {response.status_code}"
        return Refused(
            ProblemOut(type="about:blank", title=said, status=response.status_code, detail=said)
        )
