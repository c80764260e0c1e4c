"""A SQLite file: its owner's alone, and waited for only so long and only by so many."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from crowds import PATIENCE, until
from sqlalchemy import event, text

from nextpair.storage import studies
from nextpair.storage.database import Database
from nextpair.storage.errors import Locked, ReadOnly, StorageFull, Unavailable
from nextpair.storage.schema_revisions import prepare
from nextpair.storage.sqlite import WriterQueue


@pytest.fixture
def careless() -> Iterator[None]:
    """A process whose new files everyone may read and write."""
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


def modes(file: Path) -> dict[str, int]:
    return {
        found.name.removeprefix(file.name): stat.S_IMODE(found.stat().st_mode)
        for found in file.parent.glob(f"{file.name}*")
    }


def test_nobody_else_can_read_a_new_database(careless: None, tmp_path: Path) -> None:
    file = tmp_path / "nextpair.db"
    database = Database(f"sqlite:///{file}")
    prepare(database, "secret")
    assert modes(file) == {"": 0o600, "-wal": 0o600, "-shm": 0o600}
    database.close()


def test_a_database_that_others_could_read_is_closed_to_them(
    careless: None, tmp_path: Path
) -> None:
    file = tmp_path / "nextpair.db"
    other = sqlite3.connect(file)
    other.execute("PRAGMA journal_mode=WAL")
    other.execute("CREATE TABLE before (name)")
    other.commit()
    assert set(modes(file).values()) == {0o644}
    database = Database(f"sqlite:///{file}")
    database.ping()
    assert modes(file) == {"": 0o600, "-wal": 0o600, "-shm": 0o600}
    database.close()
    other.close()


def test_a_file_that_is_there_is_not_opened_but_by_sqlite(sqlite_url: str) -> None:
    # To close it once more would give up every lock that this process has on it.
    first, second = Database(sqlite_url), Database(sqlite_url)
    with first.write(), pytest.raises(Locked):
        with second.write(wait=0):
            pass
    second.ping()
    with first.write():
        name = sqlite_url.removeprefix("sqlite:///")
        begin = f"sqlite3.connect({name!r}, timeout=0).execute('BEGIN IMMEDIATE')"
        done = subprocess.run(
            [sys.executable, "-c", f"import sqlite3; {begin}"], capture_output=True, check=False
        )
        assert b"locked" in done.stderr
    first.close()
    second.close()


def test_threads_beyond_the_most_do_not_wait_for_a_lock_that_another_program_keeps(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nextpair.storage.sqlite.BLOCKED_SECONDS", 0.0)
    database = Database(sqlite_url, busy_seconds=600, most_waiting=2)
    other = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    def write() -> bool:
        try:
            with database.write():
                return True
        except Unavailable:
            return False

    with ThreadPoolExecutor(6) as threads:
        writing = [threads.submit(write) for _ in range(6)]
        until(lambda: sum(one.done() for one in writing) == 4, "four are sent away")
        other.execute("ROLLBACK")
        assert sorted(one.result() for one in writing) == [False] * 4 + [True] * 2
    other.close()
    database.close()


def test_whoever_waits_for_their_turn_gets_it_or_is_told() -> None:
    queue = WriterQueue(most_waiting=10)
    held, over = threading.Event(), threading.Event()

    def hold() -> None:
        with queue.turn(0):
            held.set()
            over.wait()

    with ThreadPoolExecutor(1) as threads:
        holding = threads.submit(hold)
        held.wait()
        with pytest.raises(Locked), queue.turn(0.05):
            pass
        over.set()
        holding.result()
    with queue.turn(0):
        pass


def turns(queue: WriterQueue, asked: str) -> str:
    """Let threads ask for turns one after the other, u for an upload; return who had them."""
    had: list[str] = []

    def write(name: str) -> None:
        with queue.turn(PATIENCE, upload=name == "u"):
            had.append(name)

    with ThreadPoolExecutor(len(asked)) as threads:
        with queue.turn(0):
            writing = []
            for name in asked:
                writing.append(threads.submit(write, name))
                until(lambda: queue._waiting == len(writing), "the thread waits")
        for one in writing:
            one.result()
    return "".join(had)


def test_turns_are_had_in_the_order_in_which_they_are_asked_for() -> None:
    assert turns(WriterQueue(most_waiting=10), "dacb") == "dacb"


def test_all_who_wait_go_before_an_upload() -> None:
    assert turns(WriterQueue(most_waiting=10), "uaub") == "abuu"


def test_an_upload_is_not_passed_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nextpair.storage.sqlite.MOST_PASSED", 2)
    assert turns(WriterQueue(most_waiting=10), "uuabcde") == "abucdue"


def test_a_thread_that_writes_again_and_again_gives_others_their_turn() -> None:
    queue, had = WriterQueue(most_waiting=10), list[str]()

    def write() -> None:
        with queue.turn(PATIENCE):
            had.append("other")

    with ThreadPoolExecutor(1) as threads:
        with queue.turn(PATIENCE):
            writing = threads.submit(write)
            until(lambda: queue._waiting == 1, "the other waits")
        with queue.turn(PATIENCE):
            had.append("again")
        writing.result()
    assert had == ["other", "again"]


def test_a_turn_that_comes_as_it_is_given_up_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = WriterQueue(most_waiting=10)
    with ExitStack() as stack:
        stack.enter_context(queue.turn(0))

        def late(gate: threading.Lock, until: float) -> None:
            stack.close()
            raise Locked()

        monkeypatch.setattr(queue, "_wait", late)
        with pytest.raises(Locked), queue.turn(0):
            pass
    with queue.turn(0):
        pass


def test_a_part_of_an_upload_is_copied_into_the_file_as_soon_as_it_is_written(
    sqlite_url: str,
) -> None:
    file, text = Path(sqlite_url.removeprefix("sqlite:///")), "x" * 100_000
    database = Database(sqlite_url)
    with database.write() as connection:
        studies.add_study(connection, "one", {"title": text}, 0.0)
    before = file.stat().st_size
    with database.write_part() as connection:
        studies.add_study(connection, "two", {"title": text}, 0.0)
    assert file.stat().st_size > before + len(text)
    database.close()


def test_a_full_disk_is_told_as_such(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    limit = "PRAGMA max_page_count=1"
    event.listen(database._engine, "connect", lambda made, _: made.execute(limit))
    with pytest.raises(StorageFull), database.write() as connection:
        for number in range(1000):
            studies.add_study(connection, f"s{number}", {"title": "x" * 1000}, 0.0)
    with database.read() as connection:
        assert studies.find_study(connection, "s0") is None
    database.close()


def test_what_can_only_be_read_is_told_as_such(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    event.listen(database._engine, "connect", lambda made, _: made.execute("PRAGMA query_only=1"))
    with pytest.raises(ReadOnly), database.write() as connection:
        studies.add_study(connection, "s", {}, 0.0)
    database.ping()
    database.close()


@pytest.mark.parametrize(("code", "kind"), [("53100", StorageFull), ("25006", ReadOnly)])
def test_postgresql_says_the_same_in_its_own_codes(
    postgresql_url: str, code: str, kind: type[Unavailable]
) -> None:
    database = Database(postgresql_url)
    with pytest.raises(kind), database.write() as connection:
        connection.execute(text(f"DO $$ BEGIN RAISE SQLSTATE '{code}'; END $$"))
    database.close()


def test_a_postgresql_that_may_only_be_read_is_told_as_such(postgresql_url: str) -> None:
    database = Database(postgresql_url)
    with pytest.raises(ReadOnly), database.write() as connection:
        connection.execute(text("SET TRANSACTION READ ONLY"))
        studies.add_study(connection, "s", {}, 0.0)
    database.close()
