"""The database: durable, never waited for without end, and silent about what people wrote."""

import sqlite3
from collections.abc import Iterator

import pytest
from sqlalchemy import text

from nextpair.selectors.errors import BadOption
from nextpair.storage import studies
from nextpair.storage.database import Database
from nextpair.storage.errors import AlreadyThere, Unavailable
from nextpair.storage.schema_revisions import prepare

NOWHERE = "postgresql://someone:hunter2@127.0.0.1:1/none"


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A database with its tables."""
    made = Database(database_url)
    prepare(made, "secret")
    yield made
    made.close()


def test_sqlite_is_set_up_to_lose_nothing(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    for begin in (database.read, database.write, database.read):
        with begin() as connection:
            found = {
                name: connection.execute(text(f"PRAGMA {name}")).scalar()
                for name in ("journal_mode", "synchronous", "foreign_keys")
            }
            assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
    database.close()


def test_postgresql_waits_for_a_lock_only_so_long(postgresql_url: str) -> None:
    first, second = Database(postgresql_url), Database(postgresql_url, busy_seconds=0.2)
    prepare(first, "secret")
    with first.write() as connection:
        connection.execute(text("LOCK TABLE studies"))
        with pytest.raises(Unavailable), second.write() as waiting:
            studies.add_study(waiting, "s", {}, 0.0)
    first.close()
    second.close()


def test_a_locked_sqlite_is_unavailable(sqlite_url: str) -> None:
    prepare(Database(sqlite_url), "secret")
    database = Database(sqlite_url, busy_seconds=0.1)
    other = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable), database.write():
        pass
    with database.read() as connection:
        assert studies.find_study(connection, "s") is None, "reading does not wait for writers"
    other.execute("ROLLBACK")
    other.close()
    with database.write() as connection:
        studies.add_study(connection, "s", {}, 0.0)
    database.close()


@pytest.mark.parametrize("url", [NOWHERE, "sqlite:////no/such/folder/nextpair.db"])
def test_what_cannot_be_reached_is_unavailable_and_its_password_untold(url: str) -> None:
    database = Database(url)
    with pytest.raises(Unavailable) as told:
        database.ping()
    assert "hunter2" not in str(told.value)
    database.close()


def test_all_connections_in_use_is_unavailable(postgresql_url: str) -> None:
    database = Database(postgresql_url, pool_size=1, busy_seconds=0.1)
    with database.read(), database.read(), pytest.raises(Unavailable, match="in use"):
        database.ping()
    database.close()


def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.write() as connection:
        studies.add_study(connection, "s", {}, 0.0)
        raise ZeroDivisionError
    with database.read() as connection:
        assert studies.find_study(connection, "s") is None


def test_an_error_does_not_repeat_what_people_wrote(database: Database) -> None:
    with database.write() as connection:
        studies.add_study(connection, "secret-name", {"title": "secret-title"}, 0.0)
    with pytest.raises(AlreadyThere) as told, database.write() as connection:
        studies.add_study(connection, "secret-name", {"title": "secret-title"}, 0.0)
    assert "secret" not in str(told.value)
    cause = told.value.__cause__
    assert cause is not None
    assert "secret-title" not in str(cause)


def test_what_refers_to_nothing_is_refused(database: Database) -> None:
    with pytest.raises(AlreadyThere), database.write() as connection:
        studies.enlist_worker(connection, 999, "ann", 0.0)


@pytest.mark.parametrize(
    "url",
    ["", "nonsense", "mysql://x/y", "sqlite://", "sqlite:///:memory:", "postgresql//u:hunter2@h"],
)
def test_only_a_file_or_a_server_is_a_database(url: str) -> None:
    with pytest.raises(BadOption) as told:
        Database(url)
    assert "hunter2" not in str(told.value)


def test_an_address_of_postgres_means_postgresql() -> None:
    assert Database("postgres://u@h/d").url.drivername == "postgresql+psycopg"
    assert Database("postgresql+psycopg2://u@h/d").url.drivername == "postgresql+psycopg"
