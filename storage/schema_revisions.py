"""Schema revisions: migrates a database, and checks that its revision is this program's."""

from functools import cache

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from nextpair.storage import keys
from nextpair.storage.database import Connection, Database
from nextpair.storage.errors import WrongSchema

_LOCK = 7_398_247_101
"""Key of the advisory lock, any number: of processes that start together, one migrates."""


def migrate(database: Database, revision: str = "head") -> None:
    """Upgrade the database to a revision, or downgrade it by steps: 0005-1, -1."""
    with database.write() as connection:
        _lock(database, connection)
        database.lift_timeouts(connection)
        config = _config(connection)
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
        return MigrationContext.configure(connection).get_current_revision()


@cache
def _newest() -> str | None:
    """Return the newest revision that this program knows; cached, since reading scripts is slow."""
    return ScriptDirectory.from_config(_config(None)).get_current_head()


@cache
def _known() -> frozenset[str]:
    """Return the revisions that this program knows."""
    scripts = ScriptDirectory.from_config(_config(None))
    return frozenset(script.revision for script in scripts.walk_revisions())


def _config(connection: Connection | None) -> Config:
    config = Config()
    config.set_main_option("script_location", "nextpair.storage:migrations")
    config.attributes["connection"] = connection
    return config
