"""`nextpair serve`: serves the HTTP API with one process or several on one database."""

import argparse
import os
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack

import uvicorn
from uvicorn.supervisors import Multiprocess

from nextpair.app.local.installation import (
    add_database_argument,
    open_prepared_database,
    read_settings,
)
from nextpair.app.runtime.temporary_folders import scratch_folder
from nextpair.app.settings import ServiceSettings
from nextpair.app.web.connection_limits import ConnectionLimits
from nextpair.app.web.metrics import FOLDER
from nextpair.selectors.errors import NextpairError
from nextpair.storage import keys

GRACE_SECONDS = 10
"""How long a graceful shutdown waits for requests to finish."""
RESERVED_FILES = 200
"""File descriptors that a process needs besides its connections: databases, uploads, libraries."""
SILENCE_SECONDS = 30
"""The timeout of the health check of worker processes.

On a busy machine processes start slowly: with a shorter timeout, they would be replaced before they
have started, again and again.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.set_defaults(run=serve)
    add_database_argument(parser)
    parser.add_argument("--host", metavar="ADDRESS", help="where to listen (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, metavar="N", help="default: 8000; 0 takes a free one")
    parser.add_argument("--processes", type=int, metavar="N", help="how many serve (default: 1)")


def serve(arguments: argparse.Namespace) -> int:
    """Serve until stopped."""
    settings = read_settings(
        database=arguments.database,
        host=arguments.host,
        port=arguments.port,
        processes=arguments.processes,
    )
    database = open_prepared_database(settings)
    with database.read() as connection:
        has_keys = bool(keys.list_keys(connection))
    database.close()
    with ExitStack() as stack:
        listening = stack.enter_context(listen(settings))
        host, port = listening.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        print(f"nextpair serves at http://{shown}:{port}", flush=True)
        if not has_keys:
            print("there is no key yet: nextpair keys create --scope admin", flush=True)
        set_process_environment(settings, stack)
        return run_server(settings, listening)


def listen(settings: ServiceSettings) -> socket.socket:
    """Open the listening socket."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
    except OSError as error:
        listening.close()
        raise NextpairError(
            f"cannot listen at {settings.host}:{settings.port}: {error.strerror}"
        ) from None
    listening.listen(2048)
    listening.set_inheritable(True)
    return listening


def set_process_environment(settings: ServiceSettings, stack: ExitStack) -> None:
    """Pass the settings of the command line to the server processes, through the environment."""
    # The password is already part of the database URL.
    os.environ.pop("NEXTPAIR_DATABASE_PASSWORD_FILE", None)
    os.environ["NEXTPAIR_DATABASE"] = settings.database.get_secret_value()
    os.environ["NEXTPAIR_PROCESSES"] = str(settings.processes)
    if settings.processes > 1:
        os.environ[FOLDER] = str(stack.enter_context(scratch_folder("nextpair-counts-")))


class _Supervisor(Multiprocess):
    """Starts the server processes, and replaces those that die."""

    def keep_subprocess_alive(self) -> None:
        """Replace dead and unresponsive processes."""
        # While this process holds the child's end of a pipe, reading from it does not fail when the
        # child dies: the health check would block until its timeout, and replace no other process.
        for process in self.processes:
            process.child_conn.close()
        super().keep_subprocess_alive()


def _raise_file_limit(settings: ServiceSettings) -> int:
    """Raise the limit of open files as far as needed and allowed; return the limit."""
    wanted = settings.max_connections + RESERVED_FILES
    if sys.platform == "win32":
        return wanted
    import resource  # which Windows does not have

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return wanted if soft == resource.RLIM_INFINITY else soft


def run_server(
    settings: ServiceSettings,
    listening: socket.socket,
    grace_seconds: int = GRACE_SECONDS,
    announce: Callable[[], None] = lambda: None,
) -> int:
    """Serve at a listening socket until stopped.

    Parameters
    ----------
    announce
        Called as soon as signals are handled, so that the service can be stopped.
    """
    files = _raise_file_limit(settings)
    most = min(settings.max_connections, max(files - RESERVED_FILES, files // 2))
    config = uvicorn.Config(
        "nextpair.app.main:create_app",
        factory=True,
        # An instance whose __call__ stands in for the protocol class.
        http=ConnectionLimits(settings.receive_seconds, most),  # type: ignore[arg-type]
        ws="none",
        forwarded_allow_ips=settings.proxies,
        workers=settings.processes,
        log_level="warning",
        # The service has its own access log: uvicorn's would contain workers and their addresses.
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=grace_seconds,
        timeout_worker_healthcheck=SILENCE_SECONDS,
    )
    if settings.processes > 1:
        announce()
        _Supervisor(config, sockets=[listening]).run()
        return 0
    server = uvicorn.Server(config)
    # A KeyboardInterrupt that is raised while the event loop is created can be swallowed, so
    # signals are captured from here on.
    with server.capture_signals():
        announce()
        server.run(sockets=[listening])
    if not server.started:
        print("nextpair: the service could not start", file=sys.stderr)
        return 1
    return 0
