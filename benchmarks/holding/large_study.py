"""A study with many judgments, written straight into a database: to judge them would take hours."""

import random
import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import insert

from nextpair.storage import tables
from nextpair.storage.database import Connection, Database

TOPIC = "big"
LEVELS, WORKERS, ERROR = 10, 20, 0.1

Row = dict[str, Any]


def fill(url: str, study: str, documents: int, judgments: int, **settings: object) -> None:
    """Add a study of one topic, judged by workers who are wrong now and then."""
    database, now, chance = Database(url), time.time(), random.Random(7)
    with database.write() as connection:
        kept = {"name": study, "settings": settings, "status": "open", "version": 0}
        study_id = _add(connection, tables.StudyTable, {**kept, "created_at": now})
        topic_id = _add(
            connection, tables.TopicTable, _topic(study_id, study, documents, judgments)
        )
        connection.execute(
            insert(tables.DocumentTable), [_document(topic_id, n) for n in range(documents)]
        )
        named = [
            {"study_id": study_id, "name": f"w{n}", "status": "active"} for n in range(WORKERS)
        ]
        workers = [
            _add(connection, tables.WorkerTable, {**one, "created_at": now}) for one in named
        ]
        answers = _answers(chance, workers, documents, judgments)
        common = {"topic_id": topic_id, "created_at": now, "attempt": 1, "purpose": "work"}
        rows = [{**common, **one, "number": number} for number, one in enumerate(answers, 1)]
        connection.execute(insert(tables.AssignmentTable), [_assignment(one, now) for one in rows])
        connection.execute(insert(tables.JudgmentTable), [_judgment(one) for one in rows])
    database.close()


def _add(connection: Connection, table: Any, values: Row) -> int:
    return int(connection.execute(insert(table).values(values).returning(table.id)).scalar_one())


def _topic(study_id: int, study: str, documents: int, judgments: int) -> Row:
    return {
        **dict.fromkeys(("title", "description", "narrative"), ""),
        **dict.fromkeys(("position", "asked", "version"), judgments),
        "study_id": study_id,
        "name": TOPIC,
        "seed": 1,
        "documents": documents,
        "fingerprint": study,
        "status": "open",
        "created_at": time.time(),
    }


def _document(topic_id: int, position: int) -> Row:
    empty = dict.fromkeys(("html", "url", "features", "prior"))
    about = {"topic_id": topic_id, "position": position, "name": f"d{position}"}
    return {**empty, **about, "title": "", "text": "text"}


def _answers(
    chance: random.Random, workers: Sequence[int], documents: int, judgments: int
) -> list[Row]:
    """Draw pairs, no worker having one twice, and what they say of them."""
    drawn: dict[tuple[int, int, int], Row] = {}
    while len(drawn) < judgments:
        first, second = sorted(chance.sample(range(documents), 2))
        levels = first * LEVELS // documents, second * LEVELS // documents
        better = (levels[0] < levels[1]) != (chance.random() < ERROR)
        outcome = "tie" if levels[0] == levels[1] else "better" if better else "worse"
        worker = chance.choice(workers)
        pair = {"worker_id": worker, "first": first, "second": second}
        drawn[worker, first, second] = {**pair, "outcome": outcome}
    return list(drawn.values())


def _assignment(row: Row, now: float) -> Row:
    kept = {name: value for name, value in row.items() if name != "outcome"}
    nothing = dict.fromkeys(("request", "subject", "batch", "reason"))
    state = {"state": "answered", "swapped": False, "expires_at": now, "version": row["number"]}
    return {**kept, **nothing, **state}


def _judgment(row: Row) -> Row:
    preference = {"tie": "equal", "better": "left", "worse": "right"}[row["outcome"]]
    told = {"answer": {"preference": preference}, "seconds": 3.0, "assignment": row["number"]}
    return {**row, **told, "subject": None, "correct": None}
