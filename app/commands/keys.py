"""`nextpair keys`: create, list and revoke API keys, directly in the database."""

import argparse
import time
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table

from nextpair.app.enums import Scope
from nextpair.app.local.installation import (
    add_database_argument,
    open_prepared_database,
    read_settings,
)
from nextpair.app.security import api_keys
from nextpair.storage import keys as stored


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    subcommands = parser.add_subparsers(title="keys", required=True, metavar="create|list|revoke")
    create = subcommands.add_parser("create", help="make a key and show it, this once")
    create.add_argument(
        "--scope",
        required=True,
        choices=[scope.value for scope in Scope],
        help="admin: everything; platform: ask and answer; read: look at results",
    )
    create.add_argument("--label", default="", help="what it is for")
    create.set_defaults(run=_create)
    listed = subcommands.add_parser("list", help="list all keys")
    listed.set_defaults(run=_list)
    revoke = subcommands.add_parser("revoke", help="let a key open nothing any more")
    revoke.add_argument("id", help="the key's id, as the list shows it")
    revoke.set_defaults(run=_revoke)
    for subparser in (create, listed, revoke):
        add_database_argument(subparser)


def _create(arguments: argparse.Namespace) -> int:
    database = open_prepared_database(read_settings(database=arguments.database))
    with database.write() as connection:
        key, _ = api_keys.make_key(connection, Scope(arguments.scope), arguments.label, time.time())
    print(key)
    return 0


def _list(arguments: argparse.Namespace) -> int:
    database = open_prepared_database(read_settings(database=arguments.database))
    with database.read() as connection:
        rows = stored.list_keys(connection)
    table = Table("id", "scope", "label", "made", "revoked", box=None)
    for row in rows:
        table.add_row(row.id, row.scope, row.label, _day(row.created_at), _day(row.revoked_at))
    Console().print(table)
    return 0


def _day(at: float | None) -> str:
    return "" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")


def _revoke(arguments: argparse.Namespace) -> int:
    database = open_prepared_database(read_settings(database=arguments.database))
    with database.write() as connection:
        api_keys.revoke_key(connection, arguments.id, time.time())
    return 0
