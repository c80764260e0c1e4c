"""Agreement between workers, where several answered the same question.

Each pair is counted twice, once with each of its documents first: the stored order has no meaning,
and if better documents tended to come first, nearly all answers would be "better", and agreement
would look like chance. The level of measurement is ordinal for pairs (worse, tie, better) and
grades, interval for sliders, and ratio for magnitudes, after each worker's own scale is normalised.
Audit pairs are included; repeats and gold questions are not.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from nextpair.app.designs.base import Design, Shape
from nextpair.app.designs.magnitude import MagnitudeDesign
from nextpair.app.designs.s100 import S100Design
from nextpair.app.reports.topic_snapshot import TopicSnapshot
from nextpair.selectors.aggregation.means import normalise_magnitudes
from nextpair.selectors.aggregation.responses import collect_responses
from nextpair.selectors.agreement.kappas import (
    MeasurementLevel,
    fleiss_kappa,
    krippendorff_alpha,
    weighted_kappa,
)
from nextpair.selectors.state.judgments import Outcome
from nextpair.storage.rows import Purpose

MIN_SHARED_QUESTIONS = 10
"""Questions that two workers must share for an agreement of their own."""
MAX_WORKER_PAIRS = 100
"""Pairs of workers in a report, those with most shared questions."""
_RANKS = {Outcome.WORSE.value: 0.0, Outcome.TIE.value: 1.0, Outcome.BETTER.value: 2.0}

Question = tuple[int, int, int]
"""A topic and the positions of one document or two."""
AnswersByQuestion = Mapping[Question, Mapping[int, float]]
"""By question and worker, the value of the answer."""


@dataclass(frozen=True, slots=True)
class MeasurementScale:
    """The level of measurement of answers, and the number of labels, if it is finite.

    Parameters
    ----------
    mirrored
        Whether each answer also counts from the other side: 2 minus its value.
    """

    level: MeasurementLevel
    labels: int | None
    mirrored: bool = False

    @property
    def is_nominal(self) -> bool:
        """Whether answers are labels, for which percentage agreement and Fleiss' kappa exist."""
        return (
            self.level in (MeasurementLevel.NOMINAL, MeasurementLevel.ORDINAL)
            and self.labels is not None
        )


@dataclass(frozen=True, slots=True)
class WorkerPairAgreement:
    """The agreement of two workers."""

    first: int
    second: int
    questions: int
    percentage: float
    kappa: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of all workers.

    Parameters
    ----------
    questions, answers
        Questions that several workers answered, and the number of answers to them.
    alpha
        Krippendorff's alpha.
    percentage
        The share of pairs of answers to the same question that are equal.
    fleiss, votes
        Fleiss' kappa and the number of answers per question, where it is constant.
    """

    level: MeasurementLevel
    questions: int
    answers: int
    alpha: float
    percentage: float
    fleiss: float
    votes: int | None
    pairs: Sequence[WorkerPairAgreement]


def scale_of(design: Design) -> MeasurementScale:
    """Return the scale of a design's answers."""
    if design.shape is Shape.PAIR:
        return MeasurementScale(MeasurementLevel.ORDINAL, 3, mirrored=True)
    if isinstance(design, S100Design):
        return MeasurementScale(MeasurementLevel.INTERVAL, 101)
    if isinstance(design, MagnitudeDesign):
        return MeasurementScale(MeasurementLevel.RATIO, None)
    levels = getattr(design, "levels", ())
    return (
        MeasurementScale(MeasurementLevel.ORDINAL, len(levels))
        if levels
        else MeasurementScale(MeasurementLevel.INTERVAL, None)
    )


def answers_by_question(snapshot: TopicSnapshot) -> dict[Question, dict[int, float]]:
    """Collect the answers of a topic by question and worker; the last one counts."""
    rows = [
        row for row in snapshot.for_purposes(Purpose.WORK, Purpose.AUDIT) if row.subject is None
    ]
    if snapshot.design.shape is Shape.PAIR:
        values = [_RANKS[str(row.outcome)] for row in rows]
    else:
        values = snapshot.answer_set().values(rows)
    if isinstance(snapshot.design, MagnitudeDesign) and rows:
        values = normalise_magnitudes(snapshot.answer_set().workers(rows), values).tolist()
    by_question: dict[Question, dict[int, float]] = defaultdict(dict)
    for row, value in zip(rows, values, strict=True):
        by_question[row.topic_id, row.first, row.second][row.worker_id] = value
    return by_question


def measure_agreement(by_question: AnswersByQuestion, scale: MeasurementScale) -> Agreement:
    """Measure the agreement on the questions that several workers answered."""
    common = [by_worker for by_worker in by_question.values() if len(by_worker) > 1]
    frequent = {len(by_worker) for by_worker in common}
    votes = frequent.pop() if len(frequent) == 1 else None
    units, values = _rating_units(common, scale)
    alpha = krippendorff_alpha(units, values, scale.level)
    percentage = fleiss = np.nan
    if scale.is_nominal and common:
        assert scale.labels is not None
        labels = np.array(values, dtype=np.intp)
        counted = collect_responses(
            units, np.zeros_like(units), labels, (max(units) + 1, 1, scale.labels)
        )
        percentage = _percentage_agreement(common)
        fleiss = fleiss_kappa(counted) if votes else np.nan
    answers = sum(map(len, common))
    pairs = _worker_pairs(common, scale)
    return Agreement(
        scale.level,
        len(common),
        answers,
        alpha,
        percentage,
        fleiss,
        votes if common else None,
        pairs,
    )


def _rating_units(
    common: Sequence[Mapping[int, float]], scale: MeasurementScale
) -> tuple[list[int], list[float]]:
    units, values = [], []
    for unit, by_worker in enumerate(common):
        for value in by_worker.values():
            units.append(unit)
            values.append(value)
            if scale.mirrored:
                units.append(len(common) + unit)
                values.append(2.0 - value)
    return units, values


def _percentage_agreement(common: Iterable[Mapping[int, float]]) -> float:
    same = pairs = 0
    for by_worker in common:
        same += sum(count * (count - 1) for count in Counter(by_worker.values()).values())
        pairs += len(by_worker) * (len(by_worker) - 1)
    return same / pairs if pairs else np.nan


def _worker_pairs(
    common: Iterable[Mapping[int, float]], scale: MeasurementScale
) -> list[WorkerPairAgreement]:
    """Compare workers in pairs by weighted kappa, where answers are labels."""
    if scale.labels is None:
        return []
    shared: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for by_worker in common:
        for first, second in combinations(sorted(by_worker), 2):
            shared[first, second].append((by_worker[first], by_worker[second]))
    frequent = [pair for pair in shared if len(shared[pair]) >= MIN_SHARED_QUESTIONS]
    frequent.sort(key=lambda pair: (-len(shared[pair]), pair))
    return [_worker_pair(*pair, shared[pair], scale) for pair in frequent[:MAX_WORKER_PAIRS]]


def _worker_pair(
    first: int, second: int, shared: Sequence[tuple[float, float]], scale: MeasurementScale
) -> WorkerPairAgreement:
    labels = np.array(shared, dtype=np.intp)
    same = float((labels[:, 0] == labels[:, 1]).mean()) if scale.is_nominal else np.nan
    if scale.mirrored:
        labels = np.concatenate((labels, 2 - labels))
    kappa = weighted_kappa(labels[:, 0], labels[:, 1], labels=scale.labels)
    return WorkerPairAgreement(first, second, len(shared), same, kappa)
