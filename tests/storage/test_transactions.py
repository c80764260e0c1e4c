"""Transactions: what a reader sees while others write, and what the silent keep."""

import pytest
from crowds import until
from installations import new_key
from sqlalchemy import text

from nextpair.storage.database import Connection, Database
from nextpair.storage.errors import Unavailable

COUNT = "SELECT count(*) FROM secrets"
ADD = "INSERT INTO secrets (name, value) VALUES ('of the test', 'x')"
LOCK = "SELECT * FROM secrets FOR UPDATE"


def _count(connection: Connection) -> int:
    found: int = connection.execute(text(COUNT)).scalar_one()
    return found


def test_a_reader_sees_one_moment_however_much_is_written_meanwhile(database_url: str) -> None:
    new_key(database_url)
    database = Database(database_url)

    with database.read() as reading:
        before = _count(reading)
        with database.write() as writing:
            writing.execute(text(ADD))
        assert _count(reading) == before

    with database.read() as reading:
        assert _count(reading) == before + 1
    database.close()


def test_a_writer_sees_what_others_have_written_since_it_began(postgresql_url: str) -> None:
    new_key(postgresql_url)
    database = Database(postgresql_url)

    with database.write() as slower:
        before = _count(slower)
        with database.write() as faster:
            faster.execute(text(ADD))
        assert _count(slower) == before + 1
    database.close()


def test_who_falls_silent_in_a_transaction_loses_its_locks(postgresql_url: str) -> None:
    new_key(postgresql_url)
    silent, patient = Database(postgresql_url, idle_seconds=0.2), Database(postgresql_url)

    with pytest.raises(Unavailable), silent.write() as holding:
        holding.execute(text(LOCK))
        with patient.write() as waiting:
            waiting.execute(text(LOCK))
        holding.execute(text(ADD))

    with patient.read() as reading:
        before = _count(reading)
    until(lambda: _can_write(silent), "the database can be written to again")
    with patient.read() as reading:
        assert _count(reading) == before + 1
    silent.close()
    patient.close()


def _can_write(database: Database) -> bool:
    try:
        with database.write() as connection:
            connection.execute(text(ADD))
    except Unavailable:
        return False
    return True
