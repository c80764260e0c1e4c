"""The pace of a study: its answers, counted since some moments."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import and_, case, func, select

from nextpair.storage.database import Connection
from nextpair.storage.judgments import BY_UNDO
from nextpair.storage.tables import JudgmentTable, RetractionTable, TopicTable


@dataclass(frozen=True, slots=True)
class Pace:
    """Counts of a study's answers; retracted ones and checks count, since they were work, too.

    An answer that was undone is left out: the one that followed replaces it.

    Parameters
    ----------
    judgments
        How many there are.
    latest
        When the last one came, if one did.
    since
        How many came at or after each of the moments asked about.
    workers
        How many people gave those since the last of these moments.
    """

    judgments: int
    latest: float | None
    since: tuple[int, ...]
    workers: int


def pace(connection: Connection, study_id: int, moments: Sequence[float]) -> Pace:
    """Count a study's answers.

    Parameters
    ----------
    moments
        Oldest first, at least one.
    """
    made = JudgmentTable.created_at
    since = [func.sum(case((made >= moment, 1), else_=0)) for moment in moments]
    # The case without a match is NULL, which COUNT leaves out.
    recent = case((made >= moments[-1], JudgmentTable.worker_id))
    undone = and_(
        RetractionTable.topic_id == JudgmentTable.topic_id,
        RetractionTable.judgment == JudgmentTable.number,
        BY_UNDO,
    )
    found = (
        select(func.count(), func.max(made), func.count(recent.distinct()), *since)
        .select_from(JudgmentTable)
        .join(TopicTable, TopicTable.id == JudgmentTable.topic_id)
        .outerjoin(RetractionTable, undone)
        .where(TopicTable.study_id == study_id, RetractionTable.number.is_(None))
    )
    count, latest, workers, *counts = connection.execute(found).one()
    return Pace(count, latest, tuple(int(number or 0) for number in counts), workers)
