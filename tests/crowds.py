"""Crowds: threads of simulated workers who judge through the client, and note what they were told.

What a crowd noted is the yardstick: a judgment counts as made once its worker has been told so.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

from nextpair.app.client import Client, Refused
from nextpair.app.enums import Reason
from nextpair.app.schemas.judging import AssignmentOut, JudgmentOut
from nextpair.app.schemas.topics import DocumentIn, TopicIn

PATIENCE = 1200.0
"""Seconds after which what is waited for will not come: far more than a busy machine needs."""
TIMEOUT = 300.0
"""Seconds a call may take on a busy machine."""
RETRIES = 1000
"""More than any restart takes."""
LONGEST_PAUSE = 0.2
"""Seconds between two attempts at a call: shorter than the client would wait by itself."""
SHARING = 8
"""Workers to a client: its pool of connections is searched with every call."""
PAUSE = 0.25
"""Seconds to wait when answers of others are awaited."""


@dataclass(frozen=True, slots=True)
class Habits:
    """What the workers of a crowd are like.

    Parameters
    ----------
    error
        The share of wrong answers.
    undo, skip
        How often an answer is taken back, to be given again; how often a question is given back.
    forget
        How often a question is neither answered nor given back.
    counts
        How many questions to ask for at once: each worker takes one of these numbers.
    seconds
        How long a worker looks at a question, on average.
    """

    error: float = 0.1
    undo: float = 0.0
    skip: float = 0.0
    forget: float = 0.0
    counts: tuple[int, ...] = (1,)
    seconds: float = 0.0


@dataclass(slots=True)
class Notes:
    """What one worker was told."""

    worker: str
    handed: list[AssignmentOut] = field(default_factory=list)
    judged: list[JudgmentOut] = field(default_factory=list)
    undone: list[JudgmentOut] = field(default_factory=list)
    skipped: list[AssignmentOut] = field(default_factory=list)
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a crowd judges: a study of a service, or one topic of it."""

    address: str
    key: str
    study: str
    topic: str | None = None


