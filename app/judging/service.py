"""What every use case needs: the database, and what this process remembers of it."""

import copy
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress

from starlette.concurrency import run_in_threadpool

from nextpair.app.errors import UnknownStudy, UnknownTopic
from nextpair.app.hiring.receipts import Receipts
from nextpair.app.judging.cache import Slot, TopicCache, WouldWait
from nextpair.app.judging.live import LiveTopic, load, news, unswept
from nextpair.app.judging.pseudonyms import Pseudonyms
from nextpair.app.judging.scoring import Said
from nextpair.app.judging.steps import Act, Result, Step, attempt, write, write_at_once
from nextpair.app.judging.study import Study, study_of
from nextpair.app.judging.texts import Texts
from nextpair.app.judging.together import Group, Together, group
from nextpair.app.judging.tokens import SessionSigner, TokenSigner
from nextpair.app.settings import MB, Settings
from nextpair.selectors.topic.judgments import Outcome
from nextpair.storage import judgments, keys, studies, topics
from nextpair.storage.database import Connection, Database
from nextpair.storage.errors import Unavailable
from nextpair.storage.rows import JudgmentRow, Purpose, TopicHead

HURRY_SECONDS = 0.02
"""How long a request that holds up others may wait for a topic that another process changes."""
MOST_WORKERS = 100_000
"""How many workers' ids are remembered."""


