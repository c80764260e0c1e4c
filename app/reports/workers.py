"""The worker table: counts, accuracy on gold questions, consistency and reliability."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from nextpair.app.designs.base import Shape
from nextpair.app.quality.grading import find_gold
from nextpair.app.reports.topic_snapshot import TopicSnapshot
from nextpair.app.results.scores import AnswerSet
from nextpair.app.studies.quality_rules import CheckedAnswer, QualityRules, check_batch
from nextpair.selectors.aggregation import bradley_terry
from nextpair.selectors.aggregation.dawid_skene import dawid_skene
from nextpair.selectors.aggregation.responses import FloatArray
from nextpair.selectors.agreement.consistency import (
    DirectedComparison,
    repeated_pairs,
    repeats,
    triads,
)
from nextpair.selectors.state.judgments import Outcome
from nextpair.storage.rows import JudgmentRow, Purpose, VerdictEffect

SELECTOR, BRADLEY_TERRY, DAWID_SKENE = "selector", "bradley-terry", "dawid-skene"


@dataclass(slots=True)
class WorkerCounts:
    """The counts of one worker, on one topic or on several.

    Parameters
    ----------
    judgments, checks, retracted
        Answers that count for the scores, answers to check questions, and retracted ones.
    gold, right
        Gold questions, and how many of them were answered right; for scales, pairs of them.
    reliability, weighed
        The sum of reliabilities per topic, each weighted by its answers; the sum of these weights.
    """

    judgments: int = 0
    checks: int = 0
    retracted: int = 0
    gold: int = 0
    right: int = 0
    triads: int = 0
    intransitive: int = 0
    repeated: int = 0
    alike: int = 0
    passed: int = 0
    failed: int = 0
    reliability: float = 0.0
    weighed: int = 0
    seconds: list[float] = field(default_factory=list)

    def add(self, other: "WorkerCounts") -> None:
        """Add the counts of another topic."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def share(self, part: str, whole: str) -> float:
        """Return one count as a share of another, NaN if there is none."""
        total = getattr(self, whole)
        return float(getattr(self, part) / total) if total else np.nan


CountsByWorker = defaultdict[int, WorkerCounts]


def count_by_worker(snapshot: TopicSnapshot) -> CountsByWorker:
    """Count what each worker did on a topic."""
    counts: CountsByWorker = defaultdict(WorkerCounts)
    for row, retracted_by in snapshot.log:
        worker_counts = counts[row.worker_id]
        if retracted_by is not None:
            worker_counts.retracted += 1
        elif row.purpose == Purpose.WORK:
            worker_counts.judgments += 1
        else:
            worker_counts.checks += 1
        if retracted_by is None and row.seconds is not None:
            worker_counts.seconds.append(row.seconds)
    for verdict in snapshot.verdicts:
        worker_counts = counts[verdict.worker_id]
        worker_counts.passed += verdict.passed
        worker_counts.failed += not verdict.passed and verdict.effect != VerdictEffect.NONE
    _count_gold(snapshot, counts)
    _count_consistency(snapshot, counts)
    for worker, (value, answers) in estimate_reliabilities(snapshot).items():
        counts[worker].reliability += value * answers
        counts[worker].weighed += answers
    return counts


def _by_worker(rows: Iterable[JudgmentRow]) -> Mapping[int, list[JudgmentRow]]:
    by_worker: dict[int, list[JudgmentRow]] = defaultdict(list)
    for row in rows:
        by_worker[row.worker_id].append(row)
    return by_worker


def _count_gold(snapshot: TopicSnapshot, counts: CountsByWorker) -> None:
    for worker, rows in _by_worker(snapshot.gold_answers).items():
        checked = [_graded_answer(snapshot, row) for row in rows]
        for finding in check_batch(QualityRules(), checked):
            counts[worker].right += finding.found
            counts[worker].gold += finding.of


def _graded_answer(snapshot: TopicSnapshot, row: JudgmentRow) -> CheckedAnswer:
    gold = find_gold(snapshot.golds, row.first, row.second, row.purpose)
    if row.correct is not None or gold is None:
        return CheckedAnswer(None, 1, row.correct)
    known = snapshot.design.known_answer(gold.answer)
    value = snapshot.design.value(snapshot.design.read(row.answer))
    return CheckedAnswer(None, 1, known=known if isinstance(known, float) else None, value=value)


def _count_consistency(snapshot: TopicSnapshot, counts: CountsByWorker) -> None:
    pairs = snapshot.design.shape is Shape.PAIR
    asked = snapshot.for_purposes(Purpose.WORK, Purpose.REPEAT, Purpose.AUDIT)
    for worker, rows in _by_worker(row for row in asked if row.subject is None).items():
        if pairs:
            answered = [_answered_pair(row) for row in rows]
            repetition, triad_counts = repeated_pairs(answered), triads(answered)
            counts[worker].triads += triad_counts.complete
            counts[worker].intransitive += triad_counts.intransitive
        else:
            values = snapshot.answer_set().values(rows)
            repetition = repeats(
                (row.first, value) for row, value in zip(rows, values, strict=True)
            )
        counts[worker].repeated += repetition.repeated
        counts[worker].alike += repetition.alike


def _answered_pair(row: JudgmentRow) -> DirectedComparison:
    return row.first, row.second, Outcome(str(row.outcome))


# -- reliability --------------------------------------------------------------------------------


def reliability_source(snapshot: TopicSnapshot) -> str | None:
    """Return the model that reliabilities are estimated by; None where there is none."""
    if snapshot.reliabilities:
        return SELECTOR
    if snapshot.design.shape is Shape.PAIR:
        return BRADLEY_TERRY
    return DAWID_SKENE if getattr(snapshot.design, "levels", ()) else None


def estimate_reliabilities(snapshot: TopicSnapshot) -> dict[int, tuple[float, int]]:
    """Estimate the reliability of each worker, with the number of answers it rests on."""
    if snapshot.reliabilities:
        return {
            int(reliability.worker): (reliability.right, reliability.answers)
            for reliability in snapshot.reliabilities
        }
    answer_set = snapshot.answer_set()
    kind = reliability_source(snapshot)
    if kind is None or not answer_set.rows:
        return {}
    rows = [row for row in answer_set.rows if row.subject is None]
    estimates = (
        _bradley_terry(answer_set, rows)
        if kind == BRADLEY_TERRY
        else _dawid_skene(answer_set, rows)
    )
    places, worker_ids = answer_set.workers(rows), [row.worker_id for row in rows]
    counts = np.bincount(places)
    return {
        worker: (float(estimates[place]), int(counts[place]))
        for place, worker in zip(places, worker_ids, strict=True)
    }


def _bradley_terry(answer_set: AnswerSet, rows: Sequence[JudgmentRow]) -> FloatArray:
    answers = bradley_terry.collect_pair_responses(
        answer_set.size,
        [row.first for row in rows],
        [row.second for row in rows],
        [Outcome(str(row.outcome)).code for row in rows],
        answer_set.workers(rows),
    )
    return bradley_terry.fit_bradley_terry(answers).reliabilities


def _dawid_skene(answer_set: AnswerSet, rows: Sequence[JudgmentRow]) -> FloatArray:
    return dawid_skene(answer_set.labelled(rows)).reliabilities()
