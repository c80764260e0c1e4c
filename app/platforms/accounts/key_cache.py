"""The keys that an issuer of signed links publishes: fetched in a thread of its own, and kept."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from nextpair.app.errors import BadArrival, KeysUnavailable

FETCH_SECONDS = 5.0
"""How long one fetch may take in all, and each of its steps."""
WAIT_SECONDS = 1.0
"""How long a worker waits for the first keys; later ones are fetched while old keys still serve."""
MOST_WAITING = 2
"""Requests that wait for a fetch at the same time: each holds a thread that others need."""
FRESH_SECONDS = 300.0
LONGEST_SECONDS = 86_400.0
"""After so long without an answer from the issuer, a kept key is not trusted any more."""
GAP_SECONDS = 10.0
"""Between two fetches: whoever invents names of keys must not make us ask for each."""
LARGEST = 100_000
"""Bytes of a key set; a larger one is not what was asked for."""


class KeyCache:
    """An issuer's public keys by their ids.

    No lock is held while the issuer is asked: a slow issuer delays nobody but those who wait for
    their first key, and those give up soon.
    """

    def __init__(self, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._url, self._clock = url, clock
        self._lock = threading.Lock()
        self._waiting = threading.Semaphore(MOST_WAITING)
        self._keys: Mapping[str, Any] = {}
        self._fetched = self._asked = float("-inf")
        self._running: threading.Event | None = None

    def key(self, name: str) -> Any:
        """Return the key of this id.

        Raises
        ------
        KeysUnavailable
            The issuer has not told its keys yet.
        BadArrival
            The issuer has no such key.
        """
        known = self._known(name)
        done = self._refresh() if known is None or self._age() > FRESH_SECONDS else None
        if known is None and done is not None:
            self._wait(done)
            known = self._known(name)
        if known is not None:
            return known
        if self._age() > FRESH_SECONDS:
            raise KeysUnavailable()
        raise BadArrival("this address is not signed with a key of the platform")

    def _known(self, name: str) -> Any:
        with self._lock:
            return self._keys.get(name) if self._age() < LONGEST_SECONDS else None

    def _age(self) -> float:
        return self._clock() - self._fetched

    def _wait(self, done: threading.Event) -> None:
        if self._waiting.acquire(blocking=False):
            try:
                done.wait(WAIT_SECONDS)
            finally:
                self._waiting.release()

    def _refresh(self) -> threading.Event | None:
        """Start a fetch, unless one was just made; return what tells the end of one that runs."""
        with self._lock:
            if self._running is None and self._clock() - self._asked >= GAP_SECONDS:
                self._running = threading.Event()
                self._asked = self._clock()
                threading.Thread(target=self._fetch, args=(self._running,), daemon=True).start()
            return self._running

    def _fetch(self, done: threading.Event) -> None:
        try:
            keys = _read(self._url)
        except Exception:
            # Whatever the issuer answers that is no set of keys: the kept keys go on serving.
            keys = None
        with self._lock:
            if keys is not None:
                self._keys, self._fetched = keys, self._clock()
            self._running = None
        done.set()


def _read(url: str) -> dict[str, Any]:
    import jwt

    ends = time.monotonic() + FETCH_SECONDS
    content = b""
    with httpx.stream("GET", url, timeout=FETCH_SECONDS, follow_redirects=False) as response:
        response.raise_for_status()
        for part in response.iter_bytes():
            content += part
            if len(content) > LARGEST or time.monotonic() > ends:
                raise ValueError("too long")
    listed = jwt.PyJWKSet.from_dict(json.loads(content))
    return {str(one.key_id): one for one in listed.keys if one.key_id is not None}
