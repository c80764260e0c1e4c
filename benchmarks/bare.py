"""The rival of the load benchmark: a bare FastAPI application that only inserts and commits.

The same framework, server, database settings and number of committed inserts as the service (one
row for each question, one for each answer), and nothing else: no keys, no topics, no choice.
"""

import os
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from sqlalchemy import BigInteger, Column, Double, Integer, MetaData, Table, Text, insert

from nextpair.storage.database import Database

metadata = MetaData()
_ID = BigInteger().with_variant(Integer, "sqlite")
questions = Table(
    "questions",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("worker", Text),
    Column("left", Text),
    Column("right", Text),
    Column("expires_at", Double),
)
answers = Table(
    "answers",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("question", BigInteger),
    Column("answer", Text),
)


class NextIn(BaseModel):
    """Who asks."""

    worker: str
    topic: str
    documents: bool


class AnswerIn(BaseModel):
    """What is answered."""

    answer: dict[str, str]
    worker: str


def create_app() -> FastAPI:
    """Make the bare application over the database of NEXTPAIR_DATABASE."""
    database = Database(os.environ["NEXTPAIR_DATABASE"])
    with database.write() as connection:
        metadata.create_all(connection)
    app = FastAPI()

    @app.post("/v1/studies/{study}/next")
    def next_question(study: str, body: NextIn) -> dict[str, Any]:
        values = {"worker": body.worker, "left": "d1", "right": "d2", "expires_at": 1.0}
        with database.write() as connection:
            key = connection.execute(insert(questions).returning(questions.c.id), values).scalar()
        sides = {"left": {"id": "d1"}, "right": {"id": "d2"}}
        return {"assignments": [{"id": str(key), **sides}], "reason": None}

    @app.post("/v1/assignments/{assignment}/judgment", status_code=201)
    def judge(assignment: int, body: AnswerIn) -> dict[str, Any]:
        values = {"question": assignment, "answer": body.answer["preference"]}
        with database.write() as connection:
            connection.execute(insert(answers), values)
        return {"assignment": assignment, "answer": body.answer}

    return app
