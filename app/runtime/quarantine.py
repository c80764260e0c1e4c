"""What strangers may hold: questions of sessions that their platform has not confirmed.

Anyone can claim to be sent by a platform. Until it confirms that, a session's answers are held with
their questions and are in no log, and nobody waits for its questions: others are asked something
else while there is something else, and the same where there is not.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from nextpair.selectors.state.judgments import Pair
from nextpair.selectors.state.settings import Lease
from nextpair.storage.quarantine import answered_at
from nextpair.storage.rows import AssignmentRow, JudgmentRow, Purpose, State

HELD_SECONDS = 366 * 86_400.0
"""How long a held answer keeps others from being asked the same, unless its session lapses."""


class Quarantine:
    """What a topic has handed out to sessions that nobody has confirmed."""

    def __init__(self) -> None:
        self._rows: dict[int, AssignmentRow] = {}

    def file(self, row: AssignmentRow) -> bool:
        """Note how an assignment stands now; False if it is not, or no longer, in quarantine."""
        self._rows.pop(row.number, None)
        if row.quarantine is None:
            return False
        if row.state != State.LAPSED:
            self._rows[row.number] = row
        return True

    def get(self, number: int) -> AssignmentRow | None:
        """Return an assignment that is in quarantine."""
        return self._rows.get(number)

    def of(self, session: int) -> list[AssignmentRow]:
        """List what a session has."""
        return [row for row in self._rows.values() if row.quarantine == session]

    def own_leases(self, session: int | None, now: float) -> Iterator[Lease]:
        """Yield the pairs that a session itself holds."""
        for row in self._rows.values() if session is not None else ():
            if row.quarantine == session and row.state == State.OPEN and _is_work(row, now):
                yield _lease(row)

    def soft_leases(
        self, session: int | None, now: float, unserved: Collection[int]
    ) -> list[Lease]:
        """List the pairs that other sessions hold or have answered: better asked later."""
        return [
            _lease(row)
            for row in self._rows.values()
            if row.quarantine != session
            and row.state in (State.OPEN, State.HELD)
            and row.worker_id not in unserved
            and _is_work(row, now)
        ]

    def barred(self, session: int, worker_id: int) -> Iterator[Pair]:
        """Yield the pairs that an unconfirmed session must not get.

        That is what it has answered or skipped, and what the same worker has in another one.
        """
        for row in self._rows.values():
            mine = row.quarantine == session
            done = mine and row.state != State.OPEN
            others = not mine and row.worker_id == worker_id
            if row.purpose == Purpose.WORK and (done or others):
                yield row.pair

    def answered(self, session: int) -> list[Pair]:
        """List the pairs of work that a session has answered, oldest first."""
        rows = [row for row in self.of(session) if row.held and row.purpose == Purpose.WORK]
        return [row.pair for row in sorted(rows, key=answered_at)]

    def asides(self, worker_id: int) -> Iterable[tuple[str, Pair]]:
        """Yield the questions by which a worker is checked in sessions not confirmed."""
        for row in self._rows.values():
            if row.worker_id == worker_id and row.purpose != Purpose.WORK:
                yield row.purpose, row.pair

    def find(self, worker_id: int, pair: Pair, purpose: str) -> AssignmentRow | None:
        """Return what a worker has of a pair."""
        for row in self._rows.values():
            if (row.worker_id, row.pair, row.purpose) == (worker_id, pair, purpose):
                return row
        return None


def taken_over(row: AssignmentRow, session: int | None) -> AssignmentRow:
    """Give a worker's question to another of their sessions: what was held of it is void."""
    return replace(
        row,
        state=State.OPEN,
        attempt=row.attempt + 1,
        submission_id=session,
        quarantine=session,
        held=None,
        reason=None,
    )


def held_judgment(row: AssignmentRow) -> JudgmentRow:
    """Return an answer that is held as the entry of the log that it may become; 0 is no number."""
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