class Service:
    """One process's view of an installation.

    Parameters
    ----------
    clock
        Tells the time by which the tokens of assignments expire.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.time) -> None:
        self.settings = settings
        self.database = Database(
            settings.database.get_secret_value(),
            pool_size=settings.pool_size,
            busy_seconds=settings.busy_seconds,
        )
        self.topics = TopicCache(settings.cache_mb * MB)
        self.texts = Texts(self.database, settings.cache_mb * MB // 8)
        with self.database.write() as connection:
            secret = keys.secret(connection, keys.SIGNING, secrets.token_hex(32))
        self.tokens = TokenSigner(secret, settings.token_days, clock)
        self.pseudonyms = Pseudonyms(secret)
        self.sessions = SessionSigner(secret)
        self.receipts = Receipts(secret)
        self._studies: dict[int, Study] = {}
        # Names never change hands: a study or topic is not renamed, and not deleted.
        self._study_ids: dict[str, int] = {}
        self._topic_ids: dict[tuple[int, str], int] = {}
        self._worker_ids: dict[tuple[int, str], int] = {}
        self._done: dict[int, int] = {}
        self.patient = True
        self.stopping = threading.Event()
        self.group: Group | None = None
        alone = settings.processes == 1
        # SQLite has one writer at a time: who is alone never waits for one, others always may.
        self._together = Together(self._begin) if self.database.is_sqlite and alone else None
        self._hurried = self._hurry() if not self.database.is_sqlite and not alone else None

    @contextmanager
    def _begin(self) -> Iterator[tuple["Service", Group]]:
        """Make the same service, over the same memory, whose changes are committed together."""
        try:
            with group(self.database, self.topics) as changes:
                service = copy.copy(self)
                service.group = changes
                yield service, changes
        except BaseException:
            # What they tell may have been read from what is now undone.
            for known in (self._worker_ids, self._studies, self._done):
                known.clear()
            raise

    def _hurry(self) -> "Service":
        """Make the same service, over the same memory, that gives up rather than wait."""
        service = copy.copy(self)
        service.patient = False
        service.database = Database(
            self.settings.database.get_secret_value(),
            pool_size=1,
            busy_seconds=HURRY_SECONDS,
            alone=True,
        )
        return service

    def close(self) -> None:
        """Give back the database."""
        self.database.close()
        if self._hurried is not None:
            self._hurried.database.close()

    async def do(self, use_case: Callable[["Service"], Result]) -> Result:
        """Run a use case that changes one topic, without keeping other requests waiting.

        A request is worked on from end to end: where many processes serve, there is another for the
        next one, and where one does, on SQLite, threads would only make requests take turns, and
        those that come at the same moment are committed together. A thread is for what has to wait:
        for a topic to be read, or one that another is changing.
        """
        if self._together is not None:
            with suppress(WouldWait, Unavailable):
                return await self._together.do(use_case)
        if self._hurried is not None:
            # Its connection gives up soon in whatever it reads; patience may still help.
            with suppress(WouldWait, Unavailable):
                return use_case(self._hurried)
        return await run_in_threadpool(use_case, self)

    def study_id(self, name: str) -> int:
        """Return the id of the study of this name."""
        known = self._study_ids.get(name)
        if known is None:
            with self.database.read() as connection:
                row = studies.find_study(connection, name)
            if row is None:
                raise UnknownStudy(f"there is no study {name!r}")
            known = self._study_ids[name] = row.id
        return known

    def topic_id(self, study: str, name: str) -> int:
        """Return the id of a study's topic."""
        study_id = self.study_id(study)
        known = self._topic_ids.get((study_id, name))
        if known is None:
            with self.database.read() as connection:
                row = topics.find_topic(connection, study_id, name)
            if row is None:
                raise UnknownTopic(f"study {study!r} has no topic {name!r}")
            known = self._topic_ids[study_id, name] = row.id
        return known

    def study(self, connection: Connection, study_id: int, version: int | None = None) -> Study:
        """Return a study at a version, from memory if that is the one remembered."""
        known = self._studies.get(study_id)
        if known is None or known.version != version:
            row = studies.get_study(connection, study_id)
            known = study_of(row, studies.unserved_workers(connection, study_id))
            self._studies[study_id] = known
        return known

    def design_of(self, name: str) -> str:
        """Return the name of a study's design, which never changes."""
        study_id = self.study_id(name)
        known = self._studies.get(study_id)
        if known is None:
            with self.database.read() as connection:
                known = self.study(connection, study_id)
        return known.settings.design

    def worker_id(self, connection: Connection, study_id: int, name: str) -> int | None:
        """Return the id of a worker who has been here before, from memory if they are in it."""
        known = self._worker_ids.get((study_id, name))
        if known is None:
            row = studies.find_worker(connection, study_id, name)
            if row is None:
                return None
            if len(self._worker_ids) >= MOST_WORKERS:
                self._worker_ids.clear()
            known = self._worker_ids[study_id, name] = row.id
        return known

    def is_done(self, topic_id: int, version: int) -> bool:
        """Say whether nothing was left to ask of a topic when it last changed."""
        return self._done.get(topic_id) == version

    def remember_done(self, topic_id: int, version: int) -> None:
        """Keep in mind that at this version nothing is left to ask."""
        self._done[topic_id] = version

    def change(self, topic_id: int, act: Act[Result]) -> Result:
        """Let an act change a topic, or find that there is nothing to change.

        What this process remembers of a topic is mostly still true, so the act decides from that
        first, and the write itself finds out whether it was: one statement less, and others wait
        for the topic only while it is written to. Any other end than a change that was written, an
        error for one, could come from what is old; then the act decides again, under the lock.
        """
        if self.group is not None:
            return self.group.change(topic_id, act)
        with self.topics.hold(topic_id, patient=self.patient) as slot:
            step = self._act_at_once(slot, act)
            if step is None and not self.patient:
                raise WouldWait()
            if step is None:
                with self.database.write() as connection:
                    step = self._act_unlocked(connection, slot, act)
                    if step is None:
                        step = self._act_locked(connection, slot, topic_id, act)
            if step.change is not None and slot.live is not None:
                with slot.moving():
                    slot.live.apply(step.change)
        return step.result

    def _act_at_once(self, slot: Slot, act: Act[Result]) -> Step[Result] | None:
        """Act in a single statement, where statements are journeys."""
        if self.database.is_sqlite or slot.live is None:
            return None
        try:
            with self.database.at_once() as connection:
                return attempt(connection, slot.live, act, write_at_once)
        except Unavailable:
            if self.patient:
                raise
            return None

    def _act_unlocked(
        self, connection: Connection, slot: Slot, act: Act[Result]
    ) -> Step[Result] | None:
        """Act on what is remembered; where that was tried at once already, it is likely old."""
        if not self.database.is_sqlite or slot.live is None:
            return None
        return attempt(connection, slot.live, act, write)

    def _act_locked(
        self, connection: Connection, slot: Slot, topic_id: int, act: Act[Result]
    ) -> Step[Result]:
        head = topics.lock_topic(connection, topic_id)
        if head is None:
            raise UnknownTopic()
        live = self.catch_up(connection, slot, topic_id, head)
        step = act(connection, live, True)
        assert step is not None, "an act that has the lock decides"
        if step.change is not None and not write(connection, live, step):
            # Only a study that was changed in this very moment can do that.
            raise Unavailable("the study is being changed; try again")
        return step

    @contextmanager
    def look(self, topic_id: int) -> Iterator[LiveTopic]:
        """Have a topic as it is now, without keeping other processes from changing it."""
        with self.topics.hold(topic_id) as slot:
            with self.database.read() as connection:
                head = topics.topic_head(connection, topic_id)
                live = self.catch_up(connection, slot, topic_id, head)
            yield live

    def said(self, live: LiveTopic) -> Said:
        """Return a topic's answers, as far as it has come in memory, for scores of all of them."""
        with self.database.read() as connection:
            study = self.study(connection, live.head.study_id, live.head.study_version)
            rows = judgments.counting(connection, live.row.id)
        return said_of(study, live, [row for row in rows if row.number <= live.head.position])

    def catch_up(
        self, connection: Connection, slot: Slot, topic_id: int, head: TopicHead
    ) -> LiveTopic:
        """Bring a topic in memory to its newest version."""
        with slot.moving(), unswept() if slot.live is None else nullcontext():
            live = slot.live
            if live is None:
                study = self.study(connection, head.study_id, head.study_version)
                row = topics.get_topic(connection, topic_id)
                live = load(connection, row, study)
            if live.head.version != head.version:
                live.apply(news(connection, topic_id, live, head))
            live.head = head
            slot.live = live
        return live


def said_of(study: Study, live: LiveTopic, rows: Sequence[JudgmentRow]) -> Said:
    """Put the judgments of a topic that count as its answers."""
    work = [row for row in rows if row.purpose == Purpose.WORK]
    return Said(study.design, len(live.state.documents), work, _traps(study, live, rows))


def _traps(
    study: Study, live: LiveTopic, rows: Sequence[JudgmentRow]
) -> list[tuple[JudgmentRow, Outcome | float]]:
    known = {gold.pair: study.design.known(gold.answer) for gold in live.golds if not gold.quiz}
    return [(row, known[row.first, row.second]) for row in rows if row.purpose == Purpose.TRAP]
