"""One of many processes answers a question from end to end, unless it would have to wait."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from crowds import until
from in_process import ON_TOPIC, STUDY, TOPIC, InProcess, installed
from sqlalchemy import text

from nextpair.app.judging.cache import WouldWait
from nextpair.app.judging.service import Service
from nextpair.storage import topics
from nextpair.storage.database import Database


@pytest.fixture
def one_of_many(postgresql_url: str) -> Iterator[InProcess]:
    """The service as one of two processes on PostgreSQL."""
    with installed(postgresql_url, processes=2) as made:
        made.make_study()
        made.make_topic(5)
        # The first question reads the topic, and enlists the worker.
        made.judge(made.one("ann", topic=TOPIC))
        yield made


def hurried(service: InProcess) -> Service:
    real: Service = service.app.state.service
    assert real._hurried is not None
    return real._hurried


def test_a_warm_topic_is_changed_without_a_thread(
    one_of_many: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_thread(*_: object) -> None:
        raise AssertionError("a thread was asked for")

    monkeypatch.setattr("nextpair.app.judging.service.run_in_threadpool", no_thread)
    asked = one_of_many.one("ann", topic=TOPIC)
    assert one_of_many.judge(asked).status_code == 201


def test_who_would_have_to_wait_for_a_thread_is_sent_to_one(one_of_many: InProcess) -> None:
    service: Service = one_of_many.app.state.service
    topic_id = service.topic_id(STUDY, TOPIC)
    with ThreadPoolExecutor() as threads:
        with service.topics.hold(topic_id):
            with pytest.raises(WouldWait), service.topics.hold(topic_id, patient=False):
                pass
            asking = threads.submit(one_of_many.one, "ann", topic=TOPIC)
        assert asking.result()["topic"]["id"] == TOPIC


def test_who_would_have_to_wait_for_another_process_is_sent_to_a_thread(
    one_of_many: InProcess,
) -> None:
    topic_id = hurried(one_of_many).topic_id(STUDY, TOPIC)
    elsewhere = Database(one_of_many.url)
    with ThreadPoolExecutor() as threads:
        with elsewhere.write() as connection:
            topics.lock_topic(connection, topic_id)
            asking = threads.submit(one_of_many.one, "ann", topic=TOPIC)
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


def test_what_another_process_has_done_is_caught_up_with(one_of_many: InProcess) -> None:
    with installed(one_of_many.url, processes=2) as other:
        other.judge(other.one("bob", topic=TOPIC))
        assert one_of_many.judge(one_of_many.one("ann", topic=TOPIC)).status_code == 201
        assert other.get(f"{ON_TOPIC}/progress")["judgments"] == 3


def test_a_lost_connection_is_made_anew(one_of_many: InProcess) -> None:
    elsewhere = Database(one_of_many.url)
    with hurried(one_of_many).database.at_once() as kept:
        number = kept.execute(text("SELECT pg_backend_pid()")).scalar_one()
    with elsewhere.read() as connection:
        connection.execute(text("SELECT pg_terminate_backend(:number)"), {"number": number})
    elsewhere.close()
    assert one_of_many.one("ann", topic=TOPIC)["topic"]["id"] == TOPIC
