"""Limits numerical libraries (OpenMP, BLAS) to one thread, for reproducible sums.

With several threads the order of additions, and so the rounding of a sum, depends on their number,
and a simulated study would depend on the machine. The matrices here are so small that more threads
cost more than they save.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


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


@contextmanager
def single_threaded() -> Iterator[None]:
    """Compute with one thread within the block, and then as before."""
    from threadpoolctl import threadpool_limits

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
