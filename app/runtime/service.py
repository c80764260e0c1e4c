"""What every use case needs: the database, and what this process remembers of it."""

import copy
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress

from starlette.concurrency import run_in_threadpool

from nextpair.app.errors import UnknownStudy, UnknownTopic
from nextpair.app.results.scores import Said
from nextpair.app.runtime.document_texts import Texts
from nextpair.app.runtime.group_commit import Group, GroupCommitter, group
from nextpair.app.runtime.projection import LiveTopic, load, news, unswept
from nextpair.app.runtime.topic_cache import Slot, TopicCache, WouldWait
from nextpair.app.runtime.transactor import Transactor
from nextpair.app.runtime.unit_of_work import Act, Result
from nextpair.app.security.pseudonyms import Pseudonyms
from nextpair.app.security.receipts import Receipts
from nextpair.app.security.tokens import SessionSigner, TokenSigner
from nextpair.app.settings import MB, Settings
from nextpair.app.studies.study import Study, study_of
from nextpair.selectors.state.judgments import Outcome
from nextpair.storage import judgments, keys, studies, topics
from nextpair.storage.database import Connection, Database
from nextpair.storage.rows import JudgmentRow, Purpose, TopicHead

MOST_WORKERS = 100_000
"""How many workers' ids are remembered, and how many topics on which nothing is left to ask."""


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
            # The other threads read meanwhile.
            most_waiting=max(1, settings.threads // 2),
        )
        self.topics = TopicCache(settings.cache_mb * MB, settings.busy_seconds)
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
        self._done: dict[tuple[int, int | None], int] = {}
        self.stopping = threading.Event()
        self.group: Group | None = None
        self._transactor = Transactor(self.database, self.topics, self.catch_up)
        self._committer = self._group_committer()

    def _group_committer(self) -> "GroupCommitter[Service] | None":
        """Make what commits together: who is alone on SQLite never waits for another writer."""
        if not self.database.is_sqlite or self.settings.processes > 1:
            return None
        return GroupCommitter(self._begin, self.settings.busy_seconds)

    @contextmanager
    def _begin(self, seconds: float) -> Iterator[tuple["Service", Group]]:
        """Make the same service, over the same memory, whose changes are committed together."""
        try:
            with group(self.database, self.topics, seconds) as changes:
                service = copy.copy(self)
                service.group = changes
                yield service, changes
        except BaseException:
            # What they tell may have been read from what is now undone.
            for known in (self._worker_ids, self._studies, self._done):
                known.clear()
            raise

    def close(self) -> None:
        """Give back the database."""
        if self._committer is not None:
            self._committer.close()
        self.database.close()

    async def do(self, use_case: Callable[["Service"], Result]) -> Result:
        """Run a use case that changes one topic, in a thread: nothing waits on the event loop.

        Where one process serves, on SQLite, changes that come at the same moment are committed
        together. A thread of its own is for what has to wait meanwhile: for a topic to be read, or
        one that another is changing.
        """
        if self._committer is not None:
            with suppress(WouldWait):
                return await self._committer.do(use_case)
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

    def is_done(self, topic_id: int, version: int, worker_id: int | None) -> bool:
        """Say whether nothing was left to ask of a topic when it last changed.

        Parameters
        ----------
        worker_id
            Who asks, where that matters: who is checked may have a batch to be concluded.
        """
        return self._done.get((topic_id, worker_id)) == version

    def remember_done(self, topic_id: int, version: int, worker_id: int | None) -> None:
        """Keep in mind that at this version nothing is left to ask."""
        if len(self._done) >= MOST_WORKERS:
            self._done.clear()
        self._done[topic_id, worker_id] = version

    def change(self, topic_id: int, act: Act[Result]) -> Result:
        """Let an act change a topic, or find that there is nothing to change.

        Nothing is told before it is committed.
        """
        if self.group is not None:
            return self.group.change(topic_id, act)
        return self._transactor.change(topic_id, act)

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
