"""The judging backend at a service: the same run as in this process, over HTTP.

Every run of a plan is a study of its own, each of its topics has the seed of the run, and there are
no other workers: so the service selects the same pairs as a topic in this process would.
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
from nextpair.app.formats.upload_pools import InvalidUpload
from nextpair.app.names import clean_name
from nextpair.app.schemas.judging import AssignmentOut
from nextpair.app.simulation.ground_truth import ShownPair, WorkerAnswer
from nextpair.app.simulation.judging_backend import JudgingBackend, OpenBackend
from nextpair.app.simulation.runs import SimulationPlan
from nextpair.selectors.base import End, Idle
from nextpair.selectors.errors import NextpairError
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Pair, unordered
from nextpair.selectors.state.settings import Settings

LEASE_SECONDS = 10.0**7
"""Long enough that no lease expires during a simulation."""


class SimulationStopped(NextpairError):
    """The simulation was stopped."""

    code = "stopped"


class RemoteBackend:
    """Judges a topic at a service, which decides the sides of each pair.

    Parameters
    ----------
    stopped
        Set when the simulation is interrupted: threads cannot be, but their next call fails.
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

    def ask(self, worker: str) -> ShownPair | Idle:
        """Request a pair, with the sides that the service chose."""
        if self._stopped.is_set():
            raise SimulationStopped()
        issued = self._client.next(self._study, worker, topic=self._topic, documents=False)
        if issued.reason in (Reason.CAP, Reason.PAUSED):
            raise NextpairError(f"study {self._study!r} issues no more questions: {issued.reason}")
        if not issued.assignments:
            return Idle(str(issued.reason))
        (assignment,) = issued.assignments
        left, right = (self._places[document.id] for document in assignment.shown)
        shown = (left, right)
        pair = unordered(*shown)
        self._held[pair, worker] = assignment
        return ShownPair(pair, swapped=shown != pair)

    def answer(self, pair: Pair, worker: str, answer: WorkerAnswer) -> None:
        """Submit the answer as the worker who holds the pair, whoever gave a recorded one."""
        assignment = self._held.pop((pair, worker))
        left_is_first = self._places[assignment.shown[0].id] == pair[0]
        outcome = answer.outcome if left_is_first else answer.outcome.reversed
        self._client.judge(assignment, preference.answer_for(outcome).preference)

    def scores(self) -> NDArray[np.float64]:
        """Return the scores of the service's ranking, NaN for unjudged documents."""
        scores = np.full(len(self._places), np.nan)
        for ranked in self._client.ranking(self._study, self._topic).documents:
            if ranked.score is not None:
                scores[self._places[ranked.document]] = ranked.score
        return scores

    def conflicts(self) -> int:
        """Return the number of conflicts from the topic's progress."""
        return self._client.progress(self._study, self._topic).conflicts

    def ended(self) -> End | None:
        """Return why nothing is left to ask; None while there are questions."""
        return self._client.progress(self._study, self._topic).ended


class RemoteBackends:
    """Opens backends at a service; thread-safe.

    Parameters
    ----------
    run
        A part of the studies' names that is unique to this simulation.
    """

    def __init__(self, client: Client, run: str | None = None) -> None:
        self._client = client
        self._run = run or secrets.token_hex(4)
        self._studies: dict[tuple[int, int], str] = {}
        self._stopped = threading.Event()

    def prepare(self, plans: Sequence[SimulationPlan], seeds: Iterable[int]) -> list[str]:
        """Create a study for every plan and repeat; return their names."""
        for seed in seeds:
            for place, plan in enumerate(plans):
                name = f"simulation-{self._run}-{place + 1}-{plan.selector}-seed-{seed}"
                self._add_study(name, plan)
                self._studies[place, seed] = name
        return [*self._studies.values()]

    def _add_study(self, name: str, plan: SimulationPlan) -> None:
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
            raise InvalidUpload(str(error)) from None

    def opener(self, place: int, seed: int, topic: str) -> OpenBackend:
        """Return the opener of a topic's backend, for one plan and the seed of one repeat."""

        def open_backend(documents: Sequence[Document], settings: Settings) -> JudgingBackend:
            study, name = self._studies[place, seed], _topic_name(topic)
            pool = Pool(
                name,
                title=topic[:1000],
                documents=[
                    PoolDocument(document.id, features=document.features, prior=document.prior)
                    for document in documents
                ],
            )
            upload_pool(self._client, study, pool, settings.seed)
            return RemoteBackend(self._client, study, name, documents, self._stopped)

        return open_backend

    def stop(self) -> None:
        """Make the next request of every backend fail."""
        self._stopped.set()


def _topic_name(topic: str) -> str:
    """Return the topic's name in the file, or a hash of it if it cannot be part of a URL."""
    with suppress(ValueError):
        return clean_name(topic)
    return f"topic-{hashlib.sha256(topic.encode()).hexdigest()[:12]}"
