"""What a transaction waits for Python's interpreter beside a thread that is always busy.

python -m benchmarks.turns
"""

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import text

from benchmarks.section import Section
from nextpair.app.runtime.threads import TURN_SECONDS
from nextpair.storage.database import Database

PYTHON = 0.005
"""Python's own interval."""
STATEMENTS = 8
"""Of a transaction: about as many as a judgment has."""


@contextmanager
def busy() -> Iterator[list[float]]:
    """Keep a thread busy; yield how many turns it makes in a second of its own, once it ends."""
    over, speed = threading.Event(), list[float]()

    def turn() -> None:
        turns, began = 0, time.thread_time()
        while not over.is_set():
            turns += 1
        speed.append(turns / (time.thread_time() - began))

    thread = threading.Thread(target=turn)
    thread.start()
    try:
        yield speed
    finally:
        over.set()
        thread.join()


def transactions(database: Database, count: int) -> list[float]:
    """Write with several statements, again and again; return how many seconds each time took."""
    taken = []
    for _ in range(count):
        began = time.perf_counter()
        with database.write() as connection:
            for _ in range(STATEMENTS):
                connection.execute(text("UPDATE turns SET made = made + 1"))
        taken.append(time.perf_counter() - began)
        time.sleep(0.005)
    return sorted(taken)


def main() -> None:
    """Measure with Python's own interval and with that of the service, in turns."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    section = Section(
        "Turns of the interpreter",
        f"python -m benchmarks.turns --count {given.count} --rounds {given.rounds}",
        f"A transaction of {STATEMENTS} statements on SQLite beside a thread that computes in"
        " Python without a pause, in one process: p50 / p90 in milliseconds, and how many million"
        " turns that thread makes in a second of its own.",
        ("interval in ms", "transaction", "million turns"),
    )
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{Path(folder) / 'turns.db'}")
        with database.write() as connection:
            connection.execute(text("CREATE TABLE turns (made INTEGER)"))
            connection.execute(text("INSERT INTO turns VALUES (0)"))
        for interval in (PYTHON, TURN_SECONDS) * given.rounds:
            sys.setswitchinterval(interval)
            with busy() as speed:
                taken = transactions(database, given.count)
            p50, p90 = (1000 * taken[int(share * len(taken))] for share in (0.5, 0.9))
            cells = (f"{1000 * interval:g}", f"{p50:.1f} / {p90:.1f}", f"{speed[0] / 1e6:.1f}")
            section.rows.append(cells)
        database.close()
    print(section)


if __name__ == "__main__":
    main()
