"""A client of the service: typed, and safe to repeat.

    with Client("http://127.0.0.1:8000", key) as client:
        client.create_study("answers", votes=3)
        ...
        for assignment in client.next("answers", worker="ann").assignments:
            client.judge(assignment, "left")

Every call either happens once or not at all, so what gets no answer is simply sent again: creating
calls carry an Idempotency-Key, and the others change nothing when they are repeated.
"""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from nextpair.app.client.connection import Connection, Refused, Unreachable
from nextpair.app.client.hiring_calls import Hiring
from nextpair.app.client.judging_calls import Judging
from nextpair.app.client.key_calls import Keys
from nextpair.app.client.result_calls import Knowing
from nextpair.app.client.setup_calls import SettingUp

__all__ = ["Client", "Refused", "Unreachable"]


class Client(SettingUp, Judging, Knowing, Hiring, Keys):
    """Calls the service; one connection pool, usable by many threads.

    Parameters
    ----------
    retries
        How often a call is sent again that got no answer, or was told to come back later.
    sleep
        How to wait in between.
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
        super().__init__(Connection(url, key, timeout=timeout, retries=retries, sleep=sleep))

    @property
    def url(self) -> str:
        """The address of the service."""
        return str(self._connection.http.base_url).rstrip("/")

    def close(self) -> None:
        """Give back the connections."""
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
        """Raise unless the service can serve."""
        self._connection.send("GET", "/readyz")
