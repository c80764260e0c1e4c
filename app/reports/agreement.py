"""How far workers agree where several answered the same question.

A pair is counted from both sides, once with each of its documents first: which of the two is stored
first means nothing, and where better documents tend to come first, all would say "better", and
agreement would look like chance. Differences are ordinal for pairs (worse, tie, better) and grades,
those of an interval for sliders, and ratios for magnitudes, whose workers' own scales are taken out
before. Audit pairs count as well, repeats and questions with known answers do not.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from nextpair.app.designs.base import Design, Shape
from nextpair.app.designs.magnitude import MagnitudeDesign
from nextpair.app.designs.s100 import S100Design
from nextpair.app.reports.topic_snapshot import Facts
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

ENOUGH = 10
"""Questions two workers must both have answered for a figure of their own."""
MOST_PAIRS = 100
"""Pairs of workers told of, those with most questions in common."""
_RANKS = {Outcome.WORSE.value: 0.0, Outcome.TIE.value: 1.0, Outcome.BETTER.value: 2.0}

Question = tuple[int, int, int]
"""A topic and the positions of one document or two."""
Given = Mapping[Question, Mapping[int, float]]
"""By question and worker, what they said."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What differences between answers mean, and how many answers there are, if that is known."""

    level: MeasurementLevel
    labels: int | None
    mirrored: bool = False

    @property
    def named(self) -> bool:
        """Whether answers are names, of which two can be the same by more than chance."""
        return (
            self.level in (MeasurementLevel.NOMINAL, MeasurementLevel.ORDINAL)
            and self.labels is not None
        )


@dataclass(frozen=True, slots=True)
class PairOfWorkers:
    """How far two workers agree."""

    one: int
    other: int
    questions: int
    percentage: float
    kappa: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far all workers agree.

    Parameters
    ----------
    questions, answers
        Questions that several workers answered, and their answers to them.
    alpha
        Krippendorff's.
    percentage
        The share of pairs of answers to the same question that are the same.
    fleiss, votes
        Fleiss' kappa and the answers each question has, where all have as many.
    """

    level: MeasurementLevel
    questions: int
    answers: int
    alpha: float
    percentage: float
    fleiss: float
    votes: int | None
    pairs: Sequence[PairOfWorkers]


def scale_of(design: Design) -> Scale:
    """Say on which scale the answers of a design are."""
    if design.shape is Shape.PAIR:
        return Scale(MeasurementLevel.ORDINAL, 3, mirrored=True)
    if isinstance(design, S100Design):
        return Scale(MeasurementLevel.INTERVAL, 101)
    if isinstance(design, MagnitudeDesign):
        return Scale(MeasurementLevel.RATIO, None)
    levels = getattr(design, "levels", ())
    return (
        Scale(MeasurementLevel.ORDINAL, len(levels))
        if levels
        else Scale(MeasurementLevel.INTERVAL, None)
    )


def answers_of(facts: Facts) -> dict[Question, dict[int, float]]:
    """List who said what of a topic's questions; of a question answered twice, the last word."""
    rows = [row for row in facts.of(Purpose.WORK, Purpose.AUDIT) if row.subject is None]
    if facts.design.shape is Shape.PAIR:
        values = [_RANKS[str(row.outcome)] for row in rows]
    else:
        values = facts.said().values(rows)
    if isinstance(facts.design, MagnitudeDesign) and rows:
        values = normalise_magnitudes(facts.said().workers(rows), values).tolist()
    given: dict[Question, dict[int, float]] = defaultdict(dict)
    for row, value in zip(rows, values, strict=True):
        given[row.topic_id, row.first, row.second][row.worker_id] = value
    return given


def agree(given: Given, scale: Scale) -> Agreement:
    """Measure the agreement on the questions that several workers answered."""
    common = [said for said in given.values() if len(said) > 1]
    often = {len(said) for said in common}
    votes = often.pop() if len(often) == 1 else None
    units, values = _both_sides(common, scale)
    alpha = krippendorff_alpha(units, values, scale.level)
    percentage = fleiss = np.nan
    if scale.named and common:
        assert scale.labels is not None
        labels = np.array(values, dtype=np.intp)
        counted = collect_responses(
            units, np.zeros_like(units), labels, (max(units) + 1, 1, scale.labels)
        )
        percentage = _percentage(common)
        fleiss = fleiss_kappa(counted) if votes else np.nan
    answers = sum(map(len, common))
    pairs = _pairs(common, scale)
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


def _both_sides(
    common: Sequence[Mapping[int, float]], scale: Scale
) -> tuple[list[int], list[float]]:
    units, values = [], []
    for unit, said in enumerate(common):
        for value in said.values():
            units.append(unit)
            values.append(value)
            if scale.mirrored:
                units.append(len(common) + unit)
                values.append(2.0 - value)
    return units, values


def _percentage(common: Iterable[Mapping[int, float]]) -> float:
    same = pairs = 0
    for said in common:
        same += sum(count * (count - 1) for count in Counter(said.values()).values())
        pairs += len(said) * (len(said) - 1)
    return same / pairs if pairs else np.nan


def _pairs(common: Iterable[Mapping[int, float]], scale: Scale) -> list[PairOfWorkers]:
    """Compare workers two by two, where answers are whole numbers that can be weighed."""
    if scale.labels is None:
        return []
    shared: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for said in common:
        for one, other in combinations(sorted(said), 2):
            shared[one, other].append((said[one], said[other]))
    often = [pair for pair in shared if len(shared[pair]) >= ENOUGH]
    often.sort(key=lambda pair: (-len(shared[pair]), pair))
    return [_pair(*pair, shared[pair], scale) for pair in often[:MOST_PAIRS]]


def _pair(
    one: int, other: int, shared: Sequence[tuple[float, float]], scale: Scale
) -> PairOfWorkers:
    said = np.array(shared, dtype=np.intp)
    same = float((said[:, 0] == said[:, 1]).mean()) if scale.named else np.nan
    if scale.mirrored:
        said = np.concatenate((said, 2 - said))
    kappa = weighted_kappa(said[:, 0], said[:, 1], labels=scale.labels)
    return PairOfWorkers(one, other, len(shared), same, kappa)
