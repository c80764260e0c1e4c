"""`nextpair start`: serves the current folder, and opens the dashboard signed in."""

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

from nextpair.app.commands.serve import listen, run_server, set_process_environment
from nextpair.app.commands.sign_in import add_browser_argument, show_address, sign_in
from nextpair.app.enums import Scope
from nextpair.app.local.installation import open_prepared_database, read_settings
from nextpair.app.local.running_service import HOST, RunningService
from nextpair.app.local.service_folder import (
    DATABASE,
    AlreadyRunning,
    ServiceFolder,
    current_folder,
)
from nextpair.app.security import api_keys
from nextpair.app.settings import ServiceSettings
from nextpair.app.web.routes.signing_in import sign_in_path
from nextpair.selectors.errors import NextpairError

PORT = 8000
PORTS_TRIED = 100
"""How many consecutive ports are tried before any free one is taken."""
GRACE_SECONDS = 2
"""How long a graceful shutdown waits: an open dashboard would keep its connection for ever."""
LABEL = "commands in the folder of nextpair start"
IGNORED_VARIABLES = (
    "NEXTPAIR_DATABASE",
    "NEXTPAIR_DATABASE_PASSWORD_FILE",
    "NEXTPAIR_HOST",
    "NEXTPAIR_PORT",
    "NEXTPAIR_PROCESSES",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
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
    add_browser_argument(parser)


def start(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C; if a service already runs in the folder, only sign in."""
    folder = current_folder()
    folder.create()
    try:
        with folder.locked(), ExitStack() as stack:
            return _serve(arguments, folder, stack)
    except AlreadyRunning:
        return _sign_in_again(arguments, folder)
    except KeyboardInterrupt:
        print(f"\nstopped. Everything is kept in {DATABASE}: nextpair start goes on with it.")
        return 0


def _sign_in_again(arguments: argparse.Namespace, folder: ServiceFolder) -> int:
    running = folder.find()
    if running is None:
        raise NextpairError(
            "another nextpair start in this folder is just starting or stopping:"
            " try again in a moment"
        )
    if arguments.port not in (None, running.port):
        raise NextpairError(
            f"a service runs in this folder already, at {running.url}: stop it first"
            f" (Ctrl-C where it was started, or end process {running.pid})"
        )
    print(f"a service runs in this folder already: {running.url} (process {running.pid})")
    sign_in(folder, running, browser=arguments.browser)
    return 0


def _serve(arguments: argparse.Namespace, folder: ServiceFolder, stack: ExitStack) -> int:
    _warn_unused_variables()
    listening = stack.enter_context(_listen(arguments.port))
    running = RunningService(os.getpid(), int(listening.getsockname()[1]))
    settings = _settings(running.port)
    code = _prepare(folder, settings)
    set_process_environment(settings, stack)
    os.environ["NEXTPAIR_LOG_LEVEL"] = settings.log_level
    signal.signal(signal.SIGTERM, _interrupt)
    folder.write_service_file(running)
    address = running.url + sign_in_path(code)
    announce = partial(_announce, folder, running, address, browser=arguments.browser)
    return run_server(settings, listening, GRACE_SECONDS, announce)


def _announce(
    folder: ServiceFolder, running: RunningService, address: str, *, browser: bool
) -> None:
    print(f"nextpair serves this folder at {running.url}; everything is kept in {DATABASE}")
    show_address(folder, address, browser=browser)
    print("Ctrl-C stops it. Type other commands in another terminal, in this folder.", flush=True)


def _warn_unused_variables() -> None:
    unused = [name for name in IGNORED_VARIABLES if os.environ.get(name)]
    if unused:
        print(
            f"nextpair: {', '.join(unused)} in the environment: nextpair start does not use it,"
            " nextpair serve does",
            file=sys.stderr,
        )


def _settings(port: int) -> ServiceSettings:
    # A relative path: the folder's path may have characters that a URL cannot.
    return read_settings(
        database=f"sqlite:///{DATABASE}",
        host=HOST,
        port=port,
        processes=1,
        log_level=os.environ.get("NEXTPAIR_LOG_LEVEL", "warning"),
    )


def _listen(port: int | None) -> socket.socket:
    """Listen on the requested port, or on the first free one."""
    if port is not None:
        return listen(_settings(port))
    for candidate in range(PORT, PORT + PORTS_TRIED):
        with suppress(NextpairError):
            return listen(_settings(candidate))
    return listen(_settings(0))


def _prepare(folder: ServiceFolder, settings: ServiceSettings) -> str:
    """Prepare the database and the key of this folder; return a one-time sign-in code."""
    database = open_prepared_database(settings)
    now = time.time()
    try:
        with database.write() as connection:
            key = folder.key()
            row = None if key is None else api_keys.find_valid(connection, key, now)
            if row is None:
                key, row = api_keys.make_key(connection, Scope.ADMIN, LABEL, now)
                folder.store_key(key)
            return api_keys.make_sign_in(connection, row.id, now)[0]
    finally:
        database.close()


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Handle SIGTERM like Ctrl-C, so that the folder's files are cleaned up."""
    raise KeyboardInterrupt
