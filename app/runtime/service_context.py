"""The process context that every use case runs with: the database, and caches of it."""

import copy
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress

from starlette.concurrency import run_in_threadpool

from nextpair.app.errors import UnknownStudy, UnknownTopic
from nextpair.app.runtime.document_cache import DocumentCache
from nextpair.app.runtime.group_commit import CommitGroup, GroupCommitter, commit_group
from nextpair.app.runtime.projection import TopicProjection, delta_since, gc_paused, load_projection
from nextpair.app.runtime.topic_cache import Slot, TopicCache, WouldBlock
from nextpair.app.runtime.transactor import Transactor
from nextpair.app.runtime.unit_of_work import Decision, Result
from nextpair.app.security.pseudonyms import Pseudonyms
from nextpair.app.security.receipts import Receipts
from nextpair.app.security.tokens import SessionSigner, TokenSigner
from nextpair.app.settings import MB, ServiceSettings
from nextpair.app.studies.study import Study, study_of
from nextpair.storage import keys, studies, topics
from nextpair.storage.database import Connection, Database
from nextpair.storage.rows import TopicHead

MOST_WORKERS = 100_000
"""How many workers' ids are cached, and how many topics on which nothing is left to ask."""


class ServiceContext:
    """What one process shares between use cases: database, projections, caches and signers.

    Parameters
    ----------
    clock
        Returns the time that decides whether the token of an assignment has expired.
    """

    def __init__(self, settings: ServiceSettings, clock: Callable[[], float] = time.time) -> None:
        self.settings = settings
        self.database = Database(
            settings.database.get_secret_value(),
            pool_size=settings.pool_size,
            busy_seconds=settings.busy_seconds,
            # So that other threads can still read while these wait for the write lock.
            most_waiting=max(1, settings.threads // 2),
        )
        self.topics = TopicCache(settings.cache_mb * MB, settings.busy_seconds)
        self.documents = DocumentCache(self.database, settings.cache_mb * MB // 8)
        with self.database.write() as connection:
            secret = keys.secret(connection, keys.SIGNING, secrets.token_hex(32))
        self.tokens = TokenSigner(secret, settings.token_days, clock)
        self.pseudonyms = Pseudonyms(secret)
        self.sessions = SessionSigner(secret)
        self.receipts = Receipts(secret)
        self._studies: dict[int, Study] = {}
        # These caches need no invalidation: studies and topics are never renamed or deleted.
        self._study_ids: dict[str, int] = {}
        self._topic_ids: dict[tuple[int, str], int] = {}
        self._worker_ids: dict[tuple[int, str], int] = {}
        self._exhausted: dict[tuple[int, int | None], int] = {}
        self.stopping = threading.Event()
        self.commit_group: CommitGroup | None = None
        self._transactor = Transactor(self.database, self.topics, self.catch_up)
        self._committer = self._group_committer()

    def _group_committer(self) -> "GroupCommitter[ServiceContext] | None":
        """Make the group committer where one process serves on SQLite: it is the only writer."""
        if not self.database.is_sqlite or self.settings.processes > 1:
            return None
        return GroupCommitter(self._begin, self.settings.busy_seconds)

    @contextmanager
    def _begin(self, seconds: float) -> Iterator[tuple["ServiceContext", CommitGroup]]:
        """Begin a commit group, and yield a copy of this context whose changes join that group.

        The copy is shallow: both share the caches.
        """
        try:
            with commit_group(self.database, self.topics, seconds) as group:
                context = copy.copy(self)
                context.commit_group = group
                yield context, group
        except BaseException:
            # These may have been read from the transaction that was rolled back.
            for cache in (self._worker_ids, self._studies, self._exhausted):
                cache.clear()
            raise

    def close(self) -> None:
        """Stop the committer, and close the database's connections."""
        if self._committer is not None:
            self._committer.close()
        self.database.close()

    async def execute(self, use_case: Callable[["ServiceContext"], Result]) -> Result:
        """Run a use case that changes one topic, in a thread: nothing blocks the event loop.

        Where one process serves, on SQLite, use cases that come at the same moment share a
        transaction. One that would block the others (its topic is not loaded, or is contended) runs
        in a thread of its own.
        """
        if self._committer is not None:
            with suppress(WouldBlock):
                return await self._committer.execute(use_case)
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
        """Return a study at a version, from the cache if it has that version."""
        known = self._studies.get(study_id)
        if known is None or known.version != version:
            row = studies.get_study(connection, study_id)
            known = study_of(row, studies.unserved_workers(connection, study_id))
            self._studies[study_id] = known
        return known

    def design_of(self, name: str) -> str:
        """Return the name of a study's design, which never changes after its creation."""
        study_id = self.study_id(name)
        known = self._studies.get(study_id)
        if known is None:
            with self.database.read() as connection:
                known = self.study(connection, study_id)
        return known.settings.design

    def worker_id(self, connection: Connection, study_id: int, name: str) -> int | None:
        """Return the id of a worker, from the cache if it is there; None for a new worker."""
        known = self._worker_ids.get((study_id, name))
        if known is None:
            row = studies.find_worker(connection, study_id, name)
            if row is None:
                return None
            if len(self._worker_ids) >= MOST_WORKERS:
                self._worker_ids.clear()
            known = self._worker_ids[study_id, name] = row.id
        return known

    def is_exhausted(self, topic_id: int, version: int, worker_id: int | None) -> bool:
        """Say whether a topic at this version is known to have nothing left to ask.

        Parameters
        ----------
        worker_id
            Who asks; None where that makes no difference. It does where workers are checked: one of
            them may have a batch that is still to be evaluated.
        """
        return self._exhausted.get((topic_id, worker_id)) == version

    def remember_exhausted(self, topic_id: int, version: int, worker_id: int | None) -> None:
        """Note that a topic at this version has nothing left to ask."""
        if len(self._exhausted) >= MOST_WORKERS:
            self._exhausted.clear()
        self._exhausted[topic_id, worker_id] = version

    def transact(self, topic_id: int, decide: Decision[Result]) -> Result:
        """Make a decision on a topic and write its unit of work, in the group if there is one.

        Without a group it is committed on return; a group answers its requests after its commit.
        """
        if self.commit_group is not None:
            return self.commit_group.transact(topic_id, decide)
        return self._transactor.transact(topic_id, decide)

    @contextmanager
    def projection_of(self, topic_id: int) -> Iterator[TopicProjection]:
        """Yield the projection of a topic as it is now; the database's row is not locked."""
        with self.topics.hold(topic_id) as slot:
            with self.database.read() as connection:
                head = topics.topic_head(connection, topic_id)
                projection = self.catch_up(connection, slot, topic_id, head)
            yield projection

    def catch_up(
        self, connection: Connection, slot: Slot, topic_id: int, head: TopicHead
    ) -> TopicProjection:
        """Bring a projection to the newest version; load it if it is not in memory."""
        with slot.invalidated_on_error(), gc_paused() if slot.projection is None else nullcontext():
            projection = slot.projection
            if projection is None:
                study = self.study(connection, head.study_id, head.study_version)
                row = topics.get_topic(connection, topic_id)
                projection = load_projection(connection, row, study)
            if projection.head.version != head.version:
                projection.apply(delta_since(connection, topic_id, projection, head))
            projection.head = head
            slot.projection = projection
        return projection
