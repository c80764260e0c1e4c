"""Choosing questions for a worker, one after the other, each knowing of those before it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nextpair.app.enums import Reason
from nextpair.app.judging.next_request import Wish
from nextpair.app.quality.batches import Asides, Question, Turn
from nextpair.app.runtime.projection import Change, LiveTopic
from nextpair.app.runtime.quarantine import taken_over
from nextpair.app.runtime.unit_of_work import Step
from nextpair.app.studies.study import Study
from nextpair.selectors.base import Idle
from nextpair.selectors.state.judgments import Pair, unordered
from nextpair.selectors.state.settings import Lease
from nextpair.selectors.state.single_documents import Ask
from nextpair.storage.rows import AssignmentRow, Purpose, State, TopicRow


@dataclass(slots=True)
class Handed:
    """What a worker got, and why not more.

    Parameters
    ----------
    topics, ids
        The topics of the assignments, and the ids of their documents where they are at hand.
    version
        Of the topic before.
    idle
        What the topic's selector said in place of a question, if it was asked for one.
    """

    assignments: list[AssignmentRow] = field(default_factory=list)
    topics: dict[int, TopicRow] = field(default_factory=dict)
    ids: dict[int, tuple[str, ...]] = field(default_factory=dict)
    reason: Reason | None = None
    repeated: bool = False
    version: int = -1
    idle: Idle | None = None


class Choosing:
    """What one worker is given of one topic in one call.

    Parameters
    ----------
    turn
        Where the worker stands in their batch, if there are batches.
    """

    def __init__(
        self,
        live: LiveTopic,
        study: Study,
        worker_id: int,
        wish: Wish,
        now: float,
        turn: Turn | None = None,
    ) -> None:
        self._live = live
        self._worker_id = worker_id
        self._request, self._quarantine = wish.request, wish.quarantine
        self._now = now
        self._expiry = now + study.settings.lease_seconds
        self._leases = live.leases(now, study.unserved, study.settings.lease_seconds)
        self._leases += live.quarantine.own_leases(wish.quarantine, now)
        self._soft = live.quarantine.soft_leases(wish.quarantine, now, study.unserved)
        self._asked = live.head.asked
        self._version = live.head.version + 1
        self._turn = turn
        self._asides = None if turn is None else Asides(live, worker_id, wish.quarantine)
        self.added: list[AssignmentRow] = []
        self.rows: list[AssignmentRow] = []
        self.idle: Idle | None = None

    def choose(self, count: int) -> None:
        """Choose up to so many questions."""
        for _ in range(count if self._turn is None else min(count, self._turn.left)):
            self._choose_one()
            if self.idle is not None:
                return

    def _choose_one(self) -> None:
        choice, rng = self._select([*self._leases, *self._soft])
        if isinstance(choice, Idle) and self._soft:
            # Nobody waits for strangers: what they hold, or say, is asked once more.
            choice, rng = self._select(self._leases)
        if isinstance(choice, Idle):
            self.idle = choice
            return
        check = self._check(rng)
        if check is None and self._waits_for_answers():
            self.idle = Idle.HELD
            return
        question = check or _question(choice)
        if question.purpose is Purpose.WORK:
            worker = str(self._worker_id)
            self._leases.append(Lease(question.pair, worker, question.subject))
        held = self._live.ran_out(self._worker_id, question.pair)
        if held is None or question.purpose is not Purpose.WORK:
            self.hand_out(question, swapped=bool(rng.integers(2)))
        else:
            self.renew(held)

    def _select(self, leases: Sequence[Lease]) -> tuple[Pair | Ask | Idle, np.random.Generator]:
        state, worker = self._live.state, str(self._worker_id)
        rng = state.settings.question_rng(self._asked)
        barred = self._live.barred(self._worker_id, self._quarantine)
        return state.select(worker, leases, rng, barred), rng

    def _check(self, rng: np.random.Generator) -> Question | None:
        """Ask something whose answer says more about the worker, where it is time for that."""
        if self._turn is None or self._asides is None:
            return None
        purpose = self._turn.draw(rng)
        return None if purpose is Purpose.WORK else self._asides.find(purpose, rng)

    def _waits_for_answers(self) -> bool:
        """Say whether only repeats are to come, of answers that the worker still has to give."""
        if self._turn is None or not self._turn.repeats or not self._turn.only_checks_left:
            return False
        return bool(self.rows) or any(
            row.worker_id == self._worker_id and row.expires_at > self._now
            for row in self._live.open.values()
        )

    def add_trap(self) -> None:
        """Hand out a question whose answer is known, where there is one for this worker."""
        rng = self._live.state.settings.question_rng(self._asked)
        trap = None if self._asides is None else self._asides.find(Purpose.TRAP, rng)
        if trap is not None:
            self.hand_out(trap, swapped=bool(rng.integers(2)))

    def toss(self) -> bool:
        """Toss the coin of the next question, which decides its sides."""
        return bool(self._live.state.settings.question_rng(self._asked).integers(2))

    def hand_out(self, question: Question, *, swapped: bool) -> None:
        """Hand out a question; one that a session in quarantine holds is taken over."""
        there = self._live.quarantine.find(self._worker_id, question.pair, question.purpose)
        self._asked += there is None
        in_batch = self._turn is not None and question.purpose is not Purpose.QUIZ
        row = AssignmentRow(
            self._live.row.id,
            self._asked,
            self._worker_id,
            *question.pair,
            swapped and question.pair[0] != question.pair[1],
            State.OPEN,
            1,
            self._version,
            self._expiry,
            self._request,
            self._now,
            question.purpose,
            question.subject,
            self._turn.number if self._turn is not None and in_batch else None,
            submission_id=self._quarantine,
            quarantine=self._quarantine,
        )
        if self._turn is not None and in_batch:
            self._turn.count(question.purpose)
        if there is None:
            self.added.append(row)
            self.rows.append(row)
        elif there.quarantine == self._quarantine is not None:
            self.renew(there)
        else:
            self.renew(replace(taken_over(there, self._quarantine), batch=row.batch))

    def renew(self, held: AssignmentRow) -> None:
        """Hand out again what the worker once held, or holds, and has not answered."""
        self.rows.append(
            replace(held, version=self._version, expires_at=self._expiry, request=self._request)
        )

    def step(self, otherwise: Reason | None) -> Step[Handed]:
        """Return what handing these out changes, and what is told of it."""
        live = self._live
        reason = otherwise if self.idle is None else Reason(self.idle.value)
        ids = {live.row.id: live.state.documents.ids}
        topic = {live.row.id: live.row}
        handed = Handed(self.rows, topic, ids, reason, version=live.head.version, idle=self.idle)
        if not self.rows:
            return Step(handed)
        fresh = {row.number for row in self.added}
        renewed = [row for row in self.rows if row.number not in fresh]
        change = Change(live.moved(asked=len(self.added)), self.rows)
        return Step(handed, change, self.added, renewed)


def _question(choice: Pair | Ask) -> Question:
    if isinstance(choice, Ask):
        return Question((choice.document, choice.document), choice.subject)
    return Question(unordered(*choice))
