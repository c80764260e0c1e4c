"""The sizes of a study's topics, and its version: what a computation over it will cost."""

from dataclasses import dataclass

from sqlalchemy import select

from nextpair.storage.database import Connection
from nextpair.storage.tables import StudyTable, TopicTable


@dataclass(frozen=True, slots=True)
class TopicSize:
    """How large a topic is, and at which version."""

    id: int
    documents: int
    position: int
    version: int


def sizes(connection: Connection, study_id: int) -> tuple[int, list[TopicSize]]:
    """Return the version of a study, and the size of each of its topics, by their ids."""
    found = (
        select(
            StudyTable.version,
            TopicTable.id,
            TopicTable.documents,
            TopicTable.position,
            TopicTable.version,
        )
        .outerjoin(TopicTable, TopicTable.study_id == StudyTable.id)
        .where(StudyTable.id == study_id)
        .order_by(TopicTable.id)
    )
    rows = connection.execute(found).all()
    return rows[0][0], [TopicSize(*row[1:]) for row in rows if row[1] is not None]
