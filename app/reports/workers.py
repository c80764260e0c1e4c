"""The worker table: what each worker did, and what there is to say of it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from nextpair.app.designs.base import Shape
from nextpair.app.quality.grading import find_gold
from nextpair.app.quality.rules import GradedAnswer, QualityRules, check_batch
from nextpair.app.reports.topic_snapshot import Facts
from nextpair.app.results.answer_set import AnswerSet
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
class Tally:
    """Counts of one worker, on one topic or on several.

    Parameters
    ----------
    judgments, checks, retracted
        Answers that count for the scores, answers that check the worker, and those taken back.
    known, right
        Questions whose answer is known, and of those answered right; on a scale, pairs of such.
    reliability
        Reliabilities on topics, each times the answers it rests on.
    """

    judgments: int = 0
    checks: int = 0
    retracted: int = 0
    known: int = 0
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

    def add(self, other: "Tally") -> None:
        """Add the counts of another topic."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def share(self, part: str, whole: str) -> float:
        """Return one count as a share of another, NaN if there is none."""
        of = getattr(self, whole)
        return float(getattr(self, part) / of) if of else np.nan


Tallies = defaultdict[int, Tally]


def tally(facts: Facts) -> Tallies:
    """Count what each worker did on a topic."""
    found: Tallies = defaultdict(Tally)
    for row, by in facts.log:
        one = found[row.worker_id]
        if by is not None:
            one.retracted += 1
        elif row.purpose == Purpose.WORK:
            one.judgments += 1
        else:
            one.checks += 1
        if by is None and row.seconds is not None:
            one.seconds.append(row.seconds)
    for verdict in facts.verdicts:
        one = found[verdict.worker_id]
        one.passed += verdict.passed
        one.failed += not verdict.passed and verdict.effect != VerdictEffect.NONE
    _tally_known(facts, found)
    _tally_consistency(facts, found)
    for worker, (value, answers) in reliabilities(facts).items():
        found[worker].reliability += value * answers
        found[worker].weighed += answers
    return found


def _by_worker(rows: Iterable[JudgmentRow]) -> Mapping[int, list[JudgmentRow]]:
    found: dict[int, list[JudgmentRow]] = defaultdict(list)
    for row in rows:
        found[row.worker_id].append(row)
    return found


def _tally_known(facts: Facts, found: Tallies) -> None:
    for worker, rows in _by_worker(facts.known).items():
        checked = [_checked(facts, row) for row in rows]
        for finding in check_batch(QualityRules(), checked):
            found[worker].right += finding.found
            found[worker].known += finding.of


def _checked(facts: Facts, row: JudgmentRow) -> GradedAnswer:
    gold = find_gold(facts.golds, row.first, row.second, row.purpose)
    if row.correct is not None or gold is None:
        return GradedAnswer(None, 1, row.correct)
    known = facts.design.known(gold.answer)
    value = facts.design.value(facts.design.read(row.answer))
    return GradedAnswer(None, 1, known=known if isinstance(known, float) else None, value=value)


def _tally_consistency(facts: Facts, found: Tallies) -> None:
    pairs = facts.design.shape is Shape.PAIR
    asked = facts.of(Purpose.WORK, Purpose.REPEAT, Purpose.AUDIT)
    for worker, rows in _by_worker(row for row in asked if row.subject is None).items():
        if pairs:
            told = [_told(row) for row in rows]
            again, around = repeated_pairs(told), triads(told)
            found[worker].triads += around.complete
            found[worker].intransitive += around.intransitive
        else:
            values = facts.said().values(rows)
            again = repeats((row.first, value) for row, value in zip(rows, values, strict=True))
        found[worker].repeated += again.repeated
        found[worker].alike += again.alike


def _told(row: JudgmentRow) -> DirectedComparison:
    return row.first, row.second, Outcome(str(row.outcome))


# -- reliability --------------------------------------------------------------------------------


def weighed_by(facts: Facts) -> str | None:
    """Say what tells how far workers can be relied on; None where nothing does."""
    if facts.reliabilities:
        return SELECTOR
    if facts.design.shape is Shape.PAIR:
        return BRADLEY_TERRY
    return DAWID_SKENE if getattr(facts.design, "levels", ()) else None


def reliabilities(facts: Facts) -> dict[int, tuple[float, int]]:
    """Say how far each worker can be relied on, and on how many answers that rests."""
    if facts.reliabilities:
        return {int(one.worker): (one.right, one.answers) for one in facts.reliabilities}
    said = facts.said()
    kind = weighed_by(facts)
    if kind is None or not said.rows:
        return {}
    rows = [row for row in said.rows if row.subject is None]
    found = _bradley_terry(said, rows) if kind == BRADLEY_TERRY else _dawid_skene(said, rows)
    places, who = said.workers(rows), [row.worker_id for row in rows]
    counts = np.bincount(places)
    return {
        worker: (float(found[place]), int(counts[place]))
        for place, worker in zip(places, who, strict=True)
    }


def _bradley_terry(said: AnswerSet, rows: Sequence[JudgmentRow]) -> FloatArray:
    answers = bradley_terry.collect_pair_responses(
        said.size,
        [row.first for row in rows],
        [row.second for row in rows],
        [Outcome(str(row.outcome)).code for row in rows],
        said.workers(rows),
    )
    return bradley_terry.fit_bradley_terry(answers).reliabilities


def _dawid_skene(said: AnswerSet, rows: Sequence[JudgmentRow]) -> FloatArray:
    return dawid_skene(said.labelled(rows)).reliabilities()
