"""Quarantine: assignments of sessions that their platform has not confirmed.

Anyone can claim to be sent by a platform. Until the platform confirms that, the answers of a
session are stored with its assignments, and are not in the log. Its leases are only advisory: other
workers are asked other pairs while there are some, and then the same pairs.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from nextpair.selectors.state.judgments import Pair
from nextpair.selectors.state.settings import Lease
from nextpair.storage.quarantine import answered_at
from nextpair.storage.rows import AssignmentRow, JudgmentRow, Purpose, State

HELD_SECONDS = 366 * 86_400.0
"""How long the advisory lease of a quarantined answer lasts, unless its session lapses."""


class Quarantine:
    """The assignments of a topic that belong to unconfirmed sessions, by number."""

    def __init__(self) -> None:
        self._rows: dict[int, AssignmentRow] = {}

    def apply(self, row: AssignmentRow) -> bool:
        """Apply the new state of an assignment; False if it is not, or no longer, in quarantine."""
        self._rows.pop(row.number, None)
        if row.quarantine is None:
            return False
        if row.state != State.LAPSED:
            self._rows[row.number] = row
        return True

    def get(self, number: int) -> AssignmentRow | None:
        """Return an assignment that is in quarantine."""
        return self._rows.get(number)

    def of_session(self, session: int) -> list[AssignmentRow]:
        """List the assignments of a session."""
        return [row for row in self._rows.values() if row.quarantine == session]

    def own_leases(self, session: int | None, now: float) -> Iterator[Lease]:
        """Yield the leases of the session itself."""
        for row in self._rows.values() if session is not None else ():
            if row.quarantine == session and row.state == State.OPEN and _is_work(row, now):
                yield _lease(row)

    def advisory_leases(
        self, session: int | None, now: float, unserved: Collection[int]
    ) -> list[Lease]:
        """List the leases and answers of other sessions: their pairs are better asked later."""
        return [
            _lease(row)
            for row in self._rows.values()
            if row.quarantine != session
            and row.state in (State.OPEN, State.HELD)
            and row.worker_id not in unserved
            and _is_work(row, now)
        ]

    def excluded_pairs(self, session: int, worker_id: int) -> Iterator[Pair]:
        """Yield the pairs that an unconfirmed session must not be asked.

        These are what it has answered or skipped, and what the same worker has in other sessions.
        """
        for row in self._rows.values():
            own = row.quarantine == session
            done = own and row.state != State.OPEN
            elsewhere = not own and row.worker_id == worker_id
            if row.purpose == Purpose.WORK and (done or elsewhere):
                yield row.pair

    def answered_pairs(self, session: int) -> list[Pair]:
        """List the pairs of work that a session has answered, oldest answer first."""
        rows = [row for row in self.of_session(session) if row.held and row.purpose == Purpose.WORK]
        return [row.pair for row in sorted(rows, key=answered_at)]

    def check_questions(self, worker_id: int) -> Iterable[tuple[str, Pair]]:
        """Yield the check questions that a worker was asked in unconfirmed sessions."""
        for row in self._rows.values():
            if row.worker_id == worker_id and row.purpose != Purpose.WORK:
                yield row.purpose, row.pair

    def find(self, worker_id: int, pair: Pair, purpose: str) -> AssignmentRow | None:
        """Return a worker's quarantined assignment of a pair, for a purpose."""
        for row in self._rows.values():
            if (row.worker_id, row.pair, row.purpose) == (worker_id, pair, purpose):
                return row
        return None


def reassigned(row: AssignmentRow, session: int | None) -> AssignmentRow:
    """Move an assignment to another session of its worker: an answer stored with it is void."""
    return replace(
        row,
        state=State.OPEN,
        attempt=row.attempt + 1,
        submission_id=session,
        quarantine=session,
        held=None,
        reason=None,
    )


def quarantined_judgment(row: AssignmentRow) -> JudgmentRow:
    """Return a quarantined answer as the judgment it may become; its number is 0 until then."""
    assert row.held is not None
    return JudgmentRow(
        row.topic_id,
        0,
        row.number,
        row.attempt,
        row.worker_id,
        row.first,
        row.second,
        row.held["outcome"],
        row.held["answer"],
        row.held["seconds"],
        row.held["at"],
        row.purpose,
        row.subject,
        row.held["correct"],
    )


def _is_work(row: AssignmentRow, now: float) -> bool:
    return row.purpose == Purpose.WORK and row.expires_at > now


def _lease(row: AssignmentRow) -> Lease:
    return Lease(row.pair, str(row.worker_id), row.subject)
