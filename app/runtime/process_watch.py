"""A process that another one started does not outlive it."""

import os
import threading
from collections.abc import Callable
from multiprocessing import parent_process


def leave_with_parent(clean: Callable[[], None] = lambda: None) -> None:
    """End this process when the one that started it is gone: even when that one was killed.

    Parameters
    ----------
    clean
        Removes what the dead one can remove no more.
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
