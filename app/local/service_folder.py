"""The state of a local service in its folder: `.nextpair/`.

It has a key for the commands of the folder (readable by its owner alone), a file with the process
id and port of the service, and a lock. The service holds the lock as long as it lives, however it
ends: if the lock is free, the service file is stale, even if its process id or port is in use.
"""

import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from nextpair.app.local.running_service import RunningService
from nextpair.selectors.errors import NextpairError

NAME = ".nextpair"
KEY, SERVICE_FILE, LOCK, PAGE = "key", "service.json", "lock", "sign-in.html"
DATABASE = "nextpair.db"
LOCK_ATTEMPTS, LOCK_RETRY_SECONDS = 40, 0.05


class NotRunning(NextpairError):
    """No service runs in this folder: `nextpair start` starts one."""

    code = "not-running"


class AlreadyRunning(NextpairError):
    """A service runs in this folder already."""

    code = "already-running"


class ServiceFolder:
    """A folder that has a local service, or may get one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._own = path / NAME

    def create(self) -> None:
        """Create `.nextpair/`, private to its owner and ignored by git."""
        try:
            self._own.mkdir(mode=0o700, exist_ok=True)
            self._own.chmod(0o700)
            (self._own / ".gitignore").write_text("*\n", encoding="utf-8")
        except OSError as error:
            raise NextpairError(f"cannot write {self._own}: {error.strerror}") from None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's exclusive lock: at most one service runs in a folder."""
        # O_CLOEXEC: a child that outlives this process would keep the lock.
        lock = os.open(self._own / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._acquire_lock(lock)
            self.remove_service_files()
            try:
                yield
            finally:
                self.remove_service_files()
        finally:
            os.close(lock)

    def _acquire_lock(self, lock: int) -> None:
        """Acquire the lock; retried, since `find` holds it for a moment."""
        for _ in range(LOCK_ATTEMPTS):
            with suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            if self._read_service_file() is not None:
                break
            time.sleep(LOCK_RETRY_SECONDS)
        raise AlreadyRunning()

    def find(self) -> RunningService | None:
        """Return the service that runs in this folder; None if the lock is free."""
        try:
            lock = os.open(self._own / LOCK, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return self._read_service_file()
        finally:
            os.close(lock)
        return None

    def _read_service_file(self) -> RunningService | None:
        """Read the service file; None if the holder of the lock has not written it yet."""
        try:
            return RunningService(
                **json.loads((self._own / SERVICE_FILE).read_text(encoding="utf-8"))
            )
        except (OSError, ValueError, TypeError):
            return None

    def write_service_file(self, running: RunningService) -> None:
        """Write the service file; only the holder of the lock may."""
        self._write(SERVICE_FILE, json.dumps(asdict(running)))

    def remove_service_files(self) -> None:
        """Remove the files that are valid only while the service runs."""
        for name in (SERVICE_FILE, PAGE):
            (self._own / name).unlink(missing_ok=True)

    def key(self) -> str | None:
        """Return the key of the folder, if it has one; raise if others could read it."""
        try:
            file = os.open(self._own / KEY, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            return None
        with os.fdopen(file, encoding="utf-8") as opened:
            if stat.S_IMODE(os.fstat(file).st_mode) & 0o077:
                raise NextpairError(
                    f"{self._own / KEY} could be read by others: revoke the key in it"
                    " (nextpair keys list, nextpair keys revoke ID) and delete the file"
                )
            return opened.read().strip()

    def store_key(self, key: str) -> None:
        """Store the key for the commands of this folder."""
        self._write(KEY, f"{key}\n")

    def store_page(self, content: str) -> Path:
        """Store a page for the owner's browser."""
        return self._write(PAGE, content)

    def _write(self, name: str, content: str) -> Path:
        """Write a file atomically, readable by its owner alone from the start."""
        path, part = self._own / name, self._own / f"{name}.{os.getpid()}"
        with suppress(FileNotFoundError):
            part.unlink()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(part, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(content)
        part.replace(path)
        return path


def current_folder() -> ServiceFolder:
    """Return the service folder of the working directory."""
    return ServiceFolder(Path.cwd())
