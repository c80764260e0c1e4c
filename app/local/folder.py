"""What a service keeps beside its database in the folder it was started in.

`.nextpair/` holds a key for the commands of this folder (readable by its owner alone), where the
service is, and a lock. The service holds the lock as long as it lives, however it ends: a note
without a holder of the lock is a stale one, whoever may have the process number or port by now.
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

from nextpair.app.local.address import Running
from nextpair.selectors.errors import NextpairError

NAME = ".nextpair"
KEY, NOTE, LOCK, PAGE = "key", "service.json", "lock", "sign-in.html"
DATABASE = "nextpair.db"
TRIES, TRY_SECONDS = 40, 0.05


class NotRunning(NextpairError):
    """No service runs in this folder: `nextpair start` starts one."""

    code = "not-running"


class AlreadyRunning(NextpairError):
    """A service runs in this folder already."""

    code = "already-running"


class Folder:
    """A folder with a service of its own, or one that may get one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._own = path / NAME

    def make(self) -> None:
        """Make the folder of our own, which nobody else can look into, and git passes over."""
        try:
            self._own.mkdir(mode=0o700, exist_ok=True)
            self._own.chmod(0o700)
            (self._own / ".gitignore").write_text("*\n", encoding="utf-8")
        except OSError as error:
            raise NextpairError(f"cannot write {self._own}: {error.strerror}") from None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the folder's lock: at most one service runs in a folder."""
        # Not for children: one that lives longer than its parent would keep the lock.
        lock = os.open(self._own / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._take(lock)
            self.forget()
            try:
                yield
            finally:
                self.forget()
        finally:
            os.close(lock)

    def _take(self, lock: int) -> None:
        """Take the lock; whoever only looks holds it for a moment, a service as long as it runs."""
        for _ in range(TRIES):
            with suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            if self._noted() is not None:
                break
            time.sleep(TRY_SECONDS)
        raise AlreadyRunning()

    def find(self) -> Running | None:
        """Return the service that runs here, if one does."""
        try:
            lock = os.open(self._own / LOCK, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return self._noted()
        finally:
            os.close(lock)
        return None

    def _noted(self) -> Running | None:
        """Read where the holder of the lock is; it may not have said so yet."""
        try:
            return Running(**json.loads((self._own / NOTE).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def note(self, running: Running) -> None:
        """Say where the service is; only the holder of the lock does."""
        self._write(NOTE, json.dumps(asdict(running)))

    def forget(self) -> None:
        """Remove what is only true as long as the service runs."""
        for name in (NOTE, PAGE):
            (self._own / name).unlink(missing_ok=True)

    def key(self) -> str | None:
        """Return the key of the folder, if it has one that nobody else could read."""
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

    def keep_key(self, key: str) -> None:
        """Keep a key for the commands of this folder."""
        self._write(KEY, f"{key}\n")

    def keep_page(self, content: str) -> Path:
        """Keep a page for the browser of whoever owns the folder."""
        return self._write(PAGE, content)

    def _write(self, name: str, content: str) -> Path:
        """Write a file that nobody else can read at any moment; it is whole or not there."""
        path, part = self._own / name, self._own / f"{name}.{os.getpid()}"
        with suppress(FileNotFoundError):
            part.unlink()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(part, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(content)
        part.replace(path)
        return path


def here() -> Folder:
    """Return the folder that commands are called in."""
    return Folder(Path.cwd())
