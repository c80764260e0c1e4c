"""The installation of a command: its settings, and its database, migrated."""

import argparse
import secrets
import sys

from pydantic import ValidationError

from nextpair.app.settings import ServiceSettings, has_password
from nextpair.app.validation_messages import first_error
from nextpair.selectors.errors import BadOption
from nextpair.storage.database import Database
from nextpair.storage.schema_revisions import prepare


def add_database_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the argument of all commands that open a database."""
    parser.add_argument(
        "--database",
        metavar="URL",
        help="sqlite:///FILE or postgresql://USER@HOST/NAME (default: NEXTPAIR_DATABASE, or"
        " sqlite:///nextpair.db); a password does not belong here, where others see it",
    )


def read_settings(**overrides: object) -> ServiceSettings:
    """Read the settings from the environment, overridden by the command line."""
    values = {name: value for name, value in overrides.items() if value is not None}
    if has_password(str(values.get("database", ""))):
        print(
            "nextpair: warning: others on this machine can see the password in --database; better"
            " put it in a file, and its name in the environment as NEXTPAIR_DATABASE_PASSWORD_FILE",
            file=sys.stderr,
        )
    try:
        # Pydantic validates the types.
        return ServiceSettings(**values)  # type: ignore[arg-type]
    except ValidationError as error:
        name, what = first_error(error)
        where = f"{name} (NEXTPAIR_{name.upper()}): " if name else ""
        raise BadOption(f"{where}{what}") from None


def open_prepared_database(settings: ServiceSettings) -> Database:
    """Open an installation's database, and migrate it to the current schema."""
    database = Database(settings.database.get_secret_value(), busy_seconds=settings.busy_seconds)
    try:
        prepare(database, secrets.token_hex(32))
    except BaseException:
        database.close()
        raise
    return database
