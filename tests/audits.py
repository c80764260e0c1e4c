"""Audits: whether a service holds what its workers were told, and says what follows from it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from crowds import Notes, Place
from processes import ask_each
from sqlalchemy import text

from nextpair.app.client import Client
from nextpair.app.schemas.judging import JudgmentOut
from nextpair.app.schemas.results import LogEntryOut, RankingOut
from nextpair.app.schemas.topics import TopicIn
from nextpair.app.studies.study import StudySettings
from nextpair.selectors.state.ballots import Ballot, VoteRule
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment
from nextpair.selectors.state.topic_state import Topic, fold
from nextpair.storage.database import Connection, Database

Log = dict[str, list[LogEntryOut]]
"""Each topic's log."""


def read_log(place: Place, topics: Iterable[TopicIn]) -> Log:
    """Read the logs of some topics through the API."""
    with Client(place.address, place.key) as client:
        return {topic.id: list(client.judgments(place.study, topic.id)) for topic in topics}


def check_handed(notes: Sequence[Notes], *, renewals: bool = False) -> None:
    """Raise if someone was handed one pair twice.

    Parameters
    ----------
    renewals
        Whether leases ran out: then the same assignment may come to the same worker again.
    """
    seen: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
    for one in notes:
        for assignment in one.handed:
            assert assignment.worker == one.worker
            pair = frozenset(shown.id for shown in assignment.shown)
            seen[one.worker, assignment.topic.id, pair].append(assignment.id)
    for key, ids in seen.items():
        assert len(set(ids)) == 1, f"{key} is in several assignments: {ids}"
        assert renewals or len(ids) == 1, f"{key} was handed out {len(ids)} times"


def check_log(log: Log, notes: Sequence[Notes], reason: str | None = None) -> None:
    """Raise unless the log holds what was acknowledged, each once, and nothing else.

    Parameters
    ----------
    reason
        Why judgments were retracted that no worker took back, if any were.
    """
    told = [(one.worker, judged) for one in notes for judged in one.judged]
    undone = {(judged.topic, judged.number) for one in notes for judged in one.undone}
    entries = {(topic, entry.number): entry for topic in log for entry in log[topic]}
    for topic in log.values():
        numbers = [entry.number for entry in topic]
        assert all(one < other for one, other in pairwise(numbers))
    doubled = [
        key for key, count in Counter(_key(judged) for _, judged in told).items() if count > 1
    ]
    assert not doubled, f"acknowledged twice: {doubled[:5]}"
    lost = {_key(judged) for _, judged in told} - entries.keys()
    assert not lost, f"acknowledged and lost: {sorted(lost)[:5]}"
    unknown = entries.keys() - {_key(judged) for _, judged in told}
    assert not unknown, f"in the log and told nobody: {sorted(unknown)[:5]}"
    for worker, judged in told:
        entry = entries[_key(judged)]
        assert _content(entry) == (worker, *_told(judged))
        if _key(judged) in undone:
            assert entry.retracted == "undo"
        else:
            assert entry.retracted in (None, reason)


def _key(judged: JudgmentOut) -> tuple[str, int]:
    assert judged.number is not None
    return judged.topic, judged.number


def _told(judged: JudgmentOut) -> tuple[object, ...]:
    told = judged.first, judged.second, judged.outcome, judged.answer
    return judged.assignment, judged.attempt, *told


def _content(entry: LogEntryOut) -> tuple[object, ...]:
    where = entry.assignment, entry.attempt, entry.first, entry.second
    return entry.worker, *where, entry.outcome, entry.answer


def check_votes(log: Log, notes: Sequence[Notes], votes: int) -> None:
    """Raise if a pair got votes after it was decided that nothing explains.

    A pair is not handed out more often than it takes votes. So it can only get more if a lease ran
    out (a late answer), or if an answer was taken back while others held the same pair.
    """
    late = Counter(
        (judged.topic, frozenset((judged.first, judged.second)))
        for one in notes
        for judged in one.judged
        if judged.late
    )
    for topic, entries in log.items():
        excess, retracted = _excess(entries, votes)
        for pair, count in excess.items():
            explained = retracted[pair] + late[topic, pair]
            assert count <= explained, f"{set(pair)} got {count} votes too many, not {explained}"


def _excess(
    entries: Iterable[LogEntryOut], votes: int
) -> tuple[Counter[frozenset[str]], Counter[frozenset[str]]]:
    ballots: dict[frozenset[str], Ballot] = {}
    excess: Counter[frozenset[str]] = Counter()
    retracted: Counter[frozenset[str]] = Counter()
    for entry in entries:
        pair = frozenset((entry.first, entry.second))
        if entry.retracted is not None:
            retracted[pair] += 1
            continue
        ballot = ballots.setdefault(pair, Ballot(VoteRule(votes)))
        excess[pair] += ballot.outcome is not None
        # Positions are in the order of the pool, and so are the two sides of every entry.
        assert entry.outcome is not None
        ballot.cast(entry.number, entry.outcome)
    return excess, retracted


