"""A cache of the public keys of an issuer of signed links, refreshed in a thread of its own."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from nextpair.app.errors import BadArrival, KeysUnavailable

FETCH_SECONDS = 5.0
"""How long one fetch may take in all, and each step of it."""
WAIT_SECONDS = 1.0
"""How long a worker waits for the first keys; later, cached keys serve during a fetch."""
MAX_WAITING = 2
"""Requests that wait for a fetch at the same time: each blocks a thread that others need."""
FRESH_SECONDS = 300.0
MAX_AGE_SECONDS = 86_400.0
"""After so long without an answer from the issuer, a cached key is not trusted any more."""
GAP_SECONDS = 10.0
"""Between two fetches, at least: invented key ids must not cause a fetch each."""
MAX_BYTES = 100_000
"""Bytes of a key set; a larger one is no key set."""


class KeyCache:
    """An issuer's public keys by their ids.

    No lock is held during a fetch: a slow issuer delays only those who wait for their first key,
    and those give up soon.
    """

    def __init__(self, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._url, self._clock = url, clock
        self._lock = threading.Lock()
        self._waiting = threading.Semaphore(MAX_WAITING)
        self._keys: Mapping[str, Any] = {}
        self._fetched = self._asked = float("-inf")
        self._running: threading.Event | None = None

    def key(self, name: str) -> Any:
        """Return the key of this id.

        Raises
        ------
        KeysUnavailable
            The keys were not fetched yet.
        BadArrival
            The issuer has no such key.
        """
        key = self._cached(name)
        done = self._refresh() if key is None or self._age() > FRESH_SECONDS else None
        if key is None and done is not None:
            self._wait(done)
            key = self._cached(name)
        if key is not None:
            return key
        if self._age() > FRESH_SECONDS:
            raise KeysUnavailable()
        raise BadArrival("this address is not signed with a key of the platform")

    def _cached(self, name: str) -> Any:
        with self._lock:
            return self._keys.get(name) if self._age() < MAX_AGE_SECONDS else None

    def _age(self) -> float:
        return self._clock() - self._fetched

    def _wait(self, done: threading.Event) -> None:
        if self._waiting.acquire(blocking=False):
            try:
                done.wait(WAIT_SECONDS)
            finally:
                self._waiting.release()

    def _refresh(self) -> threading.Event | None:
        """Start a fetch, unless one was just made; return the event that ends a running one."""
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
            # The answer is no key set: the cached keys go on serving.
            keys = None
        with self._lock:
            if keys is not None:
                self._keys, self._fetched = keys, self._clock()
            self._running = None
        done.set()


def _read(url: str) -> dict[str, Any]:
    import jwt

    deadline = time.monotonic() + FETCH_SECONDS
    content = b""
    with httpx.stream("GET", url, timeout=FETCH_SECONDS, follow_redirects=False) as response:
        response.raise_for_status()
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > MAX_BYTES or time.monotonic() > deadline:
                raise ValueError("too long")
    key_set = jwt.PyJWKSet.from_dict(json.loads(content))
    return {str(key.key_id): key for key in key_set.keys if key.key_id is not None}
