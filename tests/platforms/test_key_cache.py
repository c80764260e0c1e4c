"""The keys of signed links: a slow or odd key server holds up nobody who judges."""

import threading
from collections.abc import Iterator

import pytest
from crowds import PATIENCE, until
from in_process import Clock
from platforms.fake_server import Reply, Request, serving
from platforms.test_prolific import Keys
from pydantic import SecretStr

from nextpair.app.errors import BadArrival, KeysUnavailable
from nextpair.app.platforms.accounts import key_cache
from nextpair.app.platforms.accounts.key_cache import FRESH_SECONDS, MAX_AGE_SECONDS, KeyCache
from nextpair.app.platforms.base import Platform
from nextpair.app.platforms.registry import make_platform, read_access

CALLERS = 8


class SlowKeys(Keys):
    """A key server that answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.asked = 0
        self.reply: Reply | None = None

    def answer(self, request: Request) -> Reply:
        """Wait, and tell the keys, or something else."""
        self.asked += 1
        assert self.may_answer.wait(PATIENCE)
        return self.reply or super().answer(request)


@pytest.fixture
def keys() -> Iterator[SlowKeys]:
    """A key server."""
    with serving(SlowKeys()) as running:
        yield running
        running.may_answer.set()


@pytest.fixture(autouse=True)
def _no_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_cache, "GAP_SECONDS", 0.0)


def test_who_comes_while_keys_are_slow_is_sent_away_soon_and_let_in_when_they_are_there(
    keys: SlowKeys,
) -> None:
    access = read_access("prolific", {"prolific": {"keys": SecretStr(f"{keys.url}/jwks")}})
    platform: Platform = make_platform("prolific", {"secure": True})
    link, told = keys.link(), []
    keys.may_answer.clear()

    def come() -> None:
        with pytest.raises(KeysUnavailable):
            platform.identify(link, access)
        told.append("later")

    callers = [threading.Thread(target=come) for _ in range(CALLERS)]
    for one in callers:
        one.start()
    for one in callers:
        one.join(PATIENCE)
    # The server has answered nothing yet: nobody has waited for it to the end.
    assert (told, keys.asked) == (["later"] * CALLERS, 1)
    keys.may_answer.set()
    until(lambda: _comes(platform, link, access), "the keys are there")
    assert platform.identify(link, access).worker == "p1"


def _comes(platform: Platform, link: dict[str, str], access: object) -> bool:
    try:
        return platform.identify(link, access).worker == "p1"
    except KeysUnavailable:
        return False


def test_kept_keys_serve_while_new_ones_are_fetched(keys: SlowKeys) -> None:
    clock = Clock()
    cache = KeyCache(f"{keys.url}/jwks", clock)
    until(lambda: _has(cache), "the first fetch")
    keys.may_answer.clear()
    clock.move(FRESH_SECONDS + 1)
    assert cache.key("k1").key_id == "k1", "without waiting"
    until(lambda: keys.asked == 2, "they are fetched anew")
    keys.reply = Reply(503)
    keys.may_answer.set()
    clock.move(FRESH_SECONDS)
    assert cache.key("k1").key_id == "k1", "the server is away, and its keys go on serving"
    clock.move(MAX_AGE_SECONDS)
    with pytest.raises(KeysUnavailable):
        cache.key("k1")


def _has(cache: KeyCache) -> bool:
    try:
        return bool(cache.key("k1"))
    except KeysUnavailable:
        return False


def test_invented_keys_are_not_asked_for_again_and_again(
    keys: SlowKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_cache, "GAP_SECONDS", 10.0)
    cache = KeyCache(f"{keys.url}/jwks", Clock())
    until(lambda: _has(cache), "the first fetch")
    for number in range(5):
        with pytest.raises(BadArrival):
            cache.key(f"invented-{number}")
    assert keys.asked == 1


@pytest.mark.parametrize(
    "body", [b"<html>", b"[]", b"[1]", b'{"keys": 7}', b'{"keys": []}', b"[" * 99_999, b"\xff"]
)
def test_a_key_server_that_answers_oddly_has_no_keys(keys: SlowKeys, body: bytes) -> None:
    keys.reply = Reply(200, body)
    cache = KeyCache(f"{keys.url}/jwks")
    for _ in range(2):
        with pytest.raises(KeysUnavailable):
            cache.key("k1")
