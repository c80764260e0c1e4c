"""A service under load: a crowd judges topic after topic while a fault befalls it again and again.

What counts is what workers were told. Afterwards the tables, the log and the ranking of every
process are audited against that.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from audits import check_everywhere, check_told
from crowds import Habits, Place, crowd
from faults import Supply

from nextpair.app.client import Client

VOTES = 3
LEASE = 2.0
"""Seconds, so that what was in the hands of the dead comes back while the load lasts."""
DOCUMENTS = 24
"""Of a topic: whenever one is finished, the next is added."""
PEOPLE = Habits(error=0.1, undo=0.05, skip=0.03, forget=0.03, counts=(1, 1, 3), seconds=0.1)
WORKERS = 16
STUDY = "judged"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it.

    Parameters
    ----------
    fault
        What befell the service, and where.
    faults
        How often.
    acknowledged
        Answers that workers were told are kept.
    undone
        Those of them that their workers took back.
    wrong
        What the audits found; nothing if all is as it should be.
    """

    fault: str
    faults: int
    acknowledged: int
    undone: int
    topics: int
    seconds: float
    wrong: str = ""


Fault = Callable[[Client, threading.Event], None]
"""Befalls a service while a crowd judges, again and again, and then lets it be."""


@dataclass
class Ground:
    """A study of a service that runs.

    Parameters
    ----------
    pid
        Says which process leads the service; it may be another after a restart.
    """

    url: str
    place: Place
    processes: int
    pid: Callable[[], int]
    supply: Supply = field(init=False)

    def __post_init__(self) -> None:
        self.supply = Supply(self.place, DOCUMENTS)

    @property
    def port(self) -> int:
        """Where the service listens."""
        return int(self.place.address.rpartition(":")[2])

    def begin(self) -> None:
        """Add the study."""
        with Client(self.place.address, self.place.key) as client:
            client.create_study(
                self.place.study,
                selector="merge-tie-random",
                votes=VOTES,
                lease_seconds=LEASE,
                seed=3,
            )

    def play(self, name: str, fault: Fault, count: Callable[[], int]) -> Outcome:
        """Let the crowd judge while a fault happens; audit everything when all is judged."""
        started = time.monotonic()
        names = [f"worker-{number}" for number in range(WORKERS)]
        notes = crowd(self.place, names, PEOPLE, fault, stay=True)
        topics = self.supply.topics
        wrong = ""
        try:
            check_told(self.place, topics, notes, VOTES)
            check_everywhere(self.url, self.pid(), self.processes, self.place, topics)
        except AssertionError as error:
            wrong = str(error).splitlines()[0]
        return Outcome(
            name,
            count(),
            sum(len(one.judged) for one in notes),
            sum(len(one.undone) for one in notes),
            len(topics),
            time.monotonic() - started,
            wrong,
        )
