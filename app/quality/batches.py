"""Batches: where check questions come among a worker's work on a topic, and which."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nextpair.app.runtime.projection import CheckQuestion, TopicProjection
from nextpair.app.studies.quality_rules import QualityRules
from nextpair.selectors.state.judgments import Pair, unordered
from nextpair.storage.rows import AssignmentRow, GoldRow, Purpose, State

_TRIES = 50


class ChosenQuestion(NamedTuple):
    """A question chosen for a worker, and its purpose."""

    pair: Pair
    subject: int | None = None
    purpose: Purpose = Purpose.WORK


@dataclass(slots=True)
class BatchProgress:
    """What is left of a worker's batch.

    Parameters
    ----------
    left
        How many questions are left, traps and repeats included.
    traps, repeats
        How many of these are left.
    audits
        The probability that a question of work is replaced by an audit.
    """

    number: int
    left: int
    traps: int
    repeats: int
    audits: float

    def draw(self, rng: np.random.Generator) -> Purpose:
        """Draw the next question's purpose: all orders of a batch are equally likely."""
        place = rng.random() * max(self.left, 1)
        if place < self.traps:
            return Purpose.TRAP
        if place < self.traps + self.repeats:
            return Purpose.REPEAT
        return Purpose.AUDIT if rng.random() < self.audits else Purpose.WORK

    def count(self, purpose: str, *, skipped: bool = False) -> None:
        """Count a question that was issued.

        A skipped one is replaced by another; a skipped check by work, since it counts as wrong.
        """
        self.left -= not skipped
        self.traps -= purpose == Purpose.TRAP
        self.repeats -= purpose == Purpose.REPEAT

    @property
    def only_checks_left(self) -> bool:
        """Whether all questions still to come are checks."""
        return self.left <= self.traps + self.repeats


def batch_progress(
    quality: QualityRules, rows: Sequence[AssignmentRow], ended: Collection[int], highest: int = 0
) -> BatchProgress:
    """Return what is left of a worker's batch; after a full one a new one begins.

    Parameters
    ----------
    rows
        The worker's assignments of the topic that belong to batches.
    ended
        The batches with a verdict, full or not: no later answer belongs to one of them.
    highest
        The highest number of a batch of any of the worker's sessions.
    """
    number = max((row.batch or 0 for row in rows), default=0)
    asked = batch_rows(rows, number)
    held = [row for row in asked if row.state != State.SKIPPED]
    if not number or len(held) >= quality.batch or number in ended:
        number, asked = max(number, highest) + 1, []
    progress = BatchProgress(number, quality.batch, quality.traps, quality.repeats, quality.audits)
    for row in asked:
        progress.count(row.purpose, skipped=row.state == State.SKIPPED)
    return progress


def batch_rows(rows: Sequence[AssignmentRow], number: int) -> list[AssignmentRow]:
    """Return the questions of one batch."""
    return [row for row in rows if row.batch == number]


class CheckQuestionSampler:
    """Samples check questions for a worker, without replacement."""

    def __init__(
        self, projection: TopicProjection, worker_id: int, quarantine: int | None = None
    ) -> None:
        self._projection = projection
        self._worker = str(worker_id)
        self._asked: set[CheckQuestion] = set(projection.check_questions(worker_id, quarantine))
        self._held = [] if quarantine is None else projection.quarantine.answered_pairs(quarantine)

    def find(self, purpose: Purpose, rng: np.random.Generator) -> ChosenQuestion | None:
        """Sample a question for a purpose; None if there is none left for this worker."""
        pair = {
            Purpose.TRAP: self._trap,
            Purpose.REPEAT: self._repeat,
            Purpose.AUDIT: self._audit,
        }[purpose](rng)
        if pair is None:
            return None
        self._asked.add((purpose, pair))
        return ChosenQuestion(pair, purpose=purpose)

    def _trap(self, rng: np.random.Generator) -> Pair | None:
        traps = [gold.pair for gold in self._projection.golds if not gold.quiz]
        return self._draw([pair for pair in traps if (Purpose.TRAP, pair) not in self._asked], rng)

    def _repeat(self, rng: np.random.Generator) -> Pair | None:
        answered = [*self._projection.state.answered_by(self._worker), *self._held]
        fresh = [pair for pair in answered if (Purpose.REPEAT, pair) not in self._asked]
        # From the older half of the answers, which the worker is least likely to remember.
        return self._draw(fresh[: max(1, len(fresh) // 2)], rng)

    def _draw(self, pairs: Sequence[Pair], rng: np.random.Generator) -> Pair | None:
        return pairs[int(rng.integers(len(pairs)))] if pairs else None

    def _audit(self, rng: np.random.Generator) -> Pair | None:
        size = len(self._projection.state.documents)
        answered = {*self._projection.state.answered_by(self._worker), *self._held}
        for _ in range(_TRIES if size > 1 else 0):
            first, second = rng.choice(size, 2, replace=False).tolist()
            pair = unordered(first, second)
            if pair not in answered and (Purpose.AUDIT, pair) not in self._asked:
                return pair
        return None


def draw_quiz(projection: TopicProjection, worker_id: int, size: int) -> list[GoldRow]:
    """Draw a worker's quiz, seeded by the worker: the same in every process, another for others."""
    quiz = [gold for gold in projection.golds if gold.quiz]
    rng = np.random.default_rng((projection.topic.seed, worker_id))
    return [quiz[place] for place in rng.permutation(len(quiz))[:size]]
