"""A report as it goes over the wire."""

from collections import Counter

import numpy as np

from nextpair.app.designs.base import Shape
from nextpair.app.reports.agreement import Agreement
from nextpair.app.reports.convergence import Point
from nextpair.app.reports.prediction import Prediction
from nextpair.app.reports.report import Report, WorkerReport
from nextpair.app.reports.request import Wish
from nextpair.app.schemas.reports import (
    AgreementOut,
    PairOfWorkersOut,
    PointOut,
    PredictionOut,
    ReportOut,
    TopicReportOut,
    WorkerReportOut,
)
from nextpair.storage.rows import WorkerStatus


def tell(report: Report, wish: Wish, now: float) -> ReportOut:
    """Describe a report."""
    settings, found = report.study.settings, report.topics
    return ReportOut(
        study=report.study.name,
        title=settings.title,
        design=settings.design,
        selector=None if report.study.design.shape is Shape.SINGLE else settings.selector,
        rating=report.rating,
        scale=report.scale,
        grades=report.grades,
        topic=wish.topic,
        made_at=now,
        documents=sum(one.progress.documents for one in found),
        judgments=sum(one.progress.judgments for one in found),
        finished=sum(one.progress.finished for one in found),
        ended=Counter(one.progress.ended for one in found if one.progress.ended is not None),
        audits=_prediction(report.audits),
        in_sample=_prediction(report.in_sample),
        agreement=_agreement(report.agreement, report),
        convergence=_points(report.convergence),
        weighed_by=report.weighed_by,
        workers=[_worker(one) for one in report.workers],
        topics=_topics(report),
    )


def _topics(report: Report) -> list[TopicReportOut]:
    return [TopicReportOut.model_validate(one, from_attributes=True) for one in report.topics]


def _prediction(prediction: Prediction) -> PredictionOut:
    return PredictionOut.model_validate(prediction, from_attributes=True)


def _points(points: list[Point]) -> list[PointOut]:
    return [PointOut.model_validate(one, from_attributes=True) for one in points]


def _agreement(agreement: Agreement, report: Report) -> AgreementOut:
    pairs = [
        PairOfWorkersOut(
            one=report.name_of(pair.one),
            other=report.name_of(pair.other),
            questions=pair.questions,
            percentage=pair.percentage,
            kappa=pair.kappa,
        )
        for pair in agreement.pairs
    ]
    return AgreementOut(
        level=agreement.level,
        questions=agreement.questions,
        answers=agreement.answers,
        alpha=agreement.alpha,
        percentage=agreement.percentage,
        fleiss=agreement.fleiss,
        votes=agreement.votes,
        pairs=pairs,
    )


def _worker(one: WorkerReport) -> WorkerReportOut:
    tally = one.tally
    return WorkerReportOut(
        worker=one.worker,
        status=WorkerStatus(one.status),
        judgments=tally.judgments,
        checks=tally.checks,
        retracted=tally.retracted,
        gold=tally.known,
        gold_accuracy=tally.share("right", "known"),
        triads=tally.triads,
        intransitivity=tally.share("intransitive", "triads"),
        repeated=tally.repeated,
        self_consistency=tally.share("alike", "repeated"),
        reliability=tally.share("reliability", "weighed"),
        median_seconds=float(np.median(tally.seconds)) if tally.seconds else np.nan,
        passed=tally.passed,
        failed=tally.failed,
    )
