"""The faults: processes killed or frozen, a silent database, a full disk, a clock set back."""

import itertools
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from crowds import Place
from faults import Freezer, Killer, Restarter, Supply
from installations import new_database, new_key, postgresql, reserved_port, serving
from silent_proxy import SilentProxy, silent_proxy

from benchmarks.holding import clocked
from benchmarks.holding.ground import STUDY, Ground, Outcome
from nextpair.app.client import Client

BUSY_SECONDS = 5
"""How long the service waits for its database: less than the silences last."""
DISK_MB = 24
BLOCK = 4096
DAY = 86_400.0
JUMPS = (-DAY, 0.0, 3600.0, -3600.0, DAY, 0.0)
"""What is added to the clock, one after the other, as often as the fault is to happen."""


@contextmanager
def on_postgresql(processes: int) -> Iterator[Ground]:
    """Serve from PostgreSQL."""
    with postgresql() as server, new_database(server) as url, ExitStack() as stack:
        yield served(stack, url, url, processes)


def served(stack: ExitStack, url: str, by: str, processes: int, **more: Any) -> Ground:
    """Serve from a database, which the service reaches by an address of its own."""
    key = new_key(url)
    address, pid = stack.enter_context(serving(by, processes, **more))
    ground = Ground(url, Place(address, key, STUDY), processes, lambda: pid)
    ground.begin()
    return ground


def killed(times: int) -> Outcome:
    """Kill serving processes, one at a time."""
    with on_postgresql(3) as ground:
        fault = Killer(ground.pid(), ground.supply, ground.port, times)
        told = "a process killed (SIGKILL), 3 on PostgreSQL"
        return ground.play(told, fault, lambda: len(fault.killed))


def restarted(times: int) -> Outcome:
    """Kill the whole service, look at its file, and start it again."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "copies").mkdir()
        url, port = f"sqlite:///{folder / 'nextpair.db'}", stack.enter_context(reserved_port())
        place = Place(f"http://127.0.0.1:{port}", new_key(url), STUDY)
        ground = Ground(url, place, 2, lambda: fault.pid)
        fault = Restarter(url, port, ground.supply, folder / "copies", times)
        stack.callback(fault.stop)
        fault.start()
        ground.begin()
        told = "the whole service killed and started again, 2 on SQLite"
        return ground.play(told, fault, lambda: times)


def frozen(times: int) -> Outcome:
    """Freeze serving processes for seconds."""
    with on_postgresql(3) as ground:
        fault = Freezer(ground.pid(), ground.supply, ground.port, times, 0.5, 6.0)
        told = "a process frozen for 0.5 to 6 s, 3 on PostgreSQL"
        return ground.play(told, fault, lambda: len(fault.frozen))


class Periodic:
    """A fault that comes and goes.

    Parameters
    ----------
    befall
        Makes what holds the fault for as long as it is entered.
    shortest, longest
        How many seconds it stays.
    """

    def __init__(
        self,
        supply: Supply,
        times: int,
        befall: Callable[[], AbstractContextManager[None]],
        shortest: float,
        longest: float,
    ) -> None:
        self._supply = supply
        self._times = times
        self._befall = befall
        self._seconds = shortest, longest
        self._chance = random.Random(17)
        self.count = 0

    def __call__(self, client: Client, over: threading.Event) -> None:
        while self.count < self._times and not over.wait(self._chance.uniform(0.5, 2.0)):
            self._supply.refill(client)
            # So that there is load when it comes.
            over.wait(0.5)
            with self._befall():
                over.wait(self._chance.uniform(*self._seconds))
            self.count += 1


def partitioned(times: int) -> Outcome:
    """Drop whatever passes between the service and its database, for seconds."""
    with ExitStack() as stack:
        url = stack.enter_context(new_database(stack.enter_context(postgresql())))
        proxy: SilentProxy = stack.enter_context(silent_proxy(url))
        ground = served(stack, url, proxy.url, 2, busy_seconds=BUSY_SECONDS)
        fault = Periodic(ground.supply, times, proxy.silence, 0.5, 3.0 * BUSY_SECONDS)
        told = f"PostgreSQL silent for 0.5 to {3 * BUSY_SECONDS} s, 2 processes"
        return ground.play(told, fault, lambda: fault.count)


def filled(times: int) -> Outcome:
    """Fill the disk that the database is on."""
    with ExitStack() as stack:
        folder = stack.enter_context(small_disk())
        url = f"sqlite:///{folder / 'nextpair.db'}"
        ground = served(stack, url, url, 1, busy_seconds=BUSY_SECONDS)
        fault = Periodic(ground.supply, times, lambda: full(folder), 0.5, 3.0)
        told = "the disk full for 0.5 to 3 s, 1 process on SQLite"
        return ground.play(told, fault, lambda: fault.count)


@contextmanager
def small_disk() -> Iterator[Path]:
    """Yield a folder that is a disk of its own; only root may make one."""
    with tempfile.TemporaryDirectory() as folder:
        size = f"size={DISK_MB}m"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "nextpair-hold", folder], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def full(folder: Path) -> Iterator[None]:
    """Leave no room on a disk."""
    filler = folder / "filler"
    try:
        with suppress(OSError), filler.open("wb", buffering=0) as file:
            while file.write(bytes(BLOCK)):
                pass
        yield
    finally:
        filler.unlink()


def clock_set(times: int) -> Outcome:
    """Set the clock of the service back and forward, by up to a day."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        offset = folder / "offset"
        offset.write_text("0", encoding="utf-8")
        os.environ[clocked.OFFSET] = str(offset)
        stack.callback(os.environ.pop, clocked.OFFSET)
        url = f"sqlite:///{folder / 'nextpair.db'}"
        program = [sys.executable, clocked.__file__]
        ground = served(stack, url, url, 2, program=program)
        jumps = itertools.cycle(JUMPS)

        @contextmanager
        def jump() -> Iterator[None]:
            offset.write_text(str(next(jumps)), encoding="utf-8")
            yield

        fault = Periodic(ground.supply, times, jump, 0.5, 2.0)
        told = "the clock set back and forward by up to a day, 2 on SQLite"
        return ground.play(told, fault, lambda: fault.count)


SCENES: dict[str, Callable[[int], Outcome]] = {
    "kill": killed,
    "restart": restarted,
    "partition": partitioned,
    "freeze": frozen,
    "disk": filled,
    "clock": clock_set,
}
