"""Storage of hiring: budget reservation, outbox, inbox and leader lease."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from nextpair.storage import clock, hirings, offers, outbox, studies
from nextpair.storage.database import Connection, Database
from nextpair.storage.hiring_rows import (
    HiringRow,
    HiringState,
    InboxMessage,
    OfferState,
    OutboxState,
    SubmissionState,
)
from nextpair.storage.schema_revisions import prepare


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A database with one study that hires, whose id is 1."""
    made = Database(database_url)
    prepare(made, "secret")
    with made.write() as connection:
        studies.add_study(connection, "s", {}, 1.0)
        row = HiringRow(1, "mturk", HiringState.RUNNING, "", None, {}, 1.0)
        hirings.add_hiring(connection, row)
    yield made
    made.close()


def _offer(connection: Connection, number: int, places: int = 3, **values: Any) -> int:
    row = offers.add_offer(
        connection,
        {
            "study_id": 1,
            "platform": "mturk",
            "number": number,
            "places": places,
            "questions": 10,
            "reward": 50,
            "bonus": 10,
            "price": 60,
            "bonus_price": 12,
            "state": OfferState.OPEN,
            "reference": f"HIT{number}",
            "created_at": 1.0,
            **values,
        },
    )
    return row.id


def _submission(
    connection: Connection, offer: int, session: str, state: str, confirmed: float | None = 1.0
) -> int:
    worker = studies.enlist_worker(connection, 1, f"w-{session}", 1.0)
    row = offers.get_or_add_submission(
        connection,
        {
            "study_id": 1,
            "platform": "mturk",
            "session": session,
            "worker_id": worker.id,
            "offer_id": offer,
            "state": state,
            "extra": {},
            "begun_at": 1.0,
            "created_at": 1.0,
            "confirmed_at": confirmed,
        },
    )
    return row.id


def _entry(token: str, **values: Any) -> dict[str, Any]:
    return {
        "study_id": 1,
        "platform": "mturk",
        "kind": "accept",
        "token": token,
        "state": OutboxState.INTENDED,
        "cost": 60,
        "attempts": 0,
        "kept": {},
        "message": "",
        "created_at": 1.0,
        **values,
    }


def test_an_open_offer_may_cost_all_its_places_that_are_not_decided(database: Database) -> None:
    with database.write() as connection:
        offer = _offer(connection, 1)
        assert offers.reserved_budget(connection, 1) == 3 * 72
        _submission(connection, offer, "a", SubmissionState.ACCEPTED)
        assert offers.reserved_budget(connection, 1) == 2 * 72
        _submission(connection, offer, "b", SubmissionState.RETURNED)
        assert offers.reserved_budget(connection, 1) == 2 * 72


def test_an_expired_offer_may_cost_only_what_was_begun(database: Database) -> None:
    with database.write() as connection:
        offer = _offer(connection, 1)
        for name, state in (("a", "working"), ("b", "held"), ("c", "returned"), ("d", "rejected")):
            _submission(connection, offer, name, state)
        offers.change_offer(connection, offer, state=OfferState.EXPIRED)
        assert offers.reserved_budget(connection, 1) == 72 + 60, "who is held gets no bonus"
        _submission(connection, offer, "e", "working", None)
        assert offers.reserved_budget(connection, 1) == 72 + 60, (
            "whoever only claims to work costs nothing"
        )
        for working, more in ((1, 0), (2, 72), (0, 0)):
            # One of those whom the platform counts is here already.
            offers.change_offer(connection, offer, working=working)
            assert offers.reserved_budget(connection, 1) == 72 + 60 + more
        _offer(connection, 2, state=OfferState.FAILED)
        assert offers.reserved_budget(connection, 1) == 72 + 60


def test_who_is_rejected_may_cost_something_until_the_platform_has_taken_it(
    database: Database,
) -> None:
    with database.write() as connection:
        offer = _offer(connection, 1)
        name = _submission(connection, offer, "a", SubmissionState.REJECTED)
        outbox.add_entry(connection, _entry("r", kind="reject", submission_id=name, cost=0))
        assert offers.reserved_budget(connection, 1) == 3 * 72
        offers.change_offer(connection, offer, state=OfferState.EXPIRED)
        assert offers.reserved_budget(connection, 1) == 72
        (row,) = outbox.pending_entries(connection, 1)
        assert outbox.end_entry(connection, row, OutboxState.DONE, 2.0, "")
        assert offers.reserved_budget(connection, 1) == 0


