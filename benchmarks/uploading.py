"""What another writer waits for while a large topic is stored in a SQLite file by the same process.

python -m benchmarks.uploading
"""

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.section import Section
from nextpair.app.provisioning import parts, setup, staging
from nextpair.app.provisioning.setup import NewTopic
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.settings import ServiceSettings
from nextpair.app.studies.study import StudySettings
from nextpair.storage import studies
from nextpair.storage.database import Database
from nextpair.storage.rows import DocumentRow
from nextpair.storage.schema_revisions import prepare

STUDY, TEXT = "study", "word " * 20_000
WITHOUT_END = 10**12


@dataclass(slots=True)
class Waits:
    """How long a writer waited for its transactions and their commits, in seconds; the log."""

    seconds: list[float] = field(default_factory=list)
    log_bytes: int = 0

    def row(self, name: str, took: float) -> tuple[str, ...]:
        """Write one line of the table."""
        ordered = sorted(self.seconds)
        high = ordered[int(0.99 * len(ordered))]
        shown = (1000 * wait for wait in (ordered[len(ordered) // 2], high, ordered[-1]))
        load = f"{os.getloadavg()[0]:.1f}"
        return (name, *(f"{wait:.1f}" for wait in shown), f"{took:.1f}", self._log(), load)

    def _log(self) -> str:
        return f"{self.log_bytes / 1e6:.0f}"


@contextmanager
def installed(folder: str) -> Iterator[ServiceContext]:
    """Yield a service on a new file, with a study."""
    database = Database(f"sqlite:///{folder}/nextpair.db")
    prepare(database, "secret")
    with database.write() as connection:
        setup.add_study(connection, STUDY, StudySettings(), 0.0)
    service = ServiceContext(
        ServiceSettings.model_validate({"database": f"sqlite:///{folder}/nextpair.db"})
    )
    yield service
    service.close()
    database.close()


def store(documents: int) -> tuple[Waits, float]:
    """Store a topic while another thread writes little, again and again."""
    rows = [
        DocumentRow(place, f"d{place}", "", TEXT, None, None, None, None)
        for place in range(documents)
    ]
    new, waits = NewTopic("topic", "", "", "", None, rows), Waits()
    with tempfile.TemporaryDirectory() as folder, installed(folder) as service:
        began = time.perf_counter()
        thread = threading.Thread(target=staging.add_topics, args=(service, STUDY, [new], 0.0))
        thread.start()
        while thread.is_alive():
            asked = time.perf_counter()
            with service.database.write() as connection:
                studies.touch_study(connection, 1)
            waits.seconds.append(time.perf_counter() - asked)
            waits.log_bytes = max(waits.log_bytes, Path(folder, "nextpair.db-wal").stat().st_size)
            time.sleep(0.01)
        return waits, time.perf_counter() - began


def main() -> None:
    """Measure with one transaction, as it was, and with many, in turns."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    section = Section(
        "Beside an upload",
        f"python -m benchmarks.uploading --documents {given.documents} --rounds {given.rounds}",
        f"{given.documents:,} documents of 100,000 characters are stored in a SQLite file while"
        " another thread writes little every 10 ms: how long that waits, until after its commit, in"
        " milliseconds; how many seconds it takes to store the documents; the size of the"
        " write-ahead log in MB; the load of the machine (the average over a minute).",
        ("transactions", "p50", "p99", "longest", "seconds", "log", "load"),
    )
    usual = parts.PART_BYTES, parts.PART_ROWS
    for _ in range(given.rounds):
        for name, limits in (("one", (WITHOUT_END, WITHOUT_END)), ("many", usual)):
            parts.PART_BYTES, parts.PART_ROWS = limits
            waits, took = store(given.documents)
            section.rows.append(waits.row(name, took))
    print(section)


if __name__ == "__main__":
    main()
