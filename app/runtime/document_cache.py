"""An LRU cache of documents as workers see them, bounded in bytes.

Documents never change, so entries need no invalidation.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable

from nextpair.storage import topics
from nextpair.storage.database import Connection, Database
from nextpair.storage.rows import DocumentRow

_OVERHEAD = 500


class DocumentCache:
    """Documents by topic and position; the least recently used are evicted first."""

    def __init__(self, database: Database, most_bytes: int) -> None:
        self._database = database
        self._most = most_bytes
        self._bytes = 0
        self._rows: OrderedDict[tuple[int, int], DocumentRow] = OrderedDict()
        self._mutex = threading.Lock()

    def get(
        self, topic_id: int, positions: Iterable[int], connection: Connection | None = None
    ) -> list[DocumentRow]:
        """Return the documents at some positions of a topic.

        Parameters
        ----------
        connection
            The caller's connection, if it has one. Taking a second connection while holding one can
            deadlock: all threads may hold one, and wait for the pool to give them a second.
        """
        places = list(positions)
        rows: dict[int, DocumentRow] = {}
        for position in places:
            row = self._recall(topic_id, position)
            if row is not None:
                rows[position] = row
        missing = [position for position in places if position not in rows]
        if missing:
            if connection is not None:
                read = topics.documents_at(connection, topic_id, missing)
            else:
                with self._database.read() as reading:
                    read = topics.documents_at(reading, topic_id, missing)
            for position, row in read.items():
                self._keep(topic_id, position, row)
            rows |= read
        return [rows[position] for position in places]

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
                _, evicted = self._rows.popitem(last=False)
                self._bytes -= _weight(evicted)


def _weight(row: DocumentRow) -> int:
    # Python stores text with one to four bytes per character.
    return _OVERHEAD + 2 * (len(row.text) + len(row.html or "") + len(row.title))
