"""What every use case needs: the database, and what this process remembers of it."""

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from nextpair.app.errors import UnknownStudy, UnknownTopic
from nextpair.app.judging.cache import Slot, TopicCache
from nextpair.app.judging.live import LiveTopic, load, news
from nextpair.app.judging.study import Study, study_of
from nextpair.app.judging.texts import Texts
from nextpair.app.judging.tokens import TokenSigner
from nextpair.app.settings import MB, Settings
from nextpair.storage import keys, studies, topics
from nextpair.storage.database import Connection, Database
from nextpair.storage.rows import TopicHead


class Service:
    """One process's view of an installation."""

    def __init__(self, settings: Settings) -> None:
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
        self.tokens = TokenSigner(secret, settings.token_days)
        self._studies: dict[int, Study] = {}
        # Names never change hands: a study or topic is not renamed, and not deleted.
        self._study_ids: dict[str, int] = {}
        self._topic_ids: dict[tuple[int, str], int] = {}
        self._worker_ids: dict[tuple[int, str], int] = {}
        self._done: dict[int, int] = {}
        self._mutex = threading.Lock()

    def close(self) -> None:
        """Give back the database."""
        self.database.close()

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
            known = study_of(row, studies.blocked_workers(connection, study_id))
            self._studies[study_id] = known
        return known

    def worker_id(self, connection: Connection, study_id: int, name: str, now: float) -> int:
        """Return a worker's id; whoever comes for the first time is enlisted."""
        known = self._worker_ids.get((study_id, name))
        return known or studies.enlist_worker(connection, study_id, name, now).id

    def known_worker_id(self, connection: Connection, study_id: int, name: str) -> int | None:
        """Return the id of a worker who has been here before."""
        known = self._worker_ids.get((study_id, name))
        if known is None:
            row = studies.find_worker(connection, study_id, name)
            known = row.id if row else None
        return known

    def remember_worker(self, study_id: int, name: str, worker_id: int) -> None:
        """Keep a worker's id, which is now committed."""
        with self._mutex:
            if len(self._worker_ids) >= 100_000:
                self._worker_ids.clear()
            self._worker_ids[study_id, name] = worker_id

    def is_done(self, topic_id: int, version: int) -> bool:
        """Say whether nothing was left to ask of a topic when it last changed."""
        return self._done.get(topic_id) == version

    def remember_done(self, topic_id: int, version: int) -> None:
        """Keep in mind that at this version nothing is left to ask."""
        self._done[topic_id] = version

    def lock(
        self, connection: Connection, slot: Slot, topic_id: int
    ) -> tuple[LiveTopic, TopicHead]:
        """Have a topic alone in the whole installation, and catch up with it."""
        head = topics.lock_topic(connection, topic_id)
        if head is None:
            raise UnknownTopic()
        return self.catch_up(connection, slot, topic_id, head), head

    @contextmanager
    def look(self, topic_id: int) -> Iterator[LiveTopic]:
        """Have a topic as it is now, without keeping other processes from changing it."""
        with self.topics.hold(topic_id) as slot:
            with self.database.read() as connection:
                head = topics.topic_head(connection, topic_id)
                live = self.catch_up(connection, slot, topic_id, head)
            yield live

    def catch_up(
        self, connection: Connection, slot: Slot, topic_id: int, head: TopicHead
    ) -> LiveTopic:
        """Bring a topic in memory to its newest version."""
        live = slot.live
        if live is None:
            study = self.study(connection, head.study_id, head.study_version)
            row = topics.get_topic(connection, topic_id)
            live = load(connection, row, study.settings.for_topic(row.seed))
        if live.version != head.version:
            live.apply(news(connection, topic_id, live, head))
        slot.live = live
        return live
