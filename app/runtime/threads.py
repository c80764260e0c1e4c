"""One thread each: numerical libraries add numbers up in another order with more.

With several threads a sum depends on how many there are, so that a simulated study would depend on
the machine; and the matrices here are so small that handing them out costs more than it brings.
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


def tell_libraries() -> None:
    """Limit libraries that this process, or one that it starts, has yet to load.

    OpenMP keeps a limit for every thread: only what it reads as it is loaded reaches all of them.
    """
    os.environ.update(dict.fromkeys(VARIABLES, "1"))


def limit_threads() -> None:
    """Compute with one thread from now on, in this process and in those it starts."""
    from threadpoolctl import threadpool_limits  # it takes time that not every command needs

    tell_libraries()
    threadpool_limits(1)


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread for a while, and then as before."""
    from threadpoolctl import threadpool_limits

    before = {name: os.environ.get(name) for name in VARIABLES}
    tell_libraries()
    try:
        with threadpool_limits(1):
            yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
