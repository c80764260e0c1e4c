"""Builds the judgment of an answer: validated against what its worker saw, sides undone."""

import re
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any

from nextpair.app.designs.base import AnswerContext, AnswerModel
from nextpair.app.quality.grading import find_gold
from nextpair.app.runtime.projection import TopicProjection
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.studies.study import Study
from nextpair.storage import judgments
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, DocumentRow, JudgmentRow


class JudgmentBuilder:
    """Builds a log entry from the answer to one assignment."""

    def __init__(
        self,
        service: ServiceContext,
        connection: Connection,
        projection: TopicProjection,
        study: Study,
        row: AssignmentRow,
    ) -> None:
        self._service, self._connection = service, connection
        self._projection, self._study, self._row = projection, study, row

    def build(self, content: AnswerModel, kept: Mapping[str, Any], now: float) -> JudgmentRow:
        """Validate an answer, and return its judgment, whose outcome is from the first document."""
        row, design = self._row, self._study.design
        design.check(content, self._seen())
        outcome = design.outcome(content)
        if outcome is not None and row.swapped:
            outcome = outcome.reversed
        return JudgmentRow(
            row.topic_id,
            self._projection.head.position + 1,
            row.number,
            row.attempt,
            row.worker_id,
            row.first,
            row.second,
            None if outcome is None else outcome.value,
            dict(kept),
            None,
            now,
            row.purpose,
            row.subject,
            self._correct(content),
        )

    def _seen(self) -> AnswerContext:
        return AnswerContext(self._texts, self._reviewed, ties=self._study.settings.ties)

    def _texts(self) -> Sequence[str]:
        row = self._row
        sides = row.sides if row.first != row.second else row.sides[:1]
        documents = self._service.documents.get(row.topic_id, sides, self._connection)
        return [plain_text(document) for document in documents]

    def _reviewed(self) -> Mapping[str, Any] | None:
        if self._row.subject is None:
            return None
        subject = [self._row.subject]
        (reviewed,) = judgments.numbered(self._connection, self._row.topic_id, subject)
        return reviewed.answer

    def _correct(self, content: AnswerModel) -> bool | None:
        row, design = self._row, self._study.design
        gold = find_gold(self._projection.golds, row.first, row.second, row.purpose)
        if gold is None:
            return None
        known = design.known_answer(gold.answer)
        if row.swapped and not isinstance(known, float):
            known = known.reversed
        return design.is_correct(content, known)


def plain_text(document: DocumentRow) -> str:
    """Return a document's title and text; of an HTML document, the text without tags."""
    body = document.text or unescape(re.sub(r"<[^>]*>", " ", document.html or ""))
    return f"{document.title}\n{body}"
