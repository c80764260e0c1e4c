"""The database's own clock: one time for all processes, whatever their machines' clocks say."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, literal, literal_column, select

TIME_SOURCE = "nextpair_clock"
"""The execution option by which tests put a clock of theirs in place of the database's."""
_TIME: dict[str, ColumnElement[float]] = {
    # SQLite has no clock but this machine's.
    "sqlite": literal_column("((julianday('now') - 2440587.5) * 86400.0)"),
    # Not now(), which is when the transaction began: it may have waited for a lock since.
    "postgresql": literal_column("cast(extract(epoch from clock_timestamp()) as float8)"),
}


def database_time(connection: Connection) -> ColumnElement[Any]:
    """Return the expression for the time in seconds since 1970, as the database reads it."""
    source = connection.get_execution_options().get(TIME_SOURCE)
    return _TIME[connection.dialect.name] if source is None else literal(float(source()))


def read_time(connection: Connection) -> float:
    """Read the database's clock."""
    return float(connection.execute(select(database_time(connection))).scalar_one())
