"""A topic nobody has in memory: how long until its first question can be chosen."""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
from pydantic import SecretStr

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from installations import new_database, new_key, postgresql

from benchmarks.section import Section, main, met
from nextpair.app.provisioning import setup, staging
from nextpair.app.provisioning.setup import NewTopic
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.settings import ServiceSettings
from nextpair.app.studies.study import StudySettings
from nextpair.selectors.base import Idle
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome, unordered
from nextpair.selectors.state.settings import Settings as TopicSettings
from nextpair.selectors.state.topic_state import Topic
from nextpair.storage import assignments, judgments, studies, topics
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, DocumentRow, JudgmentRow, State

DOCUMENTS, JUDGMENTS, FEATURES, ROUNDS = 3_000, 20_000, 20, 5
Answered = tuple[int, int, Outcome]


def measure(given: argparse.Namespace) -> Section:
    """Measure three selectors on both databases, beside the plain reading of the same rows."""
    section = Section(
        "A cold topic",
        "python -m benchmarks.cold",
        f"{DOCUMENTS:,} documents with {FEATURES} features and {JUDGMENTS:,} judgments, read from"
        " the database and folded until the next question is chosen; medians of"
        f" {ROUNDS}. Beside it, reading the same rows and doing nothing with them. Bar: 1 s.",
        ("database, selector", "ready (s)", "only read (s)", "bar"),
    )
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        server = stack.enter_context(postgresql())
        for name, url in (
            ("SQLite", f"sqlite:///{folder}/nextpair.db"),
            ("PostgreSQL", stack.enter_context(new_database(server))),
        ):
            new_key(url)
            for selector in ("placement", "merge-tie-random", "merge-tie"):
                ready, read = _measure(url, selector)
                row = (f"{name}, {selector}", f"{ready:.2f}", f"{read:.2f}", met(ready, 1.0))
                section.rows.append(row)
    return section


def _measure(url: str, selector: str) -> tuple[float, float]:
    settings = ServiceSettings(database=SecretStr(url))
    service = ServiceContext(settings)
    topic_id = _fill(service, selector)
    service.close()
    return (
        statistics.median(_timed(settings, topic_id, _choose) for _ in range(ROUNDS)),
        statistics.median(_timed(settings, topic_id, _read) for _ in range(ROUNDS)),
    )


def _timed(
    settings: ServiceSettings, topic_id: int, act: Callable[[ServiceContext, int], None]
) -> float:
    service = ServiceContext(settings)
    with service.database.read():
        started = time.perf_counter()
    act(service, topic_id)
    seconds = time.perf_counter() - started
    service.close()
    return seconds


def _choose(service: ServiceContext, topic_id: int) -> None:
    with service.projection_of(topic_id) as projection:
        projection.state.select(
            "someone", (), projection.state.settings.question_rng(projection.head.asked)
        )


def _read(service: ServiceContext, topic_id: int) -> None:
    with service.database.read() as connection:
        topics.outlines(connection, topic_id)
        assignments.unanswered(connection, topic_id)
        list(judgments.records_after(connection, topic_id, 0, ["work"]))


def _fill(service: ServiceContext, selector: str) -> int:
    rng = np.random.default_rng(1)
    grades = rng.choice(5, size=DOCUMENTS, p=[0.6, 0.2, 0.1, 0.07, 0.03]).tolist()
    values = rng.random((DOCUMENTS, FEATURES)) + np.array(grades)[:, None] / 4
    names = [f"f{number}" for number in range(FEATURES)]
    pool = [
        DocumentRow(
            place,
            f"document-{place}",
            "",
            "text " * 100,
            None,
            None,
            dict(zip(names, row, strict=True)),
            None,
        )
        for place, row in enumerate(values.tolist())
    ]
    new = NewTopic("cold", "", "", "", 7, pool)
    log = list(_answers(pool, selector, grades, rng))
    with service.database.write() as connection:
        study = setup.add_study(connection, selector, StudySettings(selector=selector), 0.0)
    staging.add_topics(service, study.name, [new], 0.0)
    topic_id = service.topic_id(study.name, new.name)
    with service.database.write() as connection:
        worker = studies.enlist_worker(connection, study.id, "ann", 0.0).id
        _add_log(connection, topic_id, worker, log)
    return topic_id


def _answers(
    pool: list[DocumentRow], selector: str, grades: list[int], rng: np.random.Generator
) -> Iterator[Answered]:
    """Answer what the selector asks until it is done, then any pair, until there are enough."""
    documents = [Document(one.name, one.features or {}) for one in pool]
    topic = Topic(documents, TopicSettings(selector, seed=7))
    number = 0
    while not isinstance(choice := topic.select("ann", (), rng), Idle) and number < JUDGMENTS:
        first, second = unordered(*choice)
        outcome = _outcome(grades[first], grades[second])
        number += 1
        topic.absorb(Judgment(number, pool[first].name, pool[second].name, outcome, "ann"))
        yield first, second, outcome
    while number < JUDGMENTS:
        first, second = sorted(rng.choice(DOCUMENTS, size=2, replace=False).tolist())
        number += 1
        yield first, second, _outcome(grades[first], grades[second])


def _outcome(one: int, other: int) -> Outcome:
    return Outcome.TIE if one == other else Outcome.BETTER if one > other else Outcome.WORSE


def _add_log(connection: Connection, topic_id: int, worker: int, log: list[Answered]) -> None:
    asked: dict[tuple[int, int], int] = {}
    for first, second, _ in log:
        asked.setdefault((first, second), len(asked) + 1)
    rows = [
        AssignmentRow(
            topic_id, number, worker, *pair, False, State.ANSWERED, 1, number, 1.0, None, 0.0
        )
        for pair, number in asked.items()
    ]
    assignments.add_assignments(connection, rows)
    attempts: dict[int, int] = {}
    for number, (first, second, outcome) in enumerate(log, start=1):
        assignment = asked[first, second]
        attempts[assignment] = attempts.get(assignment, 0) + 1
        judgments.add_judgment(
            connection,
            JudgmentRow(
                topic_id,
                number,
                assignment,
                attempts[assignment],
                worker,
                first,
                second,
                outcome.value,
                {"preference": "left"},
                None,
                0.0,
            ),
        )
    seen = topics.topic_head(connection, topic_id)
    to = replace(seen, version=len(log), position=len(log), asked=len(asked))
    topics.compare_and_swap(connection, topic_id, seen, to)


if __name__ == "__main__":
    main(measure)
