"""How often a request goes to a PostgreSQL that may be far away: each statement is a journey."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import pytest
from crowds import until
from in_process import ON_TOPIC, TOPIC, InProcess, installed
from sqlalchemy import event, text

from nextpair.storage import topics
from nextpair.storage.database import Database


@pytest.fixture
def both(postgresql_url: str) -> Iterator[tuple[InProcess, InProcess]]:
    """Two processes on one database, which both know the topic and its worker."""
    with installed(postgresql_url, processes=2) as here:
        here.make_study(votes=2)
        here.make_topic(20)
        here.judge(here.one("ann", topic=TOPIC, documents=False))
        with installed(postgresql_url, processes=2) as there:
            there.judge(there.one("ann", topic=TOPIC, documents=False))
            here.judge(here.one("ann", topic=TOPIC, documents=False))
            yield here, there


@contextmanager
def statements(service: InProcess) -> Iterator[list[str]]:
    """Note what is sent to the database, with what begins and ends transactions."""
    sent: list[str] = []
    engine = service.app.state.service.database._engine

    def note(*given: object) -> None:
        sent.append(str(given[2]))

    def end(connection: object) -> None:
        if connection.get_isolation_level() != "AUTOCOMMIT":  # type: ignore[attr-defined]
            sent.append("BEGIN and COMMIT")

    event.listen(engine, "before_cursor_execute", note)
    event.listen(engine, "commit", end)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)
        event.remove(engine, "commit", end)


def test_a_question_and_an_answer_are_one_journey_each(both: tuple[InProcess, InProcess]) -> None:
    here, _ = both
    with statements(here) as sent:
        asked = here.one("ann", topic=TOPIC, documents=False)
        assert here.judge(asked).status_code == 201
    assert len(sent) == 2, sent


def test_what_another_process_did_is_heard_on_the_same_journey(
    both: tuple[InProcess, InProcess],
) -> None:
    here, there = both
    for answers in (1, 2):
        for _ in range(answers):
            there.judge(there.one("ann", topic=TOPIC, documents=False))
        with statements(here) as sent:
            asked = here.one("ann", topic=TOPIC, documents=False)
        assert len(sent) == 2, sent
        there.get(f"{ON_TOPIC}/progress")
        with statements(here) as sent:
            assert here.judge(asked).status_code == 201
        assert len(sent) == 1, sent
    for service in both:
        assert service.get(f"{ON_TOPIC}/progress")["judgments"] == 8
    (mine, theirs) = (service.get(f"{ON_TOPIC}/ranking") for service in both)
    assert mine == theirs


def test_a_retraction_elsewhere_is_heard_of(both: tuple[InProcess, InProcess]) -> None:
    here, there = both
    asked = there.one("ann", topic=TOPIC, documents=False)
    assert there.judge(asked).status_code == 201
    assert there.undo(asked, worker="ann").status_code == 200
    with statements(here) as sent:
        here.one("ann", topic=TOPIC, documents=False)
    assert len(sent) == 2, sent
    for service in both:
        assert service.get(f"{ON_TOPIC}/progress")["judgments"] == 3


def test_who_is_always_too_late_takes_the_lock(both: tuple[InProcess, InProcess]) -> None:
    here, there = both
    lost: list[str] = []
    engine = here.app.state.service.database._engine

    def be_quicker(*given: object) -> None:
        statement = str(given[2])
        if "moved AS" in statement and len(lost) < 10:
            lost.append(statement)
            with there.app.state.service.database.write() as connection:
                connection.execute(text("UPDATE topics SET version = version + 1"))

    event.listen(engine, "before_cursor_execute", be_quicker)
    assert here.one("ann", topic=TOPIC, documents=False)
    event.remove(engine, "before_cursor_execute", be_quicker)
    assert 1 < len(lost) < 10
    assert there.judge(there.one("ann", topic=TOPIC, documents=False)).status_code == 201


def test_a_lost_connection_is_made_anew(both: tuple[InProcess, InProcess]) -> None:
    here, _there = both
    ours = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    with closing(Database(here.url)) as elsewhere:
        with elsewhere.read() as connection:
            ended = connection.execute(ours).scalars().all()
        assert len(ended) > 1
        until(lambda: not _others(elsewhere), "the server has ended all other connections")
    # At once: nobody has looked at them since.
    assert here.one("ann", topic=TOPIC, documents=False)["topic"]["id"] == TOPIC


def _others(database: Database) -> int:
    others = text(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    with database.read() as connection:
        return int(connection.execute(others).scalar_one())


def test_a_topic_that_another_process_holds_is_waited_for(
    both: tuple[InProcess, InProcess],
) -> None:
    here, _ = both
    topic_id = here.app.state.service.topic_id("answers", TOPIC)
    elsewhere = Database(here.url)
    with ThreadPoolExecutor() as threads:
        with elsewhere.write() as connection:
            topics.lock_topic(connection, topic_id)
            asking = threads.submit(here.one, "ann", topic=TOPIC, documents=False)
            until(lambda: _someone_waits(elsewhere), "a statement is held up by a lock")
        assert asking.result()["topic"]["id"] == TOPIC
    elsewhere.close()


def _someone_waits(database: Database) -> bool:
    # Of this database: others of the same server are of other tests.
    held_up = text(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    with database.read() as connection:
        return bool(connection.execute(held_up).scalar_one())
