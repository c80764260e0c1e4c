"""Adds gold questions, whose answers are known, and documents outside the pool that they show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nextpair.app.designs.base import Design, Shape
from nextpair.app.errors import ContentConflict
from nextpair.app.provisioning.setup import check_length
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.selectors.errors import BadInput, UnknownDocument
from nextpair.selectors.state.judgments import unordered
from nextpair.storage import checks, topics
from nextpair.storage.database import Connection
from nextpair.storage.rows import DocumentRow, GoldRow


@dataclass(frozen=True, slots=True)
class NewGold:
    """A gold question; the answer of a pair is given with the first document on the left."""

    documents: Sequence[str]
    answer: Mapping[str, Any]
    quiz: bool


def add_golds(
    service: ServiceContext,
    topic_id: int,
    documents: Sequence[DocumentRow],
    golds: Sequence[NewGold],
    now: float,
) -> list[GoldRow]:
    """Add gold questions; the same one again changes nothing. Return all of the topic."""
    for document in documents:
        check_length(document, service.settings.max_text)
    with service.topics.hold(topic_id), service.database.write() as connection:
        head = topics.lock_topic(connection, topic_id)
        assert head is not None, "the topic's id was looked up by its name"
        study = service.study(connection, head.study_id, head.study_version)
        _add_documents(connection, topic_id, documents)
        existing = checks.golds_of(connection, topic_id)
        kept = {(row.pair, row.quiz): row.answer for row in existing}
        fresh: list[GoldRow] = []
        for gold in golds:
            row = _row(connection, topic_id, study.design, gold, now)
            before = kept.setdefault((row.pair, row.quiz), row.answer)
            if before != row.answer:
                raise ContentConflict(
                    f"{' and '.join(gold.documents)}: another answer is known already"
                )
            if before is row.answer:
                fresh.append(replace(row, number=len(existing) + len(fresh) + 1))
        if fresh:
            checks.add_golds(connection, topic_id, fresh, len(existing) + len(fresh))
        return [*existing, *fresh]


def _add_documents(connection: Connection, topic_id: int, documents: Sequence[DocumentRow]) -> None:
    there = topics.positions_of(connection, topic_id, [one.name for one in documents])
    if there:
        rows = topics.documents_at(connection, topic_id, there.values())
        kept = {row.name: row for row in rows.values()}
        for document in documents:
            known = kept.get(document.name)
            if known is not None and replace(document, position=known.position) != known:
                raise ContentConflict(f"document {document.name!r} is there with other content")
    last = topics.last_gold_position(connection, topic_id)
    new = [one for one in documents if one.name not in there]
    if len({one.name for one in new}) < len(new):
        raise BadInput("two of the documents have the same id")
    placed = [replace(one, position=last + place) for place, one in enumerate(new, start=1)]
    topics.add_documents(connection, topic_id, placed)


def _row(
    connection: Connection, topic_id: int, design: Design, gold: NewGold, now: float
) -> GoldRow:
    wanted = 1 if design.shape is Shape.SINGLE else 2
    if len(set(gold.documents)) != wanted:
        raise BadInput(f"a question of this design shows {wanted} document(s)")
    found = topics.positions_of(connection, topic_id, gold.documents)
    for name in gold.documents:
        if name not in found:
            raise UnknownDocument(f"the topic has no document {name!r}")
    design.known_answer(gold.answer)
    places = [found[name] for name in gold.documents]
    first, second = unordered(places[0], places[-1])
    answer = dict(gold.answer)
    if (first, second) != (places[0], places[-1]):
        answer["preference"] = _MIRRORED.get(answer["preference"], answer["preference"])
    return GoldRow(topic_id, 0, first, second, answer, gold.quiz, now)


_MIRRORED = {"left": "right", "right": "left"}
