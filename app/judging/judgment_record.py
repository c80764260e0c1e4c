"""Reading an answer against what its worker saw, and putting it as an entry of the log."""

import re
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any

from nextpair.app.designs.base import AnswerModel, Seen
from nextpair.app.quality.marking import find_gold
from nextpair.app.runtime.projection import LiveTopic
from nextpair.app.runtime.service import Service
from nextpair.app.studies.study import Study
from nextpair.storage import judgments
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, DocumentRow, JudgmentRow


class Reading:
    """One assignment whose answer has come."""

    def __init__(
        self,
        service: Service,
        connection: Connection,
        live: LiveTopic,
        study: Study,
        row: AssignmentRow,
    ) -> None:
        self._service, self._connection = service, connection
        self._live, self._study, self._row = live, study, row

    def judgment(self, content: AnswerModel, kept: Mapping[str, Any], now: float) -> JudgmentRow:
        """Check an answer, and say what it means for the first document."""
        row, design = self._row, self._study.design
        design.check(content, self._seen())
        outcome = design.outcome(content)
        if outcome is not None and row.swapped:
            outcome = outcome.reversed
        return JudgmentRow(
            row.topic_id,
            self._live.head.position + 1,
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

    def _seen(self) -> Seen:
        return Seen(self._texts, self._reviewed, ties=self._study.settings.ties)

    def _texts(self) -> Sequence[str]:
        row = self._row
        sides = row.sides if row.first != row.second else row.sides[:1]
        found = self._service.texts.of(row.topic_id, sides, self._connection)
        return [plain_text(one) for one in found]

    def _reviewed(self) -> Mapping[str, Any] | None:
        if self._row.subject is None:
            return None
        subject = [self._row.subject]
        (found,) = judgments.numbered(self._connection, self._row.topic_id, subject)
        return found.answer

    def _correct(self, content: AnswerModel) -> bool | None:
        row, design = self._row, self._study.design
        gold = find_gold(self._live.golds, row.first, row.second, row.purpose)
        if gold is None:
            return None
        known = design.known(gold.answer)
        if row.swapped and not isinstance(known, float):
            known = known.reversed
        return design.correct(content, known)


def plain_text(document: DocumentRow) -> str:
    """Return what a document says: its title and its text, or its HTML without the tags."""
    body = document.text or unescape(re.sub(r"<[^>]*>", " ", document.html or ""))
    return f"{document.title}\n{body}"
