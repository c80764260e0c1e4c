"""What is the matter is said as it is: a full disk, one that is read-only, tables that changed."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
import uvicorn
from crowds import until
from in_process import AT, STUDY, TOPIC, InProcess, installed, refusal
from sqlalchemy import event, text

from nextpair.app import cli
from nextpair.app.web.middleware import start_logging
from nextpair.storage.database import Database

DAY = 86_400.0


def answering(service: InProcess) -> None:
    """Be in the middle of a study."""
    service.make_study(lease_seconds=60)
    service.make_topic(3)
    service.judge(service.one("ann", topic=TOPIC))


@contextmanager
def connected(service: InProcess, statement: str) -> Iterator[None]:
    """Let every connection begin with a statement."""
    engine = service.app.state.service.database._engine

    def execute(connection: object, _: object) -> None:
        connection.execute(statement)  # type: ignore[attr-defined]
        connection.commit()  # type: ignore[attr-defined]

    engine.dispose()
    event.listen(engine, "connect", execute)
    try:
        yield
    finally:
        event.remove(engine, "connect", execute)
        engine.dispose()


@pytest.mark.parametrize(
    ("statement", "status", "kind", "what"),
    [
        ("PRAGMA max_page_count = 1", 507, "storage-full", "free some space"),
        ("PRAGMA query_only = 1", 503, "read-only", "writable again"),
    ],
)
def test_a_disk_that_is_full_or_read_only_is_told_of_and_logged(
    light: InProcess,
    capsys: pytest.CaptureFixture[str],
    statement: str,
    status: int,
    kind: str,
    what: str,
) -> None:
    start_logging("warning")
    answering(light)
    texts = [{"id": name, "text": name * 100_000} for name in "abc"]
    large = {"id": "large", "documents": texts}
    with connected(light, statement):
        told = refusal(light.send("POST", f"{AT}/topics", large), status, kind)
        assert what in told["detail"]
        if kind == "read-only":
            # By way of the group commit, too.
            wish = {"worker": "ann", "topic": TOPIC}
            refusal(light.send("POST", f"{AT}/next", wish), status, kind)
        assert light.get(f"{AT}/progress")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert any(told["detail"] in line["message"] for line in lines)
    light.post(f"{AT}/topics", large, status=201)
    light.judge(light.one("ann", topic=TOPIC))


def test_a_postgresql_that_may_only_be_read_is_told_of(postgresql_url: str) -> None:
    with installed(postgresql_url) as service:
        answering(service)
        with connected(service, "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"):
            wish = {"worker": "ann", "topic": TOPIC}
            refusal(service.send("POST", f"{AT}/next", wish), 503, "read-only")
        service.one("ann", topic=TOPIC)


def test_leases_end_within_a_lease_when_the_clock_is_set_back(service: InProcess) -> None:
    service.make_study(lease_seconds=60)
    service.make_topic(2)
    service.clock.move(DAY)
    held = service.one("ann", topic=TOPIC)
    service.clock.move(-DAY)
    assert service.next("bob", topic=TOPIC)["assignments"] == []
    service.clock.move(30)
    assert service.next("bob", topic=TOPIC)["assignments"] == []
    service.clock.move(31)
    again = service.one("bob", topic=TOPIC)
    assert {again[side]["id"] for side in ("left", "right")} == {
        held[side]["id"] for side in ("left", "right")
    }


def set_revision(url: str, to: str) -> str:
    """Let a database be as another program has left it; return its revision before."""
    database = Database(url)
    with database.write() as connection:
        before = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
        connection.execute(text("UPDATE alembic_version SET version_num = :to"), {"to": to})
    database.close()
    return str(before)


def test_nothing_is_written_once_another_program_has_changed_the_tables(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("nextpair.app.runtime.schema_watch.EVERY_SECONDS", 0.05)
    with installed(database_url) as service:
        answering(service)
        held = service.one("ann", topic=TOPIC)
        before = set_revision(database_url, "9999")
        database = service.app.state.service.database
        until(lambda: bool(database.outdated), "the change is noticed")
        for told in (
            service.judge(held),
            service.send("POST", f"{AT}/next", {"worker": "ann", "topic": TOPIC}),
            service.skip(held),
        ):
            assert "9999" in refusal(told, 503, "wrong-schema")["detail"]
        refusal(service.send("GET", "/readyz"), 503, "wrong-schema")
        assert service.get(f"{AT}/progress")
        set_revision(database_url, before)
        until(lambda: not database.outdated, "it is as before")
        assert service.judge(held).status_code == 201
    assert "nothing is written any more" in capsys.readouterr().err


def test_an_older_program_says_that_it_is_older(
    database_url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_revision(database_url, "9999")
    monkeypatch.setenv("NEXTPAIR_DATABASE", database_url)
    assert cli.main(["serve", "--port", "0"]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "revision 9999" in said
    assert "newer nextpair" in said


@contextmanager
def served(service: InProcess) -> Iterator[str]:
    """Serve an application as `nextpair serve` does, in this process; yield its address."""
    # The application has begun already.
    config = uvicorn.Config(service.app, port=0, log_level="warning", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until(lambda: server.started, "it serves")
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


def test_a_traceback_is_logged_once_and_as_json(
    light: InProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    light.make_study()

    def fail() -> float:
        raise RuntimeError("boom")

    with served(light) as address:
        # What serves has its own log by now, which a service takes over as it begins.
        start_logging("warning")
        light.app.state.clock = fail
        key = {"Authorization": f"Bearer {light.key}"}
        told = httpx.get(f"{address}/v1/studies/{STUDY}", headers=key, trust_env=False, timeout=60)
        assert told.status_code == 500
        assert told.json()["type"] == "urn:nextpair:internal"
        assert told.headers["x-request-id"] == told.json()["request_id"]
    written = capsys.readouterr().err
    assert written.count("boom") == 2, "in the line that raises it, and as what was raised"
    (line,) = [json.loads(line) for line in written.splitlines() if "boom" in line]
    assert line["request_id"] == told.json()["request_id"]
    assert "Traceback" in line["error"]
