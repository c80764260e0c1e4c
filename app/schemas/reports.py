"""Schemas of reports."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from nextpair.app.schemas.common import Timestamp
from nextpair.app.schemas.results import FiguresOut
from nextpair.selectors.base import End
from nextpair.storage.rows import StudyStatus, WorkerStatus

Figure = Annotated[float | None, BeforeValidator(lambda value: None if value != value else value)]
"""A number, or null where there is nothing to tell it from."""


class AgreementOut(BaseModel):
    """How far workers agree on questions that several of them answered."""

    level: str = Field(description="what differences mean: ordinal, interval or ratio")
    questions: int = Field(description="answered by several workers")
    answers: int = Field(description="to these questions")
    alpha: Figure = Field(description="Krippendorff's: 1 perfect, 0 chance")
    percentage: Figure = Field(description="share of pairs of answers that are the same")
    fleiss: Figure = Field(description="Fleiss' kappa, where every question has as many answers")
    votes: int | None = Field(description="answers per question, where all have as many")
    pairs: list["PairOfWorkersOut"] = Field(description="with enough questions in common")


class PairOfWorkersOut(BaseModel):
    """How far two workers agree."""

    one: str
    other: str
    questions: int
    percentage: Figure
    kappa: Figure = Field(description="Cohen's, weighted by the square of the difference")


class PredictionOut(BaseModel):
    """How many answers to pairs the final scores foretell."""

    answers: int
    ties: int
    preferring: int = Field(description="answers that prefer one document")
    right: int = Field(description="of these, foretold by the scores")
    undecided: int = Field(description="of these, on documents with the same score or none")
    accuracy: Figure = Field(description="right of preferring")
    interval: tuple[float, float] | None = Field(description="of the accuracy: Wilson's, 95 %")
    tie_share: Figure


class PointOut(BaseModel):
    """The ranking after so many judgments."""

    judgments: int
    tau: Figure = Field(description="tau-b with the final ranking")


class WorkerReportOut(BaseModel):
    """A worker."""

    worker: str
    status: WorkerStatus
    judgments: int = Field(description="answers the scores rest on")
    checks: int = Field(description="traps, quizzes, repeats and audits answered")
    retracted: int
    gold: int = Field(description="questions with known answers; on a scale, pairs of such")
    gold_accuracy: Figure
    triads: int = Field(description="three documents all compared with one another")
    intransitivity: Figure = Field(description="share of triads that no order explains")
    repeated: int = Field(description="questions answered more than once")
    self_consistency: Figure = Field(description="share of these always answered alike")
    reliability: Figure
    median_seconds: Figure
    passed: int = Field(description="checks passed")
    failed: int


class TopicReportOut(BaseModel):
    """A topic."""

    topic: str
    title: str
    status: StudyStatus
    workers: int
    best: list[str] = Field(description="the documents with the highest scores")
    progress: FiguresOut
    alpha: Figure = Field(description="Krippendorff's, among the topic's workers")
    audits: PredictionOut
    in_sample: PredictionOut
    convergence: list[PointOut]


class ReportOut(BaseModel):
    """What there is to say of a study."""

    study: str
    title: str
    design: str
    selector: str | None = Field(description="null where one document is shown at a time")
    rating: str | None = Field(description="what scores are; null where there is no topic")
    scale: tuple[float, float] | None = Field(
        description="the lowest and the highest score there can be; null where there is no such"
    )
    grades: tuple[float, float] | None = Field(
        description="the lowest and the highest grade of qrels; null where topics differ in that"
    )
    topic: str | None = Field(description="the only topic that this is about, if it is")
    made_at: Timestamp
    documents: int
    judgments: int = Field(description="answers the scores rest on")
    finished: int = Field(description="topics with nothing left to ask")
    ended: dict[End, int] = Field(description="how many of those topics ended why")
    audits: PredictionOut = Field(description="pairs drawn at random and kept out of the scores")
    in_sample: PredictionOut = Field(
        description="pairs the scores rest on: chosen for what was known, and fitted"
    )
    agreement: AgreementOut
    convergence: list[PointOut] = Field(description="the mean over topics")
    weighed_by: str | None = Field(
        description="what a reliability is: the selector's share of right answers expected;"
        " bradley-terry: 1 by the scores, 0 at random, -1 reversed; dawid-skene: share right"
    )
    workers: list[WorkerReportOut]
    topics: list[TopicReportOut]


class ConcordanceOut(BaseModel):
    """Pairs that two sets of judgments order alike, oppositely, or not both."""

    agree: int
    disagree: int
    unknown: int


class TopicReferenceOut(BaseModel):
    """A topic's scores against the grades of a reference."""

    topic: str
    documents: int = Field(description="that have both a score and a grade")
    pairs: ConcordanceOut
    agreement: Figure = Field(description="share of all pairs the reference orders, and so alike")
    ordered_agreement: Figure = Field(description="the same, of the pairs the reference orders")
    tau: Figure
    auc: Figure = Field(description="chance that a grade above 0 has a higher score than a 0")


class ReferenceOut(BaseModel):
    """A study against the qrels of a reference; figures are means over topics."""

    topics: list[TopicReferenceOut]
    documents: int
    pairs: ConcordanceOut
    agreement: Figure
    ordered_agreement: Figure
    tau: Figure
    auc: Figure
    only_in_study: list[str] = Field(description="topics the reference has no grades for")
    only_in_reference: list[str]


class SystemOut(BaseModel):
    """A system's means over topics, by the study's scores and by the reference's grades."""

    system: str
    rbp_study: float
    rbp_reference: float
    ndcg_study: float
    ndcg_reference: float


class DiscriminationOut(BaseModel):
    """Pairs of systems told apart by a paired t-test: by both, one, the other, or neither."""

    true_positive: int
    false_positive: int = Field(description="by the study alone")
    false_negative: int = Field(description="by the reference alone")
    true_negative: int


class MeasureOut(BaseModel):
    """What study and reference make of the systems by one measure."""

    measure: str
    tau: Figure = Field(description="tau-b between the two rankings of systems")
    pairs: ConcordanceOut
    discrimination: DiscriminationOut | None = Field(description="null with fewer than two topics")


class SystemsOut(BaseModel):
    """Systems ranked by the study and by the reference."""

    topics: list[str]
    systems: list[SystemOut]
    measures: list[MeasureOut]


class FullReportOut(ReportOut):
    """A report with what only its reader's files can tell."""

    reference: ReferenceOut | None = None
    systems: SystemsOut | None = None
