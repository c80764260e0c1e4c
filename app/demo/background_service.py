"""A detached service process, which keeps running after the command that started it."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from nextpair.app.client import Client
from nextpair.app.enums import Scope
from nextpair.app.local.installation import open_prepared_database, read_settings
from nextpair.app.local.running_service import HOST, RunningService
from nextpair.app.security.api_keys import make_key
from nextpair.selectors.errors import NextpairError

PORT = 8000
DATABASE = "nextpair.db"
SERVICE_FILE = "service.json"
LOG = "service.log"
READY_SECONDS = 60.0
STOP_SECONDS = 15.0
FILES = ("key", SERVICE_FILE, LOG, DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm")
"""All files that are written to the folder, and removed from it."""


def start(folder: Path) -> tuple[RunningService, str]:
    """Start a service on a new database in a folder; return it and an admin key to it."""
    # Private: it contains an API key and people's texts.
    folder.mkdir(mode=0o700, exist_ok=True)
    for name in FILES:
        (folder / name).unlink(missing_ok=True)
    key = _make_key(folder)
    # Retried: another program may take a port between the check and the bind.
    for port in (PORT, 0, 0):
        running = _launch(folder, _free_port(port))
        if running is not None:
            with Client(running.url, key) as client:
                client.ready()
            return running, key
    last = _read_text(folder / LOG).strip().splitlines()[-1:]
    raise NextpairError(f"the service did not start: {' '.join(last)}")


def _launch(folder: Path, port: int) -> RunningService | None:
    """Start a service on a port; return None if it ends at once."""
    process = _spawn(folder, port)
    running = RunningService(process.pid, port)
    with os.fdopen(_create_private(folder / SERVICE_FILE), "w", encoding="utf-8") as note:
        note.write(json.dumps(asdict(running)))
    try:
        if not _wait_until(
            lambda: process.poll() is not None or running.url in _read_text(folder / LOG),
            READY_SECONDS,
        ):
            raise NextpairError(f"the service did not start within {READY_SECONDS:g} seconds")
        return running if process.poll() is None else None
    except BaseException:
        stop(folder)
        raise
    finally:
        # Prevents Python's ResourceWarning: the process is left running on purpose.
        process.returncode = 0


def stop(folder: Path) -> RunningService | None:
    """Stop the service of a folder, if it runs; return its address."""
    running = find(folder)
    if running is not None:
        for stop_signal, seconds in (
            (signal.SIGTERM, STOP_SECONDS),
            (signal.SIGKILL, STOP_SECONDS),
        ):
            with suppress(ProcessLookupError):
                os.kill(running.pid, stop_signal)
            if _wait_until(lambda: find(folder) is None, seconds):
                break
        else:
            raise NextpairError(f"the service does not end: process {running.pid}")
        with suppress(ChildProcessError):
            os.waitpid(running.pid, 0)
    (folder / SERVICE_FILE).unlink(missing_ok=True)
    return running


def find(folder: Path) -> RunningService | None:
    """Return the service of a folder if it runs; a reused process id does not count."""
    try:
        running = RunningService(**json.loads((folder / SERVICE_FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    command_line = _command_line(running.pid)
    is_same = "nextpair.app.cli" in command_line and f"--port {running.port}" in command_line
    return running if is_same else None


def _make_key(folder: Path) -> str:
    database = open_prepared_database(read_settings(database=f"sqlite:///{folder / DATABASE}"))
    with database.write() as connection:
        key, _ = make_key(connection, Scope.ADMIN, "demo", time.time())
    database.close()
    with os.fdopen(_create_private(folder / "key"), "w") as to:
        to.write(f"{key}\n")
    return key


def _create_private(path: Path) -> int:
    """Create a file that only its owner can read from the start, replacing an existing one."""
    path.unlink(missing_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)


def _free_port(wanted: int) -> int:
    """Return the wanted port if it is free, or any free one."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError):
                probe.bind((HOST, port))
                return int(probe.getsockname()[1])
    raise NextpairError(f"there is no free port at {HOST}")


def _spawn(folder: Path, port: int) -> "subprocess.Popen[bytes]":
    command = ["serve", "--host", HOST, "--port", str(port), "--database", f"sqlite:///{DATABASE}"]
    # Settings in the environment are meant for the user's own service.
    environment = {name: to for name, to in os.environ.items() if not name.startswith("NEXTPAIR_")}
    with os.fdopen(_create_private(folder / LOG), "wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "nextpair.app.cli", *command],
            cwd=folder,
            env={**environment, "NEXTPAIR_LOG_LEVEL": "warning"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _wait_until(until: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if until():
            return True
        time.sleep(0.05)
    return until()


def _command_line(pid: int) -> str:
    """Return the command line of a process; empty if it has ended, even if it is a zombie."""
    listed = Path(f"/proc/{pid}/cmdline")
    if Path("/proc/self/cmdline").exists():
        try:
            return listed.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            return ""
    command = ["ps", "-o", "command=", "-p", str(pid)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
