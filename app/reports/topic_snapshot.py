"""What a report rests on: one topic at one moment, read once and then left in peace."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nextpair.app.designs.base import Design
from nextpair.app.results import rankings
from nextpair.app.results.rankings import Progress
from nextpair.app.results.scores import AnswerSet
from nextpair.app.runtime.projection import TopicProjection, load_projection
from nextpair.app.runtime.service_context import ServiceContext, answer_set_of
from nextpair.app.studies.study import Study
from nextpair.selectors.state.bayesian_selector import Reliability
from nextpair.selectors.state.reported_order import ReportedOrder
from nextpair.selectors.state.single_documents import SingleDocumentState
from nextpair.storage import checks, judgments
from nextpair.storage.rows import (
    BY_QUALITY,
    GoldRow,
    JudgmentRow,
    Purpose,
    TopicRow,
    VerdictRow,
)

Entry = tuple[JudgmentRow, str | None]
"""A judgment, and who retracted it if someone did."""


@dataclass(frozen=True)
class Facts:
    """One topic.

    Parameters
    ----------
    asked
        The rating that was asked for; None for the topic's own.
    order
        The reported order.
    reliabilities
        What the selector makes of the workers, if it weighs them.
    log
        All judgments, oldest first.
    answers
        What the scores rest on.
    """

    topic: TopicRow
    study: Study
    asked: str | None
    progress: Progress
    order: ReportedOrder
    reliabilities: Sequence[Reliability]
    golds: Sequence[GoldRow]
    log: Sequence[Entry]
    verdicts: Sequence[VerdictRow]
    answers: AnswerSet

    @property
    def rating(self) -> str:
        """What the scores are."""
        return self.order.rating

    @property
    def scores(self) -> NDArray[np.float64]:
        """The final scores, NaN for a document nobody has judged."""
        return self.order.scores

    @property
    def design(self) -> Design:
        """What the workers saw and answered."""
        return self.study.design

    @cached_property
    def counting(self) -> list[JudgmentRow]:
        """The judgments that are not retracted, checks included."""
        return [row for row, by in self.log if by is None]

    @cached_property
    def work(self) -> list[JudgmentRow]:
        """The judgments that the scores rest on."""
        return self.of(Purpose.WORK)

    def of(self, *purposes: Purpose) -> list[JudgmentRow]:
        """List the counting judgments that were asked for some purposes."""
        return [row for row in self.counting if row.purpose in purposes]

    @cached_property
    def known(self) -> list[JudgmentRow]:
        """The answers to questions whose answers are known, those of failed batches included.

        They are retracted because they were wrong: without them everyone's would be right.
        """
        return [
            row
            for row, by in self.log
            if row.purpose in (Purpose.TRAP, Purpose.QUIZ) and by in (None, BY_QUALITY)
        ]

    def said(self, upto: int | None = None) -> AnswerSet:
        """Return the answers that count, or the first so many, to be scored together."""
        if upto is None:
            return self.answers
        rows = self.work[:upto]
        last = rows[-1].number if rows else 0
        traps = [(row, known) for row, known in self.answers.traps if row.number <= last]
        return replace(self.answers, rows=rows, traps=traps)


def gather(service: ServiceContext, topic_id: int, rating: str | None, now: float) -> Facts:
    """Read a topic; workers wait for it only as long as its scores take."""
    with service.projection_of(topic_id) as projection:
        with service.database.read() as connection:
            study = service.study(
                connection, projection.head.study_id, projection.head.study_version
            )
            found = judgments.whole_log(connection, topic_id)
            verdicts = checks.verdicts_on(connection, topic_id)
        log = [entry for entry in found if entry[0].number <= projection.head.position]
        said = answer_set_of(study, projection, [row for row, by in log if by is None])
        pairs = None if isinstance(projection.state, SingleDocumentState) else projection.state
        return Facts(
            projection.topic,
            study,
            rating,
            rankings.progress(projection, now),
            rankings.reported_order(projection, rating, said),
            () if pairs is None else pairs.reliabilities(),
            projection.golds,
            log,
            verdicts,
            said,
        )


def start_anew(service: ServiceContext, facts: Facts) -> TopicProjection:
    """Return the topic as it was before the first judgment."""
    with service.database.read() as connection:
        return load_projection(connection, facts.topic, facts.study)
