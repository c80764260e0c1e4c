"""How many threads compute: one each, since numerical libraries add up in another order with more.

With several threads a sum depends on how many there are, so that a simulated study would depend on
the machine; and the matrices here are so small that handing them out costs more than it brings.
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


def take_short_turns() -> None:
    """Let threads of this process wait less for each other.

    Each statement on SQLite gives up the interpreter and asks for it again. With Python's own 5 ms
    a judgment of ten statements waited for 50 ms where the event loop had enough to do.
    """
    sys.setswitchinterval(TURN_SECONDS)


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread for a while, and then as before."""
    from threadpoolctl import threadpool_limits

    # What is loaded meanwhile would keep its one thread for good.
    import nextpair.selectors.deferred.learners  # noqa: F401

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
