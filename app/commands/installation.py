"""Which installation a command is about, and making its database ready."""

import argparse
import secrets
import sys

from pydantic import ValidationError

from nextpair.app.settings import Settings, has_password
from nextpair.app.validation_messages import first_of
from nextpair.selectors.errors import BadOption
from nextpair.storage.database import Database
from nextpair.storage.schema_revisions import prepare


def add_database(parser: argparse.ArgumentParser) -> None:
    """Describe the word every command has that works on a database."""
    parser.add_argument(
        "--database",
        metavar="URL",
        help="sqlite:///FILE or postgresql://USER@HOST/NAME (default: NEXTPAIR_DATABASE, or"
        " sqlite:///nextpair.db); a password does not belong here, where others see it",
    )


def read_settings(**given: object) -> Settings:
    """Read the settings from the environment, and what a command says over it."""
    said = {name: value for name, value in given.items() if value is not None}
    if has_password(str(said.get("database", ""))):
        print(
            "nextpair: warning: others on this machine can see the password in --database; better"
            " put it in a file, and its name in the environment as NEXTPAIR_DATABASE_PASSWORD_FILE",
            file=sys.stderr,
        )
    try:
        # Of what types they are, pydantic finds out.
        return Settings(**said)  # type: ignore[arg-type]
    except ValidationError as error:
        name, what = first_of(error)
        where = f"{name} (NEXTPAIR_{name.upper()}): " if name else ""
        raise BadOption(f"{where}{what}") from None


def ready_database(settings: Settings) -> Database:
    """Open an installation's database and bring it to the tables this program knows."""
    database = Database(settings.database.get_secret_value(), busy_seconds=settings.busy_seconds)
    try:
        prepare(database, secrets.token_hex(32))
    except BaseException:
        database.close()
        raise
    return database
