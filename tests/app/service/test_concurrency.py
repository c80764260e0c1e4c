"""Many workers at many processes at once: nothing is handed out twice, lost, doubled or confused.

The sizes fit a test suite. For a longer run by hand, ten times as large:

    NEXTPAIR_TEST_LOAD=10 .venv/bin/python -m pytest tests/app/service/test_concurrency.py
"""

import os
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from audits import (
    Log,
    check_database,
    check_handed,
    check_log,
    check_ranking,
    check_votes,
    folded,
    read_log,
)
from crowds import TIMEOUT, Habits, Notes, Place, crowd, first_answers, pool, until
from installations import new_database, new_key, serving
from processes import ask_each

from nextpair.app.client import Client
from nextpair.app.enums import Reason
from nextpair.app.schemas.results import RankingOut
from nextpair.app.schemas.retractions import RetractionIn
from nextpair.app.schemas.topics import TopicIn
from nextpair.selectors.state.settings import DEFAULT_SELECTOR, ConflictPolicy

LOAD = float(os.environ.get("NEXTPAIR_TEST_LOAD", "1"))
SPAM = "the worker is a machine"
BUSY = Habits(error=0.15, undo=0.08, skip=0.05, counts=(1, 1, 1, 2, 5))


@dataclass(frozen=True, slots=True)
class Installation:
    """A service that runs over a database, and how many should judge there at once."""

    url: str
    key: str
    address: str
    pid: int
    processes: int
    workers: int

    def study(self, name: str, topics: Sequence[TopicIn], **settings: object) -> Place:
        """Add a study and its topics; votes are counted unless another selector is named."""
        settings = {"selector": "merge-tie-random", **settings}
        with Client(self.address, self.key) as client:
            client.create_study(name, **settings)
            for topic in topics:
                client.add_topic(name, topic)
        return Place(self.address, self.key, name)


