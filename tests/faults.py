"""Faults that befall a service while a crowd judges: its processes are killed or frozen."""

import os
import random
import shutil
import signal
import sqlite3
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

from crowds import Place, pool, until
from installations import serving
from processes import children, connections, is_gone

from nextpair.app.client import Client
from nextpair.app.schemas.topics import TopicIn


class Supply:
    """Topics that are added while workers have run out of questions, so that load never ends."""

    def __init__(self, place: Place, documents: int) -> None:
        self._place = place
        self._documents = documents
        self.topics: list[TopicIn] = []

    def refill(self, client: Client) -> None:
        """Add a topic unless one is being judged."""
        if client.study_progress(self._place.study).finished == len(self.topics):
            topic = pool(f"topic-{len(self.topics)}", self._documents)
            client.add_topic(self._place.study, topic)
            self.topics.append(topic)


class Killer:
    """Kills processes that are serving, at random moments."""

    def __init__(self, pid: int, supply: Supply, port: int, kills: int) -> None:
        self._pid = pid
        self._supply = supply
        self._port = port
        self._kills = kills
        self._chance = random.Random(7)
        self.killed: list[int] = []

    def __call__(self, client: Client, over: threading.Event) -> None:
        while len(self.killed) < self._kills and not over.wait(self._chance.uniform(0.05, 0.6)):
            self._supply.refill(client)
            busy = [one for one in children(self._pid) if connections(one, self._port)]
            if busy:
                self.killed.append(doomed := self._chance.choice(busy))
                os.kill(doomed, signal.SIGKILL)
                until(lambda doomed=doomed: is_gone(doomed), "the process is gone")  # type: ignore[misc]


class Freezer:
    """Freezes serving processes for a while, as a machine without memory does.

    Parameters
    ----------
    times
        How often; for how long is drawn between `shortest` and `longest` seconds.
    """

    def __init__(
        self,
        pid: int,
        supply: Supply,
        port: int,
        times: int,
        shortest: float = 0.2,
        longest: float = 2.0,
    ) -> None:
        self._pid = pid
        self._supply = supply
        self._port = port
        self._times = times
        self._seconds = shortest, longest
        self._chance = random.Random(13)
        self.frozen: list[int] = []

    def __call__(self, client: Client, over: threading.Event) -> None:
        while len(self.frozen) < self._times and not over.wait(self._chance.uniform(0.05, 0.6)):
            self._supply.refill(client)
            busy = [one for one in children(self._pid) if connections(one, self._port)]
            if busy:
                self.frozen.append(held := self._chance.choice(busy))
                # One that was silent for too long may have been replaced meanwhile.
                with suppress(ProcessLookupError):
                    os.kill(held, signal.SIGSTOP)
                    over.wait(self._chance.uniform(*self._seconds))
                    os.kill(held, signal.SIGCONT)


class Restarter:
    """Kills a whole service in the middle of load, and starts it again on the same file."""

    def __init__(self, url: str, port: int, supply: Supply, folder: Path, restarts: int) -> None:
        self._url = url
        self._restarts = restarts
        self._port = port
        self._supply = supply
        self._folder = folder
        self._chance = random.Random(11)
        self._stack = ExitStack()
        self.pid = 0

    def start(self) -> str:
        """Start the service; return its address."""
        address, self.pid = self._stack.enter_context(serving(self._url, 2, self._port))
        return address

    def stop(self) -> None:
        """Stop the service as one should."""
        self._stack.close()

    def __call__(self, client: Client, over: threading.Event) -> None:
        for _ in range(self._restarts):
            self._supply.refill(client)
            until(lambda: any(connections(one, self._port) for one in children(self.pid)), "load")
            over.wait(self._chance.uniform(0.2, 1.0))
            self._kill()
            self.check_file()
            self.start()
        self._supply.refill(client)

    def _kill(self) -> None:
        doomed = [*children(self.pid), self.pid]
        for process in doomed:
            os.kill(process, signal.SIGKILL)
        self._stack.close()
        until(lambda: all(is_gone(one) for one in doomed), "all processes are gone")

    def check_file(self) -> None:
        """Look at a copy: the service must find everything as the dead left it."""
        file = Path(self._url.removeprefix("sqlite:///"))
        for part in file.parent.glob(f"{file.name}*"):
            shutil.copy(part, self._folder)
        with sqlite3.connect(self._folder / file.name) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()