class Attendance:
    """Knows when a crowd may go home: when nobody has done anything since all were told to.

    Who is told that nothing is left is told how things stand: while others still answer, take back
    or retract, there can be another question, and whoever has left would be missed.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._epoch = 0
        self._resting: set[object] = set()
        self._mutex = threading.Lock()
        self.over = threading.Event()

    @property
    def epoch(self) -> int:
        """How often somebody has begun or ended to do something."""
        return self._epoch

    @contextmanager
    def acting(self) -> Iterator[None]:
        """Note that somebody does something, after which nothing said before holds."""
        self._disturb()
        try:
            yield
        finally:
            self._disturb()

    def _disturb(self) -> None:
        with self._mutex:
            self._epoch += 1
            self._resting.clear()

    def leave(self) -> None:
        """Note that there is one less who may still do something."""
        with self._mutex:
            self._workers -= 1
            self._epoch += 1
            self._resting.clear()

    def rest(self, screen: object, since: int) -> None:
        """Note that nothing is left for someone, who asked when the epoch was this."""
        with self._mutex:
            if since == self._epoch:
                self._resting.add(screen)
            if len(self._resting) == self._workers:
                self.over.set()


class SimulatedThread:
    """One worker, or one of several screens before which the same worker sits."""

    def __init__(self, client: Client, place: Place, worker: str, habits: Habits, seed: str):
        self._client = client
        self._place = place
        self._habits = habits
        self._chance = random.Random(seed)
        self._count = self._chance.choice(habits.counts)
        self.notes = Notes(worker)

    def judge(self, attendance: Attendance, given_up: threading.Event) -> Notes:
        """Judge until nothing is left for anybody, and nothing will be added."""
        while not given_up.is_set():
            since = attendance.epoch
            got = self._client.next(
                self._place.study,
                self.notes.worker,
                topic=self._place.topic,
                count=self._count,
                documents=False,
            )
            if got.assignments:
                with attendance.acting():
                    self.notes.handed += got.assignments
                    for assignment in got.assignments:
                        self._meet(assignment)
                continue
            if got.reason in (Reason.DONE, Reason.CAP):
                attendance.rest(self, since)
                if attendance.over.is_set():
                    self.notes.reason = got.reason
                    break
            given_up.wait(PAUSE * self._chance.uniform(0.5, 1.5))
        return self.notes

    def begin(self, count: int) -> Notes:
        """Answer so many questions, which there must be."""
        got = self._client.next(
            self._place.study,
            self.notes.worker,
            topic=self._place.topic,
            count=count,
            documents=False,
        )
        assert len(got.assignments) == count
        self.notes.handed += got.assignments
        for assignment in got.assignments:
            self._meet(assignment)
        return self.notes

    def _meet(self, assignment: AssignmentOut) -> None:
        if self._habits.seconds:
            time.sleep(self._chance.uniform(0, 2 * self._habits.seconds))
        if self._chance.random() < self._habits.forget:
            return
        if self._chance.random() < self._habits.skip:
            self._client.skip(assignment)
            self.notes.skipped.append(assignment)
            return
        judged = self._answer(assignment)
        if self._chance.random() < self._habits.undo:
            self._think_again(assignment, judged)

    def _answer(self, assignment: AssignmentOut) -> JudgmentOut:
        judged = self._client.judge(assignment, self._preference(assignment))
        self.notes.judged.append(judged)
        return judged

    def _think_again(self, assignment: AssignmentOut, judged: JudgmentOut) -> None:
        try:
            again = self._client.undo(assignment)
        except Refused as refusal:
            # Someone else may have retracted the answer in between.
            assert refusal.problem.type == "urn:nextpair:too-late-to-undo", refusal
            return
        self.notes.undone.append(judged)
        self._answer(again)

    def _preference(self, assignment: AssignmentOut) -> str:
        if self._chance.random() < self._habits.error:
            return self._chance.choice(("left", "right", "equal"))
        left, right = (grade(one.id) for one in assignment.shown)
        return "equal" if left == right else "left" if left > right else "right"


def grade(document: str) -> int:
    """Return how good a document is: its name says it."""
    return int(document.rpartition("-")[2])


def pool(name: str, documents: int, grades: int = 4) -> TopicIn:
    """Make a topic whose documents are of some grades in turn."""
    return TopicIn(
        id=name,
        documents=[DocumentIn(id=f"{name}-{n}-{n % grades}") for n in range(documents)],
    )


Meanwhile = Callable[[Client, threading.Event], None]
"""What else happens while a crowd judges, or until it is over."""


def first_answers(place: Place, worker: str, habits: Habits, count: int = 3) -> Notes:
    """Let one worker answer some questions before a crowd comes."""
    with persistent(place) as client:
        return SimulatedThread(client, place, worker, habits, f"{worker}/first").begin(count)


def crowd(
    place: Place,
    workers: Sequence[str],
    habits: Habits,
    meanwhile: Meanwhile | None = None,
    *,
    stay: bool = False,
) -> list[Notes]:
    """Let workers judge at once until nothing is left for any of them; return all their notes.

    Parameters
    ----------
    workers
        A name that stands here twice is one worker before two screens.
    stay
        Whether workers wait for more until what happens meanwhile has ended.
    """
    over, given_up = threading.Event(), threading.Event()
    alarm = threading.Timer(PATIENCE, given_up.set)
    alarm.start()
    # What happens meanwhile is attended to like a worker who has something to do until its end.
    attendance = Attendance(len(workers) + stay)
    with (
        _clients(place, 1 + len(workers) // SHARING) as clients,
        ThreadPoolExecutor(len(workers) + 1) as screens,
    ):
        try:
            running = [
                screens.submit(_sit(clients, place, habits, n, worker).judge, attendance, given_up)
                for n, worker in enumerate(workers)
            ]
            other = screens.submit(_happen, meanwhile, clients[0], over)
            if stay:
                other.result()
                attendance.leave()
            notes = [one.result() for one in running]
        finally:
            # An error in one thread ends the others too.
            for event in (over, given_up):
                event.set()
            alarm.cancel()
        other.result()
    unfinished = [one.worker for one in notes if one.reason is None]
    assert not unfinished, f"{len(unfinished)} workers waited in vain"
    return notes


def _sit(
    clients: Sequence[Client], place: Place, habits: Habits, number: int, worker: str
) -> SimulatedThread:
    client = clients[number % len(clients)]
    return SimulatedThread(client, place, worker, habits, f"{worker}/{number}")


def _happen(meanwhile: Meanwhile | None, client: Client, over: threading.Event) -> None:
    if meanwhile is not None:
        meanwhile(client, over)


@contextmanager
def _clients(place: Place, count: int) -> Iterator[list[Client]]:
    clients = [persistent(place) for _ in range(count)]
    try:
        yield clients
    finally:
        for client in clients:
            client.close()


def persistent(place: Place) -> Client:
    """Make a client that outlasts any restart."""

    def sleep(seconds: float) -> None:
        time.sleep(min(seconds, LONGEST_PAUSE))

    return Client(place.address, place.key, timeout=TIMEOUT, retries=RETRIES, sleep=sleep)


def until(true: Callable[[], bool], what: str, patience: float = PATIENCE) -> None:
    """Wait until something is true."""
    end = time.monotonic() + patience
    while not true():
        assert time.monotonic() < end, f"waited in vain until {what}"
        time.sleep(0.02)
