"""Uploads whose process was killed or fell silent: nothing of them is seen, and all is removed."""

import os
from multiprocessing import get_context

import pytest
from crowds import until
from in_process import STUDY, TOPIC, InProcess, refusal
from sqlalchemy import text
from uploading import NAMES, NOTHING, between, database_of, left, topics, upload

from nextpair.app.provisioning import staging
from nextpair.app.provisioning.setup import NewTopic
from nextpair.app.provisioning.upload_sweep import uploads_swept
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.settings import ServiceSettings
from nextpair.storage import uploads
from nextpair.storage.errors import Unavailable
from nextpair.storage.rows import DocumentRow


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every upload take several transactions."""
    monkeypatch.setattr("nextpair.app.provisioning.parts.PART_ROWS", 3)


def pool(name: str) -> NewTopic:
    documents = [
        DocumentRow(place, one, "", "text", None, None, None, None)
        for place, one in enumerate(NAMES)
    ]
    return NewTopic(name, "", "", "", None, documents)


def upload_and_die(url: str, parts: int) -> None:
    """Be a process that is killed after some transactions."""

    def die(count: int) -> None:
        if count == parts:
            os._exit(9)

    pytest.MonkeyPatch().setattr("nextpair.app.provisioning.parts.PART_ROWS", 3)
    service = ServiceContext(ServiceSettings(database=url))
    with between(die):
        staging.add_topics(service, STUDY, [pool("killed")], 0.0)


def killed(url: str, parts: int = 3) -> None:
    """Kill a process half-way through an upload."""
    process = get_context("spawn").Process(target=upload_and_die, args=(url, parts))
    process.start()
    process.join()
    assert process.exitcode == 9


def test_a_killed_upload_leaves_nothing_to_be_seen_and_is_removed_later(
    service: InProcess,
) -> None:
    service.make_study()
    killed(service.url)
    assert topics(service) == []
    assert left(service) == (1, 1, 5)
    database = database_of(service)
    # Its last transaction was made by the real clock: it is silent by that of the test.
    database.clock = None
    staging.sweep(database)
    assert left(service) == (1, 1, 5), "it may still be running"
    with database.write() as connection:
        connection.execute(text("UPDATE uploads SET renewed_at = 0"))
    staging.sweep(database)
    assert left(service) == NOTHING


def test_only_what_is_silent_is_removed(service: InProcess) -> None:
    service.make_study()
    database, clock = database_of(service), service.clock
    killed(service.url)
    with database.write() as connection:
        connection.execute(text("UPDATE uploads SET renewed_at = 0"))
    counts: list[tuple[int, ...]] = []

    def sweep(count: int) -> None:
        if count in (2, 3):
            clock.move(uploads.LEASE_SECONDS - 1)
            with between(lambda _: None):
                staging.sweep(database)
            counts.append(left(service)[:2])

    with between(sweep):
        assert upload(service).status_code == 201
    assert counts == [(1, 1), (1, 1)]
    assert topics(service) == [TOPIC] and left(service) == NOTHING


def test_an_upload_that_was_taken_for_dead_is_refused_and_leaves_nothing(
    service: InProcess,
) -> None:
    service.make_study()
    database = database_of(service)

    def be_late(count: int) -> None:
        if count == 3:
            service.clock.move(uploads.LEASE_SECONDS + 1)
            with database.write() as connection:
                uploads.abandon_silent(connection)

    with between(be_late):
        refusal(upload(service), 503)
    assert topics(service) == [] and left(service) == NOTHING


def test_nothing_of_an_upload_that_was_taken_for_dead_is_published(service: InProcess) -> None:
    service.make_study()
    real: ServiceContext = service.app.state.service
    with staging.staged(real, STUDY, [pool("late")], 0.0) as publish:
        with real.database.write() as connection:
            connection.execute(text("UPDATE uploads SET renewed_at = 0"))
        staging.sweep(real.database)
        with pytest.raises(Unavailable), real.database.write() as connection:
            publish(connection)
    assert topics(service) == [] and left(service) == NOTHING


def test_whoever_serves_removes_what_is_left(
    service: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nextpair.app.provisioning.upload_sweep.EVERY_SECONDS", 0.01)
    service.make_study()
    killed(service.url)
    with database_of(service).write() as connection:
        connection.execute(text("UPDATE uploads SET renewed_at = 0"))
    with uploads_swept(database_of(service)):
        until(lambda: left(service) == NOTHING, "what was left is removed")


def test_sweeping_stops_between_transactions_when_it_is_told_to(light: InProcess) -> None:
    light.make_study()
    killed(light.url)
    with database_of(light).write() as connection:
        connection.execute(text("UPDATE uploads SET renewed_at = 0"))
    staging.sweep(database_of(light), lambda: True)
    assert left(light) == (1, 1, 5)