@pytest.fixture(scope="module", params=["postgresql", "sqlite"])
def installation(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    """A service of several processes."""
    if request.param == "sqlite":
        file: Path = tmp_path_factory.mktemp("concurrency") / "nextpair.db"
        # So little memory that topics are forgotten and read again all the time.
        yield from _installed(f"sqlite:///{file}", processes=2, workers=8, cache_mb=1)
    else:
        server: str = request.getfixturevalue("postgresql_server")
        with new_database(server) as url:
            yield from _installed(url, processes=3, workers=12, cache_mb=512)


def _installed(url: str, processes: int, workers: int, cache_mb: int) -> Iterator[Installation]:
    key = new_key(url)
    with serving(url, processes, cache_mb=cache_mb) as (address, pid):
        yield Installation(url, key, address, pid, processes, workers)


def _scaled(size: int) -> int:
    return max(1, round(size * LOAD))


def _names(count: int) -> list[str]:
    return [f"worker-{number}" for number in range(count)]


class _Trouble:
    """An administrator who looks at everything, and retracts what one worker has said so far.

    The crowd must stay until the last retraction: it answers what that opens again.

    Parameters
    ----------
    moments
        How many judgments there must be before each retraction; fewer than the crowd makes in any
        case.
    """

    def __init__(
        self, place: Place, topics: Sequence[TopicIn], worker: str, moments: Sequence[int]
    ) -> None:
        self._place = place
        self._topics = topics
        self._worker = worker
        self._moments = moments
        self.retracted = 0

    def __call__(self, client: Client, over: threading.Event) -> None:
        for moment in self._moments:
            until(lambda moment=moment: self._look(client) >= moment, "the crowd judges")  # type: ignore[misc]
            wanted = RetractionIn(worker=self._worker, reason=SPAM)
            self.retracted += client.retract(self._place.study, wanted).judgments

    def _look(self, client: Client) -> int:
        """Look at every topic; return how many judgments there are."""
        for topic in self._topics:
            client.ranking(self._place.study, topic.id)
        study = self._place.study
        return sum(client.progress(study, topic.id).judgments for topic in self._topics)


def _check(
    installation: Installation, place: Place, topics: Sequence[TopicIn], notes: list[Notes]
) -> Log:
    log = read_log(place, topics)
    check_handed(notes)
    check_log(log, notes, SPAM)
    with Client(place.address, place.key) as client:
        study = client.study(place.study)
    # The default selector counts no votes, and a document that is re-opened is voted on anew.
    if study.selector != DEFAULT_SELECTOR and study.on_conflict != ConflictPolicy.REOPEN:
        check_votes(log, notes, study.votes)
    check_database(installation.url)
    _check_rankings(installation, place, topics, log)
    return log


def _check_rankings(
    installation: Installation, place: Place, topics: Sequence[TopicIn], log: Log
) -> None:
    """Every process reports the ranking that follows from the log."""

    def rankings() -> list[RankingOut]:
        with Client(place.address, place.key) as client:
            return [client.ranking(place.study, topic.id) for topic in topics]

    answers = ask_each(installation.pid, installation.processes, rankings)
    assert len(answers) == installation.processes
    assert all(answer == answers[0] for answer in answers)
    with Client(place.address, place.key) as client:
        study = client.study(place.study)
        seeds = {topic.id: topic.seed for topic in client.topics(place.study)}
    for topic, ranking in zip(topics, answers[0], strict=True):
        check_ranking(ranking, folded(topic, log[topic.id], study, seeds[topic.id]))


def test_many_workers_judge_one_topic_at_once(installation: Installation) -> None:
    topics = [pool("only", _scaled(18))]
    place = installation.study("one", topics, votes=3)
    names = _names(installation.workers)
    habits = Habits(error=0.15)

    notes = crowd(Place(place.address, place.key, "one", "only"), names, habits)

    assert {one.reason for one in notes} == {Reason.DONE}
    log = _check(installation, place, topics, notes)
    assert not any(entry.retracted for entry in log["only"])


def test_answers_are_taken_back_while_many_workers_judge_one_topic(
    installation: Installation,
) -> None:
    topics = [pool("only", _scaled(16))]
    place = installation.study("one-undone", topics, votes=3, on_conflict="reopen", seed=5)
    names = _names(installation.workers)
    trouble = _Trouble(place, topics, names[0], moments=(10, 20, 30))
    only = Place(place.address, place.key, "one-undone", "only")

    # So that there is something to retract, however fast the others are.
    early = first_answers(only, names[0], Habits(undo=1.0))
    notes = [early, *crowd(only, names, BUSY, trouble, stay=True)]

    log = _check(installation, place, topics, notes)
    reasons = Counter(entry.retracted for entry in log["only"])
    assert reasons["undo"] == sum(len(one.undone) for one in notes) > 0
    assert reasons[SPAM] == trouble.retracted > 0


def test_every_process_believes_the_same_of_the_same_answers(installation: Installation) -> None:
    topics = [pool(f"topic-{number}", 12) for number in range(_scaled(2))]
    place = installation.study(
        "believed", topics, selector=DEFAULT_SELECTOR, options={"budget": 2.0}
    )
    names = _names(installation.workers)
    trouble = _Trouble(place, topics, names[0], moments=(10, 20))

    notes = [first_answers(place, names[0], BUSY)]
    notes += crowd(place, names, BUSY, trouble, stay=True)

    log = _check(installation, place, topics, notes)
    assert all(log[topic.id] for topic in topics)


def test_many_workers_judge_many_topics_at_once(installation: Installation) -> None:
    count = 12 if installation.processes == 3 else 8
    topics = [pool(f"topic-{number}", 4, grades=3) for number in range(_scaled(count))]
    place = installation.study("many", topics, votes=2)
    names = _names(installation.workers)
    trouble = _Trouble(place, topics, names[0], moments=(10, 20))

    notes = [first_answers(place, names[0], BUSY)]
    notes += crowd(place, names, BUSY, trouble, stay=True)

    log = _check(installation, place, topics, notes)
    assert all(log[topic.id] for topic in topics)


def test_a_worker_before_many_screens_gets_no_more_than_the_cap(
    installation: Installation,
) -> None:
    topics = [pool(f"topic-{number}", 20) for number in range(8)]
    place = installation.study("capped", topics, votes=3, judgments_per_worker=7)
    names = _names(4)

    notes = crowd(place, names * (installation.workers // 4), Habits(counts=(1, 2, 5)))

    assert {one.reason for one in notes} == {Reason.CAP}
    answered = Counter({one.worker: 0 for one in notes})
    for one in notes:
        answered[one.worker] += len(one.judged)
    assert answered == dict.fromkeys(names, 7)
    _check(installation, place, topics, notes)


def test_one_request_sent_many_times_at_once_is_answered_alike(
    installation: Installation,
) -> None:
    place = installation.study("repeated", [pool("only", 30)], votes=3)

    def send(number: int) -> list[str]:
        answer = httpx.post(
            f"{place.address}/v1/studies/repeated/next",
            headers={
                "Authorization": f"Bearer {place.key}",
                "Idempotency-Key": f"request-{number // 8}",
            },
            json={"worker": "ann", "topic": "only", "count": 2},
            trust_env=False,
            timeout=TIMEOUT,
        )
        assert answer.status_code == 200, answer.text
        return [assignment["id"] for assignment in answer.json()["assignments"]]

    with ThreadPoolExecutor(8) as screens:
        answers = list(screens.map(send, range(40)))

    for first in range(0, 40, 8):
        assert all(answer == answers[first] for answer in answers[first : first + 8])
    handed = [one for first in range(0, 40, 8) for one in answers[first]]
    assert len(handed) == len(set(handed)) == 10
    check_database(installation.url)
