"""The database's clock: one time for all processes, whatever the clocks of their machines."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, literal, literal_column, select

TIME_SOURCE = "nextpair_clock"
"""The execution option with which tests replace the database's clock."""
_TIME: dict[str, ColumnElement[float]] = {
    # SQLite uses the clock of this machine.
    "sqlite": literal_column("((julianday('now') - 2440587.5) * 86400.0)"),
    # Not now(), the start of the transaction: it may have waited for a lock since then.
    "postgresql": literal_column("cast(extract(epoch from clock_timestamp()) as float8)"),
}


def database_time(connection: Connection) -> ColumnElement[Any]:
    """Return the expression for the time in seconds since 1970, as the database reads it."""
    source = connection.get_execution_options().get(TIME_SOURCE)
    return _TIME[connection.dialect.name] if source is None else literal(float(source()))


def read_time(connection: Connection) -> float:
    """Read the database's clock."""
    return float(connection.execute(select(database_time(connection))).scalar_one())
