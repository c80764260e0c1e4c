"""Questions for workers who are checked: gates first, then batches with checks among the work."""

from nextpair.app.enums import Reason
from nextpair.app.judging.issuer import Choosing, Handed
from nextpair.app.judging.next_request import Wish
from nextpair.app.quality.batch_evaluation import Checking
from nextpair.app.quality.batches import Question, quiz_for, turn_of
from nextpair.app.quality.verdicts import Concluded, take_back
from nextpair.app.runtime.projection import Change, LiveTopic
from nextpair.app.runtime.unit_of_work import Step
from nextpair.app.studies.study import Study
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
        if live.row.understanding is not None and not self._checking.settled(Check.UNDERSTANDING):
            topic = {live.row.id: live.row}
            if self._checking.failed(Check.UNDERSTANDING):
                return Step(Handed(reason=Reason.STOPPED))
            return Step(Handed(topics=topic, reason=Reason.UNDERSTANDING))
        quiz = quiz_for(live, self._worker_id, quality.quiz)
        if quiz and not self._checking.settled(Check.QUIZ):
            held = self._checking.held_quiz(self._now)
            if held is None:
                return self._quiz([gold.pair for gold in quiz], room, otherwise)
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
        known, ended = self._checking, self._checking.ended
        turn = turn_of(quality, known.rows, ended, known.highest) if batches else None
        return Choosing(self._live, self._study, self._worker_id, self._wish, self._now, turn)

    def _quiz(
        self, quiz: list[tuple[int, int]], room: int, otherwise: Reason | None
    ) -> Step[Handed]:
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
        if not choosing.rows and room > 0:
            ended = self._checking.end_quiz(self._now)
            if ended is not None:
                return self._end(ended, Reason.QUIZ)
        return choosing.step(Reason.QUIZ if room > 0 else otherwise)

    def _batch(self, room: int, otherwise: Reason | None) -> Step[Handed]:
        unfinished = self._unfinished()
        choosing = self._choosing(batches=True)
        if unfinished:
            for row in unfinished[:room]:
                choosing.renew(row)
            return choosing.step(otherwise if len(unfinished) >= room else Reason.HELD)
        choosing.choose(room)
        idle = choosing.idle
        if choosing.rows or idle is None or idle is Idle.HELD:
            return choosing.step(otherwise)
        # Nobody gets out of a check by letting its lease run out, and nobody without a bonus
        # because the work was over before a check came.
        for row in self._ran_out()[:room]:
            choosing.renew(row)
        if room > 0 and not choosing.rows and self._checking.lacks_trap:
            choosing.add_trap()
        if choosing.rows:
            choosing.idle = None
            return choosing.step(Reason.HELD)
        # What an unconfirmed session has answered has no verdict yet.
        if idle is not Idle.WAIT and self._wish.quarantine is None:
            ended = self._checking.end(self._now)
            if ended is not None:
                return self._end(ended, Reason(idle.value))
        return choosing.step(otherwise)

    def _end(self, ended: Concluded, reason: Reason) -> Step[Handed]:
        """Conclude a quiz or a batch that is not completed by an answer."""
        live = self._live
        head = live.moved(entries=1 if ended.judgments else 0)
        expiry = self._now + self._study.settings.lease_seconds
        taken = take_back(ended, head, expiry, live.hears)
        if ended.verdict.effect == Effect.ASK_AGAIN:
            reason = Reason.HELD
        elif ended.verdict.effect in (Effect.STOP, Effect.STOP_AND_IGNORE):
            reason = Reason.STOPPED
        return Step(
            Handed(reason=reason, version=live.head.version),
            Change(head, taken.assignments, retracted=taken.counted),
            changed=taken.assignments,
            retractions=taken.retractions,
            verdict=ended.verdict,
        )

    def _unfinished(self) -> list[AssignmentRow]:
        """Return what the worker still holds of a batch that has no more questions."""
        quality, newest = self._study.settings.quality, self._checking.newest
        held = self._checking.batch_rows(newest) if newest else []
        if newest in self._checking.ended:
            return []
        if len(held) < quality.batch and not any(row.attempt > 1 for row in held):
            return []
        return [row for row in held if row.state == State.OPEN]

    def _ran_out(self) -> list[AssignmentRow]:
        """Return what the worker was asked in a batch that goes on, and let the lease run out."""
        newest = self._checking.newest
        if newest == 0 or newest in self._checking.ended:
            return []
        return [
            row
            for row in self._checking.batch_rows(newest)
            if row.state == State.OPEN and row.expires_at <= self._now
        ]
