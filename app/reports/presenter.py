"""The presenter of reports: from the report to its response model."""

from collections import Counter

import numpy as np

from nextpair.app.designs.base import Shape
from nextpair.app.reports.agreement import Agreement
from nextpair.app.reports.convergence import ConvergencePoint
from nextpair.app.reports.prediction import Prediction
from nextpair.app.reports.report import Report, WorkerReport
from nextpair.app.reports.request import ReportRequest
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


def report_out(report: Report, request: ReportRequest, now: float) -> ReportOut:
    """Present a report."""
    settings, by_topic = report.study.settings, report.topics
    return ReportOut(
        study=report.study.name,
        title=settings.title,
        design=settings.design,
        selector=None if report.study.design.shape is Shape.SINGLE else settings.selector,
        rating=report.rating,
        scale=report.scale,
        grades=report.grades,
        topic=request.topic,
        made_at=now,
        documents=sum(topic.progress.documents for topic in by_topic),
        judgments=sum(topic.progress.judgments for topic in by_topic),
        finished=sum(topic.progress.finished for topic in by_topic),
        ended=Counter(
            topic.progress.ended for topic in by_topic if topic.progress.ended is not None
        ),
        audits=_prediction(report.audits),
        in_sample=_prediction(report.in_sample),
        agreement=_agreement(report.agreement, report),
        convergence=_points(report.convergence),
        weighed_by=report.weighed_by,
        workers=[_worker(worker) for worker in report.workers],
        topics=_topics(report),
    )


def _topics(report: Report) -> list[TopicReportOut]:
    return [TopicReportOut.model_validate(topic, from_attributes=True) for topic in report.topics]


def _prediction(prediction: Prediction) -> PredictionOut:
    return PredictionOut.model_validate(prediction, from_attributes=True)


def _points(points: list[ConvergencePoint]) -> list[PointOut]:
    return [PointOut.model_validate(point, from_attributes=True) for point in points]


def _agreement(agreement: Agreement, report: Report) -> AgreementOut:
    pairs = [
        PairOfWorkersOut(
            one=report.name_of(pair.first),
            other=report.name_of(pair.second),
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


def _worker(worker: WorkerReport) -> WorkerReportOut:
    counts = worker.counts
    return WorkerReportOut(
        worker=worker.worker,
        status=WorkerStatus(worker.status),
        judgments=counts.judgments,
        checks=counts.checks,
        retracted=counts.retracted,
        gold=counts.gold,
        gold_accuracy=counts.share("right", "gold"),
        triads=counts.triads,
        intransitivity=counts.share("intransitive", "triads"),
        repeated=counts.repeated,
        self_consistency=counts.share("alike", "repeated"),
        reliability=counts.share("reliability", "weighed"),
        median_seconds=float(np.median(counts.seconds)) if counts.seconds else np.nan,
        passed=counts.passed,
        failed=counts.failed,
    )
