"""Limits numerical libraries (OpenMP, BLAS) to one thread, for reproducible sums.

With several threads the order of additions, and so the rounding of a sum, depends on their number,
and a simulated study would depend on the machine. The matrices here are so small that more threads
cost more than they save.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
TURN_SECONDS = 0.0005
"""How long a thread of a service runs while another waits for its turn in the interpreter."""


def limit_library_threads() -> None:
    """Limit the libraries that this process, or one that it starts, has not loaded yet.

    OpenMP has a limit per thread: only the environment, read at loading, sets it for all threads.
    """
    os.environ.update(dict.fromkeys(VARIABLES, "1"))


def limit_threads() -> None:
    """Compute with one thread from now on, in this process and in those that it starts."""
    from threadpoolctl import threadpool_limits  # slow to import, and not every command needs it

    limit_library_threads()
    threadpool_limits(1)


def take_short_turns() -> None:
    """Let threads of this process wait less for each other.

    Each statement on SQLite gives up the interpreter and asks for it again. With Python's own 5 ms
    a judgment of ten statements waited for 50 ms where the event loop had enough to do.
    """
    sys.setswitchinterval(TURN_SECONDS)


@contextmanager
def single_threaded() -> Iterator[None]:
    """Compute with one thread within the block, and then as before."""
    from threadpoolctl import threadpool_limits

    # What is loaded meanwhile would keep its one thread for good.
    import nextpair.selectors.deferred.learners  # noqa: F401

    before = {name: os.environ.get(name) for name in VARIABLES}
    limit_library_threads()
    try:
        with threadpool_limits(1):
            yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
