"""Taking judgments back: some of them, or all of one worker's; and what that changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nextpair.app.errors import UnknownWorker
from nextpair.app.judging.retraction_effects import Moved, Moving
from nextpair.app.runtime.projection import Change, LiveTopic
from nextpair.app.runtime.service import Service
from nextpair.app.runtime.unit_of_work import Step
from nextpair.selectors.errors import UnknownJudgment
from nextpair.selectors.state.rank_bounds import Standing, standing
from nextpair.selectors.state.single_documents import Singles
from nextpair.selectors.state.topic_state import Topic
from nextpair.storage import assignments, judgments, studies
from nextpair.storage.database import Connection
from nextpair.storage.rows import AssignmentRow, JudgmentRow, RetractionRow, State


@dataclass(frozen=True, slots=True)
class Sum:
    """What is known of a topic, in numbers."""

    judgments: int
    known_pairs: int
    classes: int
    settled: int
    conflicts: int


@dataclass(frozen=True, slots=True)
class Effect:
    """What a retraction does to one topic."""

    topic: str
    judgments: tuple[int, ...]
    before: Sum
    after: Sum
    moved: tuple[Moved, ...]


@dataclass(frozen=True, slots=True)
class Retraction:
    """What is taken back, by whom and why."""

    by: str
    reason: str = ""


def wanted(
    service: Service, study: str, worker: str | None, numbers: Mapping[str, Sequence[int]]
) -> dict[int, Sequence[int]]:
    """List the judgments that are meant, by topic: all of a worker's, or some by number."""
    if worker is None:
        return {service.topic_id(study, topic): found for topic, found in numbers.items()}
    return worker_judgments(service, service.study_id(study), worker)


def worker_judgments(service: Service, study_id: int, worker: str) -> dict[int, Sequence[int]]:
    """List a worker's judgments that count, by topic."""
    with service.database.read() as connection:
        row = studies.find_worker(connection, study_id, worker)
        if row is None:
            raise UnknownWorker(f"the study has no worker {worker!r}")
        return dict(judgments.counting_by_worker(connection, row.id))


def plan(service: Service, wanted: Mapping[int, Sequence[int]]) -> list[Effect]:
    """Say what retracting judgments would change, by topic."""
    return [_plan(service, topic_id, numbers) for topic_id, numbers in wanted.items()]


def _plan(service: Service, topic_id: int, numbers: Sequence[int]) -> Effect:
    with service.look(topic_id) as live:
        with service.database.read() as connection:
            _check_known(connection, topic_id, numbers, live)
            rows = judgments.counting(connection, topic_id, numbers)
            names = _worker_names(connection, live)
        # What was judged or retracted since this process looked is not part of what it compares.
        rows = [row for row in rows if row.number <= live.head.position]
        return _effect(live, _without(live, rows), rows, names)


def _without(live: LiveTopic, rows: Sequence[JudgmentRow]) -> Topic | Singles:
    return live.state.retract(*(row.number for row in rows if row.purpose in live.hears))


def retract(
    service: Service, wanted: Mapping[int, Sequence[int]], retraction: Retraction, now: float
) -> dict[str, Sequence[int]]:
    """Retract judgments, by topic; return which they are, without those retracted before.

    Everything is checked before anything is changed. Topics are changed one after the other, so
    if the machine fails half-way the same call does the rest.
    """
    for topic_id, numbers in wanted.items():
        with service.look(topic_id) as live, service.database.read() as connection:
            _check_known(connection, topic_id, numbers, live)
    return dict(
        _retract(service, topic_id, numbers, retraction, now)
        for topic_id, numbers in wanted.items()
    )


def _retract(
    service: Service, topic_id: int, numbers: Sequence[int], retraction: Retraction, now: float
) -> tuple[str, Sequence[int]]:
    def act(
        connection: Connection, live: LiveTopic, locked: bool
    ) -> Step[tuple[str, Sequence[int]]]:
        rows = judgments.counting(connection, topic_id, numbers)
        taken = [row.number for row in rows]
        result = live.row.name, taken
        if not rows:
            return Step(result)
        counted = frozenset(row.number for row in rows if row.purpose in live.hears)
        head = live.moved(entries=1)
        changed = [_retracted(connection, row, head.version) for row in rows]
        entries = [
            RetractionRow(topic_id, number, head.position, retraction.reason, retraction.by, now)
            for number in taken
        ]
        change = Change(head, changed, retracted=counted)
        return Step(result, change, changed=changed, retractions=entries)

    return service.change(topic_id, act)


def _check_known(
    connection: Connection, topic_id: int, numbers: Sequence[int], live: LiveTopic
) -> None:
    unknown = sorted(set(numbers) - judgments.existing(connection, topic_id, numbers))
    if unknown:
        raise UnknownJudgment(
            f"topic {live.row.name!r} has no judgment {', '.join(map(str, unknown[:10]))}"
        )


def _retracted(connection: Connection, judgment: JudgmentRow, version: int) -> AssignmentRow:
    row = assignments.find_assignment(connection, judgment.topic_id, judgment.assignment)
    assert row is not None
    return replace(row, state=State.RETRACTED, version=version)


def _worker_names(connection: Connection, live: LiveTopic) -> Mapping[str, str]:
    """Return what the workers of a topic are called, by what its state calls them."""
    if isinstance(live.state, Singles):
        return {}
    ids = sorted({int(one.worker) for one in live.state.log})
    return {str(one): name for one, name in studies.worker_names(connection, ids).items()}


def _effect(
    live: LiveTopic,
    after: Topic | Singles,
    rows: Sequence[JudgmentRow],
    names: Mapping[str, str],
) -> Effect:
    if isinstance(after, Singles) or isinstance(live.state, Singles):
        numbers = tuple(row.number for row in rows)
        return Effect(live.row.name, numbers, _count(live.state), _count(after), ())
    before_ranks, after_ranks = standing(live.state.order), standing(after.order)
    numbers = tuple(row.number for row in rows)
    return Effect(
        live.row.name,
        numbers,
        _sum(live.state, before_ranks),
        _sum(after, after_ranks),
        Moving(live.state, after, numbers, names).moved(),
    )


def _count(state: Topic | Singles) -> Sum:
    settled = int(state.settled_documents().sum()) if isinstance(state, Singles) else 0
    return Sum(len(state), 0, 0, settled, 0)


def _sum(state: Topic, ranks: Standing) -> Sum:
    return Sum(
        len(state),
        ranks.known_pairs,
        len(state.reported().classes),
        state.reported().settled,
        len(state.conflicts),
    )
