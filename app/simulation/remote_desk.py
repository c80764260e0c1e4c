"""A desk at a service: the same run as in this process, over HTTP.

Every run of a plan over all topics is a study of its own, every topic in it has the seed the run
gave it, and nobody else asks there: the service then chooses as a topic in this process would.
"""

import hashlib
import secrets
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from nextpair.app.client import Client
from nextpair.app.client.uploads import upload_pool
from nextpair.app.designs import preference
from nextpair.app.enums import Reason
from nextpair.app.formats.pools import Pool, PoolDocument
from nextpair.app.formats.upload_pools import Unsendable
from nextpair.app.names import clean_name
from nextpair.app.schemas.judging import AssignmentOut
from nextpair.app.simulation.desk import Desk, OpenDesk
from nextpair.app.simulation.runs import Plan
from nextpair.app.simulation.truths import Answer, Question
from nextpair.selectors.base import End, Idle
from nextpair.selectors.errors import NextpairError
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Pair, unordered
from nextpair.selectors.state.settings import Settings

LEASE_SECONDS = 10.0**7
"""No question may come back only because the others take their time."""


class Stopped(NextpairError):
    """The simulation was stopped."""

    code = "stopped"


class RemoteDesk:
    """A topic at a service, which decides the sides; here a pair is known by its ids.

    Parameters
    ----------
    stopped
        Set when the simulation is interrupted: a thread cannot be, but it can be sent away.
    """

    def __init__(
        self,
        client: Client,
        study: str,
        topic: str,
        documents: Sequence[Document],
        stopped: threading.Event,
    ) -> None:
        self._client, self._study, self._topic = client, study, topic
        self._places = {document.id: place for place, document in enumerate(documents)}
        self._held: dict[tuple[Pair, str], AssignmentOut] = {}
        self._stopped = stopped

    def ask(self, worker: str) -> Question | Idle:
        """Hand out a pair, on the sides the service shows it."""
        if self._stopped.is_set():
            raise Stopped()
        said = self._client.next(self._study, worker, topic=self._topic, documents=False)
        if said.reason in (Reason.CAP, Reason.PAUSED):
            raise NextpairError(f"study {self._study!r} hands out no more questions: {said.reason}")
        if not said.assignments:
            return Idle(str(said.reason))
        (assignment,) = said.assignments
        left, right = (self._places[one.id] for one in assignment.shown)
        shown = (left, right)
        pair = unordered(*shown)
        self._held[pair, worker] = assignment
        return Question(pair, swapped=shown != pair)

    def answer(self, pair: Pair, worker: str, answer: Answer) -> None:
        """Take a pair back. Whoever was asked has answered, whoever's answer that once was."""
        assignment = self._held.pop((pair, worker))
        left_is_first = self._places[assignment.shown[0].id] == pair[0]
        told = answer.outcome if left_is_first else answer.outcome.reversed
        self._client.judge(assignment, preference.say(told).preference)

    def scores(self) -> NDArray[np.float64]:
        """Return the scores of the service's ranking, NaN for documents nobody has judged."""
        found = np.full(len(self._places), np.nan)
        for ranked in self._client.ranking(self._study, self._topic).documents:
            if ranked.score is not None:
                found[self._places[ranked.document]] = ranked.score
        return found

    def conflicts(self) -> int:
        """Count the conflicts the service knows of."""
        return self._client.progress(self._study, self._topic).conflicts

    def ended(self) -> End | None:
        """Say why nothing is left to ask, where that is so."""
        return self._client.progress(self._study, self._topic).ended


class RemoteDesks:
    """Opens desks at a service; many threads may do so at once.

    Parameters
    ----------
    run
        What the names of the studies have in common; no two simulations may share it.
    """

    def __init__(self, client: Client, run: str | None = None) -> None:
        self._client = client
        self._run = run or secrets.token_hex(4)
        self._studies: dict[tuple[int, int], str] = {}
        self._stopped = threading.Event()

    def prepare(self, plans: Sequence[Plan], seeds: Iterable[int]) -> list[str]:
        """Add a study for every plan and repeat; return their names."""
        for seed in seeds:
            for place, plan in enumerate(plans):
                name = f"simulation-{self._run}-{place + 1}-{plan.selector}-seed-{seed}"
                self._add_study(name, plan)
                self._studies[place, seed] = name
        return [*self._studies.values()]

    def _add_study(self, name: str, plan: Plan) -> None:
        try:
            self._client.create_study(
                name,
                title=f"nextpair simulate: {plan.selector}",
                selector=plan.selector,
                options=dict(plan.options),
                votes=plan.votes,
                on_conflict=plan.on_conflict,
                lease_seconds=LEASE_SECONDS,
            )
        except TypeError as error:
            raise Unsendable(str(error)) from None

    def at(self, place: int, seed: int, topic: str) -> OpenDesk:
        """Say where a topic of a plan's repeat is judged."""

        def open_desk(documents: Sequence[Document], settings: Settings) -> Desk:
            study, name = self._studies[place, seed], _name(topic)
            pool = Pool(
                name,
                title=topic[:1000],
                documents=[
                    PoolDocument(one.id, features=one.features, prior=one.prior)
                    for one in documents
                ],
            )
            upload_pool(self._client, study, pool, settings.seed)
            return RemoteDesk(self._client, study, name, documents, self._stopped)

        return open_desk

    def stop(self) -> None:
        """Let whoever asks next at any of the desks be sent away."""
        self._stopped.set()


def _name(topic: str) -> str:
    """Call a topic as the file does, unless that cannot stand in an address."""
    with suppress(ValueError):
        return clean_name(topic)
    return f"topic-{hashlib.sha256(topic.encode()).hexdigest()[:12]}"