def test_an_entry_is_added_once_whatever_became_of_it(database: Database) -> None:
    with database.write() as connection:
        assert outbox.add_entry(connection, _entry("accept:1"))
        assert not outbox.add_entry(connection, _entry("accept:1"))
        (row,) = outbox.pending_entries(connection, 1)
        assert outbox.begin_attempt(connection, row, 2.0)
        assert not outbox.begin_attempt(connection, row, 3.0), "it is being attempted already"
        (row,) = outbox.pending_entries(connection, 1)
        assert (row.attempts, row.tried_at) == (1, 2.0)
        again = outbox.begin_attempt(connection, row, 9.0)
        assert again is not None and again.attempts == 2
        assert outbox.save_progress(connection, again, {"hit": "H"})
        assert not outbox.save_progress(connection, row, {"hit": "X"}), (
            "of an attempt that was given up"
        )
        assert not outbox.end_entry(
            connection, row, OutboxState.FAILED, 4.0, "of the attempt before"
        )
        assert outbox.end_entry(connection, again, OutboxState.FAILED, 4.0, "it may have been paid")
        assert outbox.spent(connection, 1) == 60
        assert outbox.end_entry(connection, again, OutboxState.FAILED, 4.0, "no", free=True)
        assert outbox.spent(connection, 1) == 0
        assert outbox.pending_entries(connection, 1) == []
        assert not outbox.add_entry(connection, _entry("accept:1"))
        (row,) = outbox.list_entries(connection, 1, 0, 10)
        assert (row.tried_at, row.kept, row.message) == (2.0, {"hit": "H"}, "no")


def test_a_submission_comes_once_for_each_worker_of_a_session(database: Database) -> None:
    with database.write() as connection:
        offer = _offer(connection, 1)
        first = _submission(connection, offer, "a", SubmissionState.WORKING)
        assert _submission(connection, offer, "a", SubmissionState.SUBMITTED) == first
        (row,) = offers.submissions_of(connection, 1, "a")
        assert row.state == SubmissionState.WORKING
        offers.restart_other_sessions(connection, row.worker_id, but=0, now=7.0)
        assert offers.submissions_of(connection, 1)[0].begun_at == 7.0


def test_one_process_leads_until_its_time_is_over_or_it_resigns(database: Database) -> None:
    def lead(holder: str, now: float) -> bool:
        database.clock = lambda: now
        with database.write() as connection:
            return hirings.acquire_lease(connection, "runner", holder, 10)

    assert lead("a", 0.0)
    assert not lead("b", 5.0)
    assert lead("a", 5.0)
    assert not lead("b", 14.0)
    assert lead("b", 15.0)
    with database.write() as connection:
        hirings.release_lease(connection, "runner", "a")
    assert not lead("a", 16.0)
    with database.write() as connection:
        hirings.release_lease(connection, "runner", "b")
    assert lead("a", 16.0)


def test_a_lease_ends_although_the_clock_was_set_back(database: Database) -> None:
    def lead(holder: str, now: float) -> bool:
        database.clock = lambda: now
        with database.write() as connection:
            return hirings.acquire_lease(connection, "runner", holder, 10)

    assert lead("a", 100_000.0)
    assert not lead("b", 99_999.0), "clocks are set back a little all the time"
    assert lead("b", 10_000.0)


def test_time_is_the_databases_own(database: Database) -> None:
    before = time.time()
    with database.write() as connection:
        told = clock.read_time(connection)
    assert before - 1 < told < time.time() + 1


def test_a_message_that_comes_twice_is_one_and_is_processed_once(database: Database) -> None:
    with database.write() as connection:
        for told in ({"n": 1}, {"n": 2}):
            hirings.add_message(connection, InboxMessage(1, "event", told, 1.0, None))
        (row,) = hirings.pending_messages(connection, 1)
        assert row.content == {"n": 1}
        hirings.mark_processed(connection, 1, "event", 2.0)
        hirings.add_message(connection, InboxMessage(1, "event", {"n": 3}, 3.0, None))
        assert hirings.pending_messages(connection, 1) == []
