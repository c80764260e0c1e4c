"""Presenters: assignments, judgments and verdicts as the API returns them."""

from collections.abc import Mapping, Sequence
from typing import Any

from nextpair.app.designs.base import Shape
from nextpair.app.enums import Reason
from nextpair.app.judging.acknowledgement import Acknowledgement
from nextpair.app.judging.issuer import IssuedAssignments
from nextpair.app.pages.sanitiser import sanitise
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.schemas.judging import (
    AssignmentOut,
    DesignOut,
    DocumentShown,
    FindingOut,
    JudgmentOut,
    Kind,
    TopicBrief,
    Understanding,
    VerdictOut,
)
from nextpair.app.schemas.topics import UnderstandingRule
from nextpair.app.security.pseudonyms import Pseudonyms
from nextpair.app.security.tokens import AssignmentRef
from nextpair.app.studies.study import Study
from nextpair.selectors.state.judgments import Outcome
from nextpair.storage import judgments, studies
from nextpair.storage.rows import AssignmentRow, Check, State, TopicRow, VerdictEffect, VerdictRow


def assignment_out(
    service: ServiceContext, row: AssignmentRow, topic: TopicRow, token: str | None = None
) -> AssignmentOut:
    """Present one assignment to a worker or to a platform.

    Parameters
    ----------
    token
        The token of the worker who asks; a platform, which has a key instead, gets a new token.
    """
    with service.database.read() as connection:
        study = studies.get_study(connection, topic.study_id).name
        worker = studies.get_worker(connection, row.worker_id).name
    presenter = AssignmentPresenter(service, study, worker, opaque=token is not None)
    return presenter.assignment(row, topic, token)


def ref_of(row: AssignmentRow, issued_at: float | None = None) -> AssignmentRef:
    """Return the reference that a token for the current attempt of an assignment holds."""
    return AssignmentRef(row.topic_id, row.number, row.attempt, row.worker_id, issued_at)


def kind_of(row: AssignmentRow) -> Kind:
    """Return what an assignment shows: a pair, a single document, or an answer to review."""
    if row.subject is not None:
        return Kind.REVIEW
    return Kind.SINGLE if row.first == row.second else Kind.PAIR


class AssignmentPresenter:
    """Presents assignments of one worker.

    Parameters
    ----------
    ids
        The ids of documents by topic; if given, documents are presented by their ids alone.
    opaque
        Whether documents have pseudonyms, as for a worker: an id may reveal a check question.
    """

    def __init__(
        self,
        service: ServiceContext,
        study: str,
        worker: str,
        ids: Mapping[int, Sequence[str]] | None = None,
        *,
        opaque: bool = False,
    ) -> None:
        self._opaque = opaque
        self._service = service
        self._study = study
        self._worker = worker
        self._ids = ids

    def assignment(
        self, row: AssignmentRow, topic: TopicRow, token: str | None = None
    ) -> AssignmentOut:
        """Present one assignment."""
        kind, documents = kind_of(row), self._documents(row)
        pair = kind is Kind.PAIR
        return AssignmentOut(
            id=f"{row.topic_id}-{row.number}",
            kind=kind,
            design=self._service.design_of(self._study),
            study=self._study,
            topic=TopicBrief(
                id=topic.name,
                title=topic.title,
                description=topic.description,
                narrative=topic.narrative,
            ),
            worker=self._worker,
            state=State(row.state),
            attempt=row.attempt,
            left=documents[0] if pair else None,
            right=documents[1] if pair else None,
            document=None if pair else documents[0],
            reviewed=self._reviewed_answer(row),
            reason=row.reason,
            expires_at=row.expires_at,
            token=token or self._service.tokens.sign(ref_of(row)),
        )

    def _reviewed_answer(self, row: AssignmentRow) -> dict[str, Any] | None:
        if row.subject is None:
            return None
        with self._service.database.read() as connection:
            (judgment,) = judgments.numbered(connection, row.topic_id, [row.subject])
        return judgment.answer

    def _documents(self, row: AssignmentRow) -> list[DocumentShown]:
        if self._ids is not None and row.topic_id in self._ids:
            ids = self._ids[row.topic_id]
            if row.second < len(ids):
                return [DocumentShown(id=ids[position]) for position in row.sides]
        rows = self._service.documents.get(row.topic_id, row.sides)
        if self._ids is not None:
            return [DocumentShown(id=document.name) for document in rows]
        images = self._service.settings.remote_images
        return [
            DocumentShown(
                id=self._name(row.topic_id, document.name),
                title=document.title,
                text=document.text,
                html=document.html and sanitise(document.html, images=images),
                url=document.url,
            )
            for document in rows
        ]

    def _name(self, topic_id: int, document: str) -> str:
        if not self._opaque:
            return document
        return self._service.pseudonyms.of_document(topic_id, document)


def design_out(study: Study) -> DesignOut:
    """Present what a study asks of its workers."""
    design, settings = study.design, study.settings
    return DesignOut(
        design=settings.design,
        shape=Shape(design.shape),
        parts=design.parts(),
        review_parts=design.review_parts(),
        ties=settings.ties,
        instructions=settings.instructions,
    )


def understanding_out(issued: IssuedAssignments) -> Understanding | None:
    """Present the comprehension question of a topic, if the worker has to answer it now."""
    if issued.reason is not Reason.UNDERSTANDING:
        return None
    (topic,) = (topic for topic in issued.topics.values() if topic.understanding is not None)
    rule = UnderstandingRule.model_validate(topic.understanding)
    return Understanding(topic=topic.name, question=rule.question, choices=rule.choices)


def judgment_out(judged: Acknowledgement, pseudonyms: Pseudonyms | None = None) -> JudgmentOut:
    """Present a judgment to whoever submitted it, without the purpose of the question.

    Parameters
    ----------
    pseudonyms
        Replace the ids of documents, for a worker.
    """
    row, (left, right) = judged.judgment, judged.sides
    if pseudonyms is not None:
        left = pseudonyms.of_document(row.topic_id, left)
        right = pseudonyms.of_document(row.topic_id, right)
    first, second = (right, left) if judged.assignment.swapped else (left, right)
    verdict = judged.verdict
    return JudgmentOut(
        study=judged.study,
        topic=judged.topic,
        number=row.number or None,
        assignment=f"{row.topic_id}-{row.assignment}",
        attempt=row.attempt,
        left=left,
        right=right,
        answer=row.answer,
        first=first,
        second=second,
        outcome=None if row.outcome is None else Outcome(row.outcome),
        seconds=row.seconds,
        late=judged.late,
        created_at=row.created_at,
        verdict=None if verdict is None else verdict_out(verdict, judged.topic),
    )


def verdict_out(row: VerdictRow, topic: str) -> VerdictOut:
    """Present the verdict of a check."""
    return VerdictOut(
        topic=topic,
        check=Check(row.check),
        number=row.number,
        attempt=row.attempt,
        passed=row.passed,
        effect=VerdictEffect(row.effect),
        findings=[FindingOut(**finding) for finding in row.details.get("findings", [])],
        created_at=row.created_at,
    )
