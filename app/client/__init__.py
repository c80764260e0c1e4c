"""A typed client of the service, which retries safely.

    with Client("http://127.0.0.1:8000", key) as client:
        client.create_study("answers", votes=3)
        ...
        for assignment in client.next("answers", worker="ann").assignments:
            client.judge(assignment, "left")

All calls are idempotent, so a call that gets no response is simply sent again: calls that create
something carry an Idempotency-Key, and the others change nothing when they are repeated.
"""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from nextpair.app.client.connection import Refused, RetryingConnection, Unreachable
from nextpair.app.client.hiring_calls import HiringCalls
from nextpair.app.client.judging_calls import JudgingCalls
from nextpair.app.client.key_calls import KeyCalls
from nextpair.app.client.result_calls import ResultCalls
from nextpair.app.client.setup_calls import SetupCalls

__all__ = ["Client", "Refused", "Unreachable"]


class Client(SetupCalls, JudgingCalls, ResultCalls, HiringCalls, KeyCalls):
    """Calls the service; one connection pool, thread-safe.

    Parameters
    ----------
    retries
        How often a call is retried that got no response, or a temporary error.
    sleep
        How to wait between retries.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 60.0,
        retries: int = 8,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(
            RetryingConnection(url, key, timeout=timeout, retries=retries, sleep=sleep)
        )

    @property
    def url(self) -> str:
        """The address of the service."""
        return str(self._connection.http.base_url).rstrip("/")

    def close(self) -> None:
        """Close the connections."""
        self._connection.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def ready(self) -> None:
        """Raise unless the service is ready."""
        self._connection.send("GET", "/readyz")
