"""A PostgreSQL that cannot be heard is given up in time, and heard again once it speaks."""

from collections.abc import Iterator

import pytest
from crowds import until
from silent_proxy import SilentProxy, silent_proxy
from sqlalchemy import text

from nextpair.storage import postgresql
from nextpair.storage.database import Database
from nextpair.storage.errors import Unavailable


@pytest.fixture
def proxy(postgresql_url: str) -> Iterator[SilentProxy]:
    """A proxy before a database."""
    with silent_proxy(postgresql_url) as made:
        yield made


def answers(database: Database) -> bool:
    try:
        database.ping()
    except Unavailable:
        return False
    return True


@pytest.mark.parametrize("idle_seconds", [postgresql.IDLE_SECONDS, 0.0])
def test_whoever_asks_a_silent_server_is_told_while_it_is_silent(
    proxy: SilentProxy, monkeypatch: pytest.MonkeyPatch, idle_seconds: float
) -> None:
    # A connection that was not used for a while is asked first whether it lives.
    monkeypatch.setattr(postgresql, "IDLE_SECONDS", idle_seconds)
    database = Database(proxy.url, busy_seconds=1)
    assert answers(database)
    with proxy.silence():
        for _ in range(3):
            assert not answers(database)
        with pytest.raises(Unavailable), database.write():
            pass
    until(lambda: answers(database), "the server is heard again")
    with database.write() as connection:
        connection.execute(text("SELECT 1"))
    database.close()


def test_only_one_at_a_time_tries_a_silent_server() -> None:
    breaker = postgresql.CircuitBreaker()
    breaker.check()
    breaker.trip()
    with pytest.raises(Unavailable, match="does not answer"):
        breaker.check()
    tried = 0

    def try_it() -> bool:
        nonlocal tried
        try:
            breaker.check()
        except Unavailable:
            return False
        tried += 1
        return True

    until(try_it, "it may be tried again")
    assert not try_it()
    assert tried == 1
    breaker.reset()
    assert try_it()


def test_a_migration_may_take_its_time(postgresql_url: str) -> None:
    database = Database(postgresql_url, busy_seconds=0.2)
    with pytest.raises(Unavailable), database.write() as connection:
        connection.execute(text("SELECT pg_sleep(0.5)"))
    with database.write() as connection:
        database.lift_timeouts(connection)
        connection.execute(text("SELECT pg_sleep(0.5)"))
    with pytest.raises(Unavailable), database.write() as connection:
        connection.execute(text("SELECT pg_sleep(0.5)"))
    database.close()
