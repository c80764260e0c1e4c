"""Schema revisions: migrates a database, and checks that its revision is this program's."""

import pkgutil
from functools import cache

from sqlalchemy import inspect, text

from nextpair.storage import keys
from nextpair.storage.database import Connection, Database
from nextpair.storage.errors import WrongSchema
from nextpair.storage.migrations import versions

_LOCK = 7_398_247_101
"""Key of the advisory lock, any number: of processes that start together, one migrates."""


def migrate(database: Database, revision: str = "head") -> None:
    """Bring the database to a revision, or back to one that is named by a step: 0005-1, -1."""
    # It takes long to import, and as a rule there is nothing to migrate.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "nextpair.storage:migrations")
    with database.write() as connection:
        _lock(database, connection)
        database.lift_timeouts(connection)
        config.attributes["connection"] = connection
        if revision == "base" or "-" in revision:
            command.downgrade(config, revision)
        else:
            command.upgrade(config, revision)


def prepare(database: Database, fresh_secret: str) -> None:
    """Migrate a database if necessary, and insert the signing secret if there is none."""
    found = _revision(database)
    if found != _newest():
        _refuse_newer(found)
        migrate(database)
    with database.write() as connection:
        _lock(database, connection)
        keys.secret(connection, keys.SIGNING, fresh_secret)


def _lock(database: Database, connection: Connection) -> None:
    if not database.is_sqlite:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})


def check_schema(database: Database) -> None:
    """Raise unless the database is at the newest revision."""
    found, newest = _revision(database), _newest()
    _refuse_newer(found)
    if found != newest:
        raise WrongSchema(
            f"the database is at revision {found or 'none'}, this program needs {newest}"
        )


def watch_schema(database: Database) -> bool:
    """Forbid writing if another program has migrated the database, or allow it again.

    Returns whether that has changed. It costs a statement, so a server calls it every few seconds,
    and not with every request.
    """
    before = database.outdated
    try:
        check_schema(database)
    except WrongSchema as error:
        database.outdated = f"{error}; nothing was changed"
    else:
        database.outdated = ""
    return database.outdated != before


def _refuse_newer(found: str | None) -> None:
    if found is not None and found not in _known():
        raise WrongSchema(
            f"the database is at revision {found}, which this program does not know (it knows"
            f" {_newest()} and before): a newer nextpair has used it; run that one"
        )


def _revision(database: Database) -> str | None:
    """Return the revision of a database; None if it is empty."""
    with database.read() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        found = connection.execute(text("SELECT version_num FROM alembic_version"))
        return found.scalar_one_or_none()


@cache
def _newest() -> str | None:
    """Return the newest revision this program knows."""
    return max(_known(), default=None)


@cache
def _known() -> frozenset[str]:
    """Return the revisions this program knows, by the names of their scripts: v0001_service.py."""
    names = (module.name for module in pkgutil.iter_modules(versions.__path__))
    return frozenset(name[1:].partition("_")[0] for name in names)
