"""Temporary folders that are cleaned up even if their process was killed.

The owner of a folder holds a lock on a file in it. A folder whose lock nobody holds belonged to a
process that has ended, and is removed when the next folder is made.
"""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

LOCK = "lock"
NEW_SECONDS = 60
"""How old a folder without a lock file may be: younger ones are just being made."""


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """Make a temporary folder for the block, and remove abandoned ones."""
    _remove_abandoned(prefix)
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    # Not inherited: a child that outlives its parent would keep the lock.
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if sys.platform != "win32":
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)


def _remove_abandoned(prefix: str) -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        if _is_abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    if sys.platform == "win32":
        return False
    try:
        status = folder.lstat()
        # A symbolic link may point anywhere, and folders of other users are not ours.
        if folder.is_symlink() or not folder.is_dir() or status.st_uid != os.getuid():
            return False
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return folder.is_dir() and time.time() - status.st_mtime > NEW_SECONDS
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(lock)
