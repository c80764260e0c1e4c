"""Questions for workers who are checked: gates first, then batches with checks among the work."""

from nextpair.app.judging.batches import Question, quiz_for, turn_of
from nextpair.app.judging.checking import Checking, Concluded, take_back
from nextpair.app.judging.choosing import Choosing, Handed
from nextpair.app.judging.live import Change, LiveTopic
from nextpair.app.judging.steps import Step
from nextpair.app.judging.study import Study
from nextpair.app.judging.wish import Wish
from nextpair.app.words import Reason
from nextpair.selectors.base import Idle
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, Check, Effect, Purpose, State


def checks_workers(study: Study, live: LiveTopic) -> bool:
    """Say whether workers on a topic are checked in any way."""
    quality = study.settings.quality
    return quality.checks or quality.quiz > 0 or live.row.understanding is not None


class Checked:
    """One call of one worker for questions of a topic, under the topic's lock."""

    def __init__(
        self,
        connection: Connection,
        live: LiveTopic,
        study: Study,
        worker_id: int,
        wish: Wish,
        now: float,
    ) -> None:
        self._live, self._study, self._worker_id = live, study, worker_id
        self._wish, self._now = wish, now
        self._checking = Checking(connection, live, study, worker_id, wish.quarantine)

    def step(self, room: int, otherwise: Reason | None) -> Step[Handed]:
        """Hand out what the worker may have now, up to some number of questions."""
        quality, live = self._study.settings.quality, self._live
        if live.row.understanding is not None and not self._checking.passed(Check.UNDERSTANDING):
            topic = {live.row.id: live.row}
            if self._checking.failed(Check.UNDERSTANDING):
                return Step(Handed(reason=Reason.STOPPED))
            return Step(Handed(topics=topic, reason=Reason.UNDERSTANDING))
        quiz = quiz_for(live, self._worker_id, quality.quiz)
        if quiz and not self._checking.passed(Check.QUIZ):
            held = self._checking.held_quiz(self._now)
            if held is None:
                return self._quiz([gold.pair for gold in quiz], room)
            if not held.passed:
                # A verdict is only given, and another try, once the session is confirmed.
                return Step(Handed(reason=Reason.STOPPED))
        if not quality.checks:
            choosing = self._choosing()
            choosing.choose(room)
            return choosing.step(otherwise)
        return self._batch(room, otherwise)

    def _choosing(self, *, batches: bool = False) -> Choosing:
        quality = self._study.settings.quality
        rows, newest = self._checking.rows, self._checking.newest
        turn = turn_of(quality, rows, newest) if batches else None
        return Choosing(self._live, self._study, self._worker_id, self._wish, self._now, turn)

    def _quiz(self, quiz: list[tuple[int, int]], room: int) -> Step[Handed]:
        choosing = self._choosing()
        handed = {row.pair: row for row in self._checking.quiz_rows()}
        for pair in quiz:
            if len(choosing.rows) == room:
                break
            row = handed.get(pair)
            if row is None and pair in self._checking.taken:
                continue
            if row is None:
                choosing.hand_out(Question(pair, purpose=Purpose.QUIZ), swapped=choosing.toss())
            elif row.state == State.OPEN:
                choosing.renew(row)
        return choosing.step(Reason.QUIZ)

    def _batch(self, room: int, otherwise: Reason | None) -> Step[Handed]:
        unfinished = self._unfinished()
        choosing = self._choosing(batches=True)
        if unfinished:
            for row in unfinished[:room]:
                choosing.renew(row)
            return choosing.step(otherwise if len(unfinished) >= room else Reason.HELD)
        choosing.choose(room)
        counts = self._wish.quarantine is None
        if counts and choosing.idle in (Idle.DONE, Idle.SEEN) and not choosing.rows:
            ended = self._checking.end(self._now)
            if ended is not None:
                return self._end(ended, choosing.idle)
        return choosing.step(otherwise)

    def _end(self, ended: Concluded, idle: Idle) -> Step[Handed]:
        """Conclude a batch that will not become full."""
        live = self._live
        head = live.moved(entries=1 if ended.judgments else 0)
        expiry = self._now + self._study.settings.lease_seconds
        taken = take_back(ended, head, expiry, live.hears)
        again = ended.verdict.effect == Effect.ASK_AGAIN
        reason = Reason.HELD if again else Reason(idle.value)
        handed = Handed(reason=reason, version=live.head.version)
        return Step(
            handed,
            Change(head, taken.assignments, retracted=taken.counted),
            changed=taken.assignments,
            retractions=taken.retractions,
            verdict=ended.verdict,
        )

    def _unfinished(self) -> list[AssignmentRow]:
        """Return what the worker still holds of a batch that has no more questions."""
        quality, rows = self._study.settings.quality, self._checking.rows
        newest = max((row.batch or 0 for row in rows), default=0)
        held = self._checking.batch_rows(newest) if newest else []
        if len(held) < quality.batch and not any(row.attempt > 1 for row in held):
            return []
        return [row for row in held if row.state == State.OPEN]