def check_database(url: str) -> None:
    """Raise if the tables hold what they must not."""
    database = Database(url)
    try:
        with database.read() as connection:
            _check_once(connection, "assignments", "topic_id, worker_id, first, second")
            _check_once(connection, "judgments", "topic_id, assignment, attempt")
            counting = """judgments LEFT JOIN retractions ON retractions.topic_id =
                judgments.topic_id AND retractions.judgment = judgments.number
                WHERE retractions.number IS NULL"""
            _check_once(
                connection,
                counting,
                "judgments.topic_id, judgments.worker_id, judgments.first, judgments.second",
            )
            _check_numbers(connection)
            _check_states(connection)
    finally:
        database.close()


def _check_once(connection: Connection, table: str, columns: str) -> None:
    query = f"SELECT {columns}, count(*) FROM {table} GROUP BY {columns} HAVING count(*) > 1"
    found = connection.execute(text(query)).all()
    assert not found, f"more than once: {columns} = {found[:5]}"


def _check_numbers(connection: Connection) -> None:
    """Judgments and retractions together are numbered without a gap, up to the position."""
    query = """SELECT topic_id, number FROM judgments
        UNION ALL SELECT DISTINCT topic_id, number FROM retractions"""
    numbers: defaultdict[int, list[int]] = defaultdict(list)
    for topic, number in connection.execute(text(query)):
        numbers[topic].append(number)
    for topic, position, asked, assignments in connection.execute(
        text(
            """SELECT id, position, asked,
            (SELECT count(*) FROM assignments WHERE topic_id = topics.id) FROM topics"""
        )
    ):
        assert sorted(numbers[topic]) == list(range(1, position + 1))
        assert asked == assignments


def _check_states(connection: Connection) -> None:
    """An assignment is answered if and only if a judgment that counts answers it."""
    query = """SELECT a.topic_id, a.number, a.state, count(j.number), count(r.number)
        FROM assignments a
        LEFT JOIN judgments j ON j.topic_id = a.topic_id AND j.assignment = a.number
            AND j.attempt = a.attempt
        LEFT JOIN retractions r ON r.topic_id = j.topic_id AND r.judgment = j.number
        GROUP BY a.topic_id, a.number, a.state"""
    wanted = {"open": (0, 0), "skipped": (0, 0), "answered": (1, 0), "retracted": (1, 1)}
    for topic, number, state, judged, retracted in connection.execute(text(query)):
        assert (judged, retracted) == wanted[state], f"assignment {topic}-{number} is {state}"


def folded(topic: TopicIn, log: Sequence[LogEntryOut], study: StudySettings, seed: int) -> Topic:
    """Conclude from a log all that follows, far from any service."""
    documents = [Document(one.id, one.features, one.prior) for one in topic.documents]
    counting = [
        Judgment(entry.number, entry.first, entry.second, entry.outcome, entry.worker)
        for entry in log
        if entry.retracted is None and entry.outcome is not None and entry.purpose == "work"
    ]
    return fold(documents, counting, study.for_topic(seed))


def check_ranking(ranking: RankingOut, state: Topic) -> None:
    """Raise unless a ranking is what follows from the log."""
    assert ranking.classes == [list(names) for names in state.classes()]
    reported = state.reported()
    scores = {one.document: one.score for one in ranking.documents if one.score is not None}
    assert scores == reported.scored()
    statuses = dict(zip(reported.ids, reported.status, strict=True))
    assert {one.document: one.status for one in ranking.documents} == statuses
    assert ranking.complete == reported.complete


def check_told(place: Place, topics: Sequence[TopicIn], notes: Sequence[Notes], votes: int) -> Log:
    """Raise unless the log holds what workers were told, after faults; return the log."""
    log = read_log(place, topics)
    check_handed(notes, renewals=True)
    check_log(log, notes)
    check_votes(log, notes, votes)
    return log


def check_everywhere(
    url: str, pid: int, processes: int, place: Place, topics: Sequence[TopicIn]
) -> None:
    """Raise unless every process says what follows from the log, and all topics are finished."""

    def rankings() -> list[RankingOut]:
        with Client(place.address, place.key) as client:
            return [client.ranking(place.study, topic.id) for topic in topics]

    check_database(url)
    log = read_log(place, topics)
    answers = ask_each(pid, processes, rankings)
    assert all(answer == answers[0] for answer in answers)
    with Client(place.address, place.key) as client:
        study = client.study(place.study)
        assert client.study_progress(place.study).finished == len(topics)
        seeds = {topic.id: topic.seed for topic in client.topics(place.study)}
    for topic, ranking in zip(topics, answers[0], strict=True):
        check_ranking(ranking, folded(topic, log[topic.id], study, seeds[topic.id]))
