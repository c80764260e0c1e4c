"""A service that goes on running when the command that started it has ended."""

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
from nextpair.app.commands.installation import read_settings, ready_database
from nextpair.app.enums import Scope
from nextpair.app.local.address import HOST, Running
from nextpair.app.security.api_keys import make_key
from nextpair.selectors.errors import NextpairError

PORT = 8000
DATABASE = "nextpair.db"
NOTE = "service.json"
LOG = "service.log"
READY_SECONDS = 60.0
STOP_SECONDS = 15.0
FILES = ("key", NOTE, LOG, DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm")
"""All that is ever written to the folder, and all that is removed from it."""


def start(folder: Path) -> tuple[Running, str]:
    """Start a service on a new database in a folder; return it and an admin key to it."""
    # It holds a key, and what people wrote, which is nobody else's on this machine.
    folder.mkdir(mode=0o700, exist_ok=True)
    for name in FILES:
        (folder / name).unlink(missing_ok=True)
    key = _make_key(folder)
    # Another program may take a port between the moment it is found free and the one it is bound.
    for port in (PORT, 0, 0):
        running = _launch(folder, _free_port(port))
        if running is not None:
            with Client(running.url, key) as client:
                client.ready()
            return running, key
    last = _text(folder / LOG).strip().splitlines()[-1:]
    raise NextpairError(f"the service did not start: {' '.join(last)}")


def _launch(folder: Path, port: int) -> Running | None:
    """Start a service at a port; return nothing if it ends at once."""
    process = _spawn(folder, port)
    running = Running(process.pid, port)
    with os.fdopen(_private(folder / NOTE), "w", encoding="utf-8") as note:
        note.write(json.dumps(asdict(running)))
    try:
        if not _wait(
            lambda: process.poll() is not None or running.url in _text(folder / LOG), READY_SECONDS
        ):
            raise NextpairError(f"the service did not start within {READY_SECONDS:g} seconds")
        return running if process.poll() is None else None
    except BaseException:
        stop(folder)
        raise
    finally:
        # It is left running on purpose, and Python would warn of that.
        process.returncode = 0


def stop(folder: Path) -> Running | None:
    """Stop the service of a folder, if it runs; return what was stopped."""
    running = find(folder)
    if running is not None:
        for word, seconds in ((signal.SIGTERM, STOP_SECONDS), (signal.SIGKILL, STOP_SECONDS)):
            with suppress(ProcessLookupError):
                os.kill(running.pid, word)
            if _wait(lambda: find(folder) is None, seconds):
                break
        else:
            raise NextpairError(f"the service does not end: process {running.pid}")
        with suppress(ChildProcessError):
            os.waitpid(running.pid, 0)
    (folder / NOTE).unlink(missing_ok=True)
    return running


def find(folder: Path) -> Running | None:
    """Return the service of a folder if it runs, and is no other process with its old number."""
    try:
        running = Running(**json.loads((folder / NOTE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    words = _command_line(running.pid)
    ours = "nextpair.app.cli" in words and f"--port {running.port}" in words
    return running if ours else None


def _make_key(folder: Path) -> str:
    database = ready_database(read_settings(database=f"sqlite:///{folder / DATABASE}"))
    with database.write() as connection:
        key, _ = make_key(connection, Scope.ADMIN, "demo", time.time())
    database.close()
    with os.fdopen(_private(folder / "key"), "w") as to:
        to.write(f"{key}\n")
    return key


def _private(path: Path) -> int:
    """Make a file that nobody else can read at any moment, in place of what was there."""
    path.unlink(missing_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)


def _free_port(wanted: int) -> int:
    """Return the port that is wanted, or one that is free."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError):
                probe.bind((HOST, port))
                return int(probe.getsockname()[1])
    raise NextpairError(f"there is no free port at {HOST}")


def _spawn(folder: Path, port: int) -> "subprocess.Popen[bytes]":
    words = ["serve", "--host", HOST, "--port", str(port), "--database", f"sqlite:///{DATABASE}"]
    # What the environment says is for the user's own service, not for this one.
    environment = {name: to for name, to in os.environ.items() if not name.startswith("NEXTPAIR_")}
    with os.fdopen(_private(folder / LOG), "wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "nextpair.app.cli", *words],
            cwd=folder,
            env={**environment, "NEXTPAIR_LOG_LEVEL": "warning"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _wait(until: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if until():
            return True
        time.sleep(0.05)
    return until()


def _command_line(pid: int) -> str:
    """Return how a process was started; nothing if it has ended, even if nobody took note."""
    listed = Path(f"/proc/{pid}/cmdline")
    if Path("/proc/self/cmdline").exists():
        try:
            return listed.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            return ""
    words = ["ps", "-o", "command=", "-p", str(pid)]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout
