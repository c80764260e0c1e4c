"""Documents as workers see them, kept in memory while they are being asked about.

Documents never change, so what is in memory is right; only as much is kept as fits.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable

from nextpair.storage import topics
from nextpair.storage.database import Connection, Database
from nextpair.storage.rows import DocumentRow

_OVERHEAD = 500


class Texts:
    """Documents by topic and position; the least recently shown go first."""

    def __init__(self, database: Database, most_bytes: int) -> None:
        self._database = database
        self._most = most_bytes
        self._bytes = 0
        self._rows: OrderedDict[tuple[int, int], DocumentRow] = OrderedDict()
        self._mutex = threading.Lock()

    def of(
        self, topic_id: int, positions: Iterable[int], connection: Connection | None = None
    ) -> list[DocumentRow]:
        """Return the documents at some positions of a topic.

        Parameters
        ----------
        connection
            What to read with, where the caller has one: to wait for a second one with one in hand
            is how threads wait for each other for ever.
        """
        wanted = list(positions)
        found: dict[int, DocumentRow] = {}
        for position in wanted:
            row = self._recall(topic_id, position)
            if row is not None:
                found[position] = row
        missing = [position for position in wanted if position not in found]
        if missing:
            if connection is not None:
                read = topics.documents_at(connection, topic_id, missing)
            else:
                with self._database.read() as reading:
                    read = topics.documents_at(reading, topic_id, missing)
            for position, row in read.items():
                self._keep(topic_id, position, row)
            found |= read
        return [found[position] for position in wanted]

    def _recall(self, topic_id: int, position: int) -> DocumentRow | None:
        with self._mutex:
            row = self._rows.get((topic_id, position))
            if row is not None:
                self._rows.move_to_end((topic_id, position))
            return row

    def _keep(self, topic_id: int, position: int, row: DocumentRow) -> None:
        with self._mutex:
            if (topic_id, position) in self._rows:
                return
            self._rows[topic_id, position] = row
            self._bytes += _weight(row)
            while self._bytes > self._most and len(self._rows) > 1:
                _, gone = self._rows.popitem(last=False)
                self._bytes -= _weight(gone)


def _weight(row: DocumentRow) -> int:
    # Python keeps text at one to four bytes a character.
    return _OVERHEAD + 2 * (len(row.text) + len(row.html or "") + len(row.title))
