"""Questions, answers and verdicts as the outside sees them."""

from collections.abc import Mapping, Sequence
from typing import Any

from nextpair.app.designs.base import Shape
from nextpair.app.enums import Reason
from nextpair.app.judging.acknowledgement import Acknowledgement
from nextpair.app.judging.issuer import IssuedAssignments
from nextpair.app.pages.sanitising import sanitise
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


def show(
    service: ServiceContext, row: AssignmentRow, topic: TopicRow, token: str | None = None
) -> AssignmentOut:
    """Describe one assignment, whoever asks.

    Parameters
    ----------
    token
        What it is to be answered with, to the worker who has it; to a platform, which has a key
        instead, a new one is given.
    """
    with service.database.read() as connection:
        study = studies.get_study(connection, topic.study_id).name
        worker = studies.get_worker(connection, row.worker_id).name
    showing = Showing(service, study, worker, opaque=token is not None)
    return showing.assignment(row, topic, token)


def ref_of(row: AssignmentRow, issued_at: float | None = None) -> AssignmentRef:
    """Return what a token for an assignment as it stands says."""
    return AssignmentRef(row.topic_id, row.number, row.attempt, row.worker_id, issued_at)


def kind_of(row: AssignmentRow) -> Kind:
    """Say what a question shows."""
    if row.subject is not None:
        return Kind.REVIEW
    return Kind.SINGLE if row.first == row.second else Kind.PAIR


class Showing:
    """Describes assignments to the outside.

    Parameters
    ----------
    ids
        The ids of documents by topic; where they are given, nothing else is told of documents.
    opaque
        Whether documents are told by pseudonyms, as to a worker: an id may betray a check.
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
        """Describe one assignment."""
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
            reviewed=self._reviewed(row),
            reason=row.reason,
            expires_at=row.expires_at,
            token=token or self._service.tokens.sign(ref_of(row)),
        )

    def _reviewed(self, row: AssignmentRow) -> dict[str, Any] | None:
        if row.subject is None:
            return None
        with self._service.database.read() as connection:
            (found,) = judgments.numbered(connection, row.topic_id, [row.subject])
        return found.answer

    def _documents(self, row: AssignmentRow) -> list[DocumentShown]:
        if self._ids is not None and row.topic_id in self._ids:
            ids = self._ids[row.topic_id]
            if row.second < len(ids):
                return [DocumentShown(id=ids[position]) for position in row.sides]
        rows = self._service.documents.get(row.topic_id, row.sides)
        if self._ids is not None:
            return [DocumentShown(id=one.name) for one in rows]
        images = self._service.settings.remote_images
        return [
            DocumentShown(
                id=self._name(row.topic_id, one.name),
                title=one.title,
                text=one.text,
                html=one.html and sanitise(one.html, images=images),
                url=one.url,
            )
            for one in rows
        ]

    def _name(self, topic_id: int, document: str) -> str:
        if not self._opaque:
            return document
        return self._service.pseudonyms.of_document(topic_id, document)


def design_out(study: Study) -> DesignOut:
    """Describe what a worker's page asks for."""
    design, settings = study.design, study.settings
    return DesignOut(
        design=settings.design,
        shape=Shape(design.shape),
        parts=design.parts(),
        review_parts=design.review_parts(),
        ties=settings.ties,
        instructions=settings.instructions,
    )


def understanding_out(handed: IssuedAssignments) -> Understanding | None:
    """Describe the question by which a worker shows that they understand a topic, if it is time."""
    if handed.reason is not Reason.UNDERSTANDING:
        return None
    (topic,) = (one for one in handed.topics.values() if one.understanding is not None)
    rule = UnderstandingRule.model_validate(topic.understanding)
    return Understanding(topic=topic.name, question=rule.question, choices=rule.choices)


def judgment_out(judged: Acknowledgement, pseudonyms: Pseudonyms | None = None) -> JudgmentOut:
    """Describe an entry of the log to who answered: why it was asked is not theirs to know.

    Parameters
    ----------
    pseudonyms
        What names the documents to a worker.
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
    """Describe what came of a check."""
    return VerdictOut(
        topic=topic,
        check=Check(row.check),
        number=row.number,
        attempt=row.attempt,
        passed=row.passed,
        effect=VerdictEffect(row.effect),
        findings=[FindingOut(**one) for one in row.details.get("findings", [])],
        created_at=row.created_at,
    )
