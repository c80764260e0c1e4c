"""Batches: what a worker is checked by on a topic, and which question comes as a check."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nextpair.app.quality.rules import Quality
from nextpair.app.runtime.projection import Aside, LiveTopic
from nextpair.selectors.state.judgments import Pair, unordered
from nextpair.storage.rows import AssignmentRow, GoldRow, Purpose, State

_TRIES = 50


class Question(NamedTuple):
    """What a worker is asked, and why."""

    pair: Pair
    subject: int | None = None
    purpose: Purpose = Purpose.WORK


@dataclass(slots=True)
class Turn:
    """What is still to come of a worker's batch.

    Parameters
    ----------
    left
        How many questions, of them so many traps and repeats.
    """

    number: int
    left: int
    traps: int
    repeats: int
    audits: float

    def draw(self, rng: np.random.Generator) -> Purpose:
        """Draw why the next question is asked: each order of a batch's purposes is as likely."""
        place = rng.random() * max(self.left, 1)
        if place < self.traps:
            return Purpose.TRAP
        if place < self.traps + self.repeats:
            return Purpose.REPEAT
        return Purpose.AUDIT if rng.random() < self.audits else Purpose.WORK

    def count(self, purpose: str, *, given_back: bool = False) -> None:
        """Note that a question was handed out.

        One that was given back makes place for another; a check for work, as it counts as wrong.
        """
        self.left -= not given_back
        self.traps -= purpose == Purpose.TRAP
        self.repeats -= purpose == Purpose.REPEAT

    @property
    def only_checks_left(self) -> bool:
        """Whether all questions still to come are checks."""
        return self.left <= self.traps + self.repeats


def turn_of(
    quality: Quality, rows: Sequence[AssignmentRow], ended: Collection[int], highest: int = 0
) -> Turn:
    """Say where a worker stands on a topic; a batch that is full makes place for a new one.

    Parameters
    ----------
    rows
        The worker's questions of the topic that belong to batches.
    ended
        The batches with a verdict, full or not: nothing that is answered now is checked by it.
    highest
        The highest number of a batch of any of the worker's sessions.
    """
    number = max((row.batch or 0 for row in rows), default=0)
    asked = batch_rows(rows, number)
    held = [row for row in asked if row.state != State.SKIPPED]
    if not number or len(held) >= quality.batch or number in ended:
        number, asked = max(number, highest) + 1, []
    turn = Turn(number, quality.batch, quality.traps, quality.repeats, quality.audits)
    for row in asked:
        turn.count(row.purpose, given_back=row.state == State.SKIPPED)
    return turn


def batch_rows(rows: Sequence[AssignmentRow], number: int) -> list[AssignmentRow]:
    """Return the questions of one batch."""
    return [row for row in rows if row.batch == number]


class Asides:
    """Finds questions that check a worker, none of them twice."""

    def __init__(self, live: LiveTopic, worker_id: int, quarantine: int | None = None) -> None:
        self._live = live
        self._worker = str(worker_id)
        self._given: set[Aside] = set(live.asides(worker_id, quarantine))
        self._held = [] if quarantine is None else live.quarantine.answered(quarantine)

    def find(self, purpose: Purpose, rng: np.random.Generator) -> Question | None:
        """Find a question for a purpose; None if there is none for this worker."""
        found = {
            Purpose.TRAP: self._trap,
            Purpose.REPEAT: self._repeat,
            Purpose.AUDIT: self._audit,
        }[purpose](rng)
        if found is None:
            return None
        self._given.add((purpose, found))
        return Question(found, purpose=purpose)

    def _trap(self, rng: np.random.Generator) -> Pair | None:
        traps = [gold.pair for gold in self._live.golds if not gold.quiz]
        return self._draw([one for one in traps if (Purpose.TRAP, one) not in self._given], rng)

    def _repeat(self, rng: np.random.Generator) -> Pair | None:
        answered = [*self._live.state.answered_by(self._worker), *self._held]
        fresh = [one for one in answered if (Purpose.REPEAT, one) not in self._given]
        # Of what was answered longest ago, so that it is not remembered.
        return self._draw(fresh[: max(1, len(fresh) // 2)], rng)

    def _draw(self, pairs: Sequence[Pair], rng: np.random.Generator) -> Pair | None:
        return pairs[int(rng.integers(len(pairs)))] if pairs else None

    def _audit(self, rng: np.random.Generator) -> Pair | None:
        size = len(self._live.state.documents)
        answered = {*self._live.state.answered_by(self._worker), *self._held}
        for _ in range(_TRIES if size > 1 else 0):
            one, other = rng.choice(size, 2, replace=False).tolist()
            pair = unordered(one, other)
            if pair not in answered and (Purpose.AUDIT, pair) not in self._given:
                return pair
        return None


def quiz_for(live: LiveTopic, worker_id: int, size: int) -> list[GoldRow]:
    """Choose a worker's quiz: the same for them in every process, others get another order."""
    quiz = [gold for gold in live.golds if gold.quiz]
    rng = np.random.default_rng((live.row.seed, worker_id))
    return [quiz[place] for place in rng.permutation(len(quiz))[:size]]
