"""A child process exits with its parent, even if the parent was killed."""

import os
import threading
from collections.abc import Callable
from multiprocessing import parent_process


def exit_with_parent(clean: Callable[[], None] = lambda: None) -> None:
    """Exit this process as soon as its parent has ended, however it ended.

    Parameters
    ----------
    clean
        Removes what the parent can no longer remove.
    """
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_wait, args=(parent.join, clean), daemon=True).start()


def _wait(join: Callable[[], None], clean: Callable[[], None]) -> None:
    join()
    try:
        clean()
    finally:
        os._exit(1)
