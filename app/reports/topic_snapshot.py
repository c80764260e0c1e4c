"""The input of a report: a snapshot of one topic, read once under its lock."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nextpair.app.designs.base import Design
from nextpair.app.results import rankings
from nextpair.app.results.loading import answer_set_of
from nextpair.app.results.rankings import Progress
from nextpair.app.results.scores import AnswerSet
from nextpair.app.runtime.projection import TopicProjection, load_projection
from nextpair.app.runtime.service_context import ServiceContext
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

LogEntry = tuple[JudgmentRow, str | None]
"""A judgment, and who retracted it, if it is retracted."""


@dataclass(frozen=True)
class TopicSnapshot:
    """One topic at one position of its log.

    Parameters
    ----------
    requested_rating
        The rating that was requested; None for the default one.
    order
        The reported order.
    reliabilities
        The selector's estimates of the workers' reliability, if it has them.
    log
        All judgments, oldest first.
    full_answer_set
        The answers that the scores rest on.
    """

    topic: TopicRow
    study: Study
    requested_rating: str | None
    progress: Progress
    order: ReportedOrder
    reliabilities: Sequence[Reliability]
    golds: Sequence[GoldRow]
    log: Sequence[LogEntry]
    verdicts: Sequence[VerdictRow]
    full_answer_set: AnswerSet

    @property
    def rating(self) -> str:
        """The name of the rating that the scores are from."""
        return self.order.rating

    @property
    def scores(self) -> NDArray[np.float64]:
        """The final scores, NaN for an unjudged document."""
        return self.order.scores

    @property
    def design(self) -> Design:
        """The design of the study's questions."""
        return self.study.design

    @cached_property
    def counted(self) -> list[JudgmentRow]:
        """The judgments that are not retracted, checks included."""
        return [row for row, by in self.log if by is None]

    @cached_property
    def work(self) -> list[JudgmentRow]:
        """The judgments that the scores rest on."""
        return self.for_purposes(Purpose.WORK)

    def for_purposes(self, *purposes: Purpose) -> list[JudgmentRow]:
        """List the judgments with one of these purposes that are not retracted."""
        return [row for row in self.counted if row.purpose in purposes]

    @cached_property
    def gold_answers(self) -> list[JudgmentRow]:
        """The answers to gold questions, those of failed batches included.

        Answers of failed batches are retracted because they were wrong: without them, the accuracy
        of every worker would be biased towards 1.
        """
        return [
            row
            for row, by in self.log
            if row.purpose in (Purpose.TRAP, Purpose.QUIZ) and by in (None, BY_QUALITY)
        ]

    def answer_set(self, upto: int | None = None) -> AnswerSet:
        """Return the answers to be scored, all of them or only the first ones.

        Parameters
        ----------
        upto
            How many judgments to include.
        """
        if upto is None:
            return self.full_answer_set
        rows = self.work[:upto]
        last = rows[-1].number if rows else 0
        traps = [
            (row, outcome) for row, outcome in self.full_answer_set.traps if row.number <= last
        ]
        return replace(self.full_answer_set, rows=rows, traps=traps)


def take_topic_snapshot(
    service: ServiceContext, topic_id: int, rating: str | None, now: float
) -> TopicSnapshot:
    """Read a topic; its lock is held only while the scores are computed."""
    with service.projection_of(topic_id) as projection:
        with service.database.read() as connection:
            study = service.study(
                connection, projection.head.study_id, projection.head.study_version
            )
            entries = judgments.whole_log(connection, topic_id)
            verdicts = checks.verdicts_on(connection, topic_id)
        log = [entry for entry in entries if entry[0].number <= projection.head.position]
        answer_set = answer_set_of(study, projection, [row for row, by in log if by is None])
        pairs = None if isinstance(projection.state, SingleDocumentState) else projection.state
        return TopicSnapshot(
            projection.topic,
            study,
            rating,
            rankings.progress(projection, now),
            rankings.reported_order(projection, rating, answer_set),
            () if pairs is None else pairs.reliabilities(),
            projection.golds,
            log,
            verdicts,
            answer_set,
        )


def load_initial_projection(service: ServiceContext, snapshot: TopicSnapshot) -> TopicProjection:
    """Load the projection of a topic before its first judgment."""
    with service.database.read() as connection:
        return load_projection(connection, snapshot.topic, snapshot.study)
