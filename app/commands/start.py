"""`nextpair start`: a service for the folder it is called in, with its dashboard signed in."""

import argparse
import os
import signal
import socket
import sys
import time
from contextlib import ExitStack, suppress
from functools import partial
from types import FrameType
from typing import NoReturn

from nextpair.app.commands.installation import read_settings, ready_database
from nextpair.app.commands.serve import listen, run_server, tell_processes
from nextpair.app.commands.sign_in import add_browser, show_address, sign_in
from nextpair.app.enums import Scope
from nextpair.app.local.address import HOST, Running
from nextpair.app.local.folder import DATABASE, AlreadyRunning, Folder, here
from nextpair.app.security import api_keys
from nextpair.app.settings import Settings
from nextpair.app.web.routes.signing_in import sign_in_path
from nextpair.selectors.errors import NextpairError

PORT = 8000
NEARBY = 100
"""How many ports are tried, one after the other, before any free one is taken."""
GRACE_SECONDS = 2
"""How long requests may take to end: an open dashboard would keep its connection for ever."""
LABEL = "commands in the folder of nextpair start"
UNUSED = (
    "NEXTPAIR_DATABASE",
    "NEXTPAIR_DATABASE_PASSWORD_FILE",
    "NEXTPAIR_HOST",
    "NEXTPAIR_PORT",
    "NEXTPAIR_PROCESSES",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.set_defaults(run=start)
    parser.description = (
        f"Start a service for this folder, with everything in ./{DATABASE}, and open its dashboard"
        " signed in. It listens on this machine only. Other commands find it if they are called"
        " in the same folder."
    )
    parser.add_argument(
        "--port",
        type=int,
        metavar="N",
        help=f"default: {PORT}, or the next one that is free; 0 takes any free one",
    )
    add_browser(parser)


def start(given: argparse.Namespace) -> int:
    """Serve until Ctrl-C; where a service runs already, only sign in there."""
    folder = here()
    folder.make()
    try:
        with folder.held(), ExitStack() as stack:
            return _serve(given, folder, stack)
    except AlreadyRunning:
        return _sign_in_again(given, folder)
    except KeyboardInterrupt:
        print(f"\nstopped. Everything is kept in {DATABASE}: nextpair start goes on with it.")
        return 0


def _sign_in_again(given: argparse.Namespace, folder: Folder) -> int:
    running = folder.find()
    if running is None:
        raise NextpairError(
            "another nextpair start in this folder is just starting or stopping:"
            " try again in a moment"
        )
    if given.port not in (None, running.port):
        raise NextpairError(
            f"a service runs in this folder already, at {running.url}: stop it first"
            f" (Ctrl-C where it was started, or end process {running.pid})"
        )
    print(f"a service runs in this folder already: {running.url} (process {running.pid})")
    sign_in(folder, running, browser=given.browser)
    return 0


def _serve(given: argparse.Namespace, folder: Folder, stack: ExitStack) -> int:
    _tell_unused()
    listening = stack.enter_context(_listen(given.port))
    running = Running(os.getpid(), int(listening.getsockname()[1]))
    settings = _settings(running.port)
    code = _prepare(folder, settings)
    tell_processes(settings, stack)
    os.environ["NEXTPAIR_LOG_LEVEL"] = settings.log_level
    signal.signal(signal.SIGTERM, _interrupt)
    folder.note(running)
    address = running.url + sign_in_path(code)
    announce = partial(_announce, folder, running, address, browser=given.browser)
    return run_server(settings, listening, GRACE_SECONDS, announce)


def _announce(folder: Folder, running: Running, address: str, *, browser: bool) -> None:
    print(f"nextpair serves this folder at {running.url}; everything is kept in {DATABASE}")
    show_address(folder, address, browser=browser)
    print("Ctrl-C stops it. Type other commands in another terminal, in this folder.", flush=True)


def _tell_unused() -> None:
    unused = [name for name in UNUSED if os.environ.get(name)]
    if unused:
        print(
            f"nextpair: {', '.join(unused)} in the environment: nextpair start does not use it,"
            " nextpair serve does",
            file=sys.stderr,
        )


def _settings(port: int) -> Settings:
    # The database by its name alone: a folder's path may have characters that an address cannot.
    return read_settings(
        database=f"sqlite:///{DATABASE}",
        host=HOST,
        port=port,
        processes=1,
        log_level=os.environ.get("NEXTPAIR_LOG_LEVEL", "warning"),
    )


def _listen(port: int | None) -> socket.socket:
    """Listen at the port that was asked for, or at the first that is free."""
    if port is not None:
        return listen(_settings(port))
    for one in range(PORT, PORT + NEARBY):
        with suppress(NextpairError):
            return listen(_settings(one))
    return listen(_settings(0))


def _prepare(folder: Folder, settings: Settings) -> str:
    """Make the database ready, with a key for this folder; return a code to sign in with."""
    database = ready_database(settings)
    now = time.time()
    try:
        with database.write() as connection:
            key = folder.key()
            row = None if key is None else api_keys.find_valid(connection, key, now)
            if row is None:
                key, row = api_keys.make_key(connection, Scope.ADMIN, LABEL, now)
                folder.keep_key(key)
            return api_keys.make_sign_in(connection, row.id, now)[0]
    finally:
        database.close()


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """End as Ctrl-C does, so that nothing stale is left behind."""
    raise KeyboardInterrupt
