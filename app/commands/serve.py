"""`nextpair serve`: one process or many, over one database."""

import argparse
import os
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack

import uvicorn
from uvicorn.supervisors import Multiprocess

from nextpair.app.commands.installation import add_database, read_settings, ready_database
from nextpair.app.runtime.temporary_folders import scratch_folder
from nextpair.app.settings import Settings
from nextpair.app.web.connection_guard import ConnectionLimits
from nextpair.app.web.metrics import FOLDER
from nextpair.selectors.errors import NextpairError
from nextpair.storage import keys

GRACE_SECONDS = 10
"""How long requests may take to end when the service is stopped."""
OWN_FILES = 200
"""Files that a process needs besides its connections: databases, uploads, libraries."""
SILENCE_SECONDS = 30
"""How long a process may be silent before it is replaced.

A busy machine is slow to start a process, and one that is replaced before it has started is
replaced for ever.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.set_defaults(run=serve)
    add_database(parser)
    parser.add_argument("--host", metavar="ADDRESS", help="where to listen (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, metavar="N", help="default: 8000; 0 takes a free one")
    parser.add_argument("--processes", type=int, metavar="N", help="how many serve (default: 1)")


def serve(given: argparse.Namespace) -> int:
    """Serve until stopped."""
    settings = read_settings(
        database=given.database, host=given.host, port=given.port, processes=given.processes
    )
    database = ready_database(settings)
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
        tell_processes(settings, stack)
        return run_server(settings, listening)


def listen(settings: Settings) -> socket.socket:
    """Listen where the settings say."""
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


def tell_processes(settings: Settings, stack: ExitStack) -> None:
    """Put what was said on the command line where the processes that serve will read it."""
    # The password is in the address by now.
    os.environ.pop("NEXTPAIR_DATABASE_PASSWORD_FILE", None)
    os.environ["NEXTPAIR_DATABASE"] = settings.database.get_secret_value()
    os.environ["NEXTPAIR_PROCESSES"] = str(settings.processes)
    if settings.processes > 1:
        os.environ[FOLDER] = str(stack.enter_context(scratch_folder("nextpair-counts-")))


class _Supervisor(Multiprocess):
    """Starts the processes that serve, and another for each that dies."""

    def keep_subprocess_alive(self) -> None:
        """Replace the dead and the silent."""
        # As long as we hold the other end of a process's pipe, its death goes unnoticed if we are
        # just waiting for an answer: we would take it for silence, and replace nobody meanwhile.
        for process in self.processes:
            process.child_conn.close()
        super().keep_subprocess_alive()


def _open_files(settings: Settings) -> int:
    """Return how many files a process may have open, once it may have as many as it needs."""
    wanted = settings.max_connections + OWN_FILES
    if sys.platform == "win32":
        return wanted
    import resource  # which Windows does not have

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return wanted if soft == resource.RLIM_INFINITY else soft


def run_server(
    settings: Settings,
    listening: socket.socket,
    grace_seconds: int = GRACE_SECONDS,
    announce: Callable[[], None] = lambda: None,
) -> int:
    """Serve at a socket that listens, until stopped.

    Parameters
    ----------
    announce
        Tells whoever waits that the service can be stopped: from here on no signal is lost.
    """
    files = _open_files(settings)
    most = min(settings.max_connections, max(files - OWN_FILES, files // 2))
    config = uvicorn.Config(
        "nextpair.app.main:create_app",
        factory=True,
        # Called as uvicorn calls a class of its own.
        http=ConnectionLimits(settings.receive_seconds, most),  # type: ignore[arg-type]
        ws="none",
        forwarded_allow_ips=settings.proxies,
        workers=settings.processes,
        log_level="warning",
        # The service writes its own log: this one would name workers and their addresses.
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
    # While the event loop is made, an interruption that is raised can be swallowed: it is noted.
    with server.capture_signals():
        announce()
        server.run(sockets=[listening])
    if not server.started:
        print("nextpair: the service could not start", file=sys.stderr)
        return 1
    return 0
