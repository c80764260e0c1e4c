"""Simulated workers who judge a study concurrently, each with API calls of its own."""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from nextpair.app.client import Client
from nextpair.app.designs import preference
from nextpair.app.enums import Reason
from nextpair.app.formats.trec import Grades
from nextpair.app.simulation.crowd import SimulatedWorker
from nextpair.selectors.errors import NextpairError
from nextpair.selectors.state.judgments import Outcome

WORKERS = 6
ERROR = 0.05
THINKING = (0.03, 0.12)
"""The range of seconds per answer: long enough to watch, short enough to wait for."""
PAUSE = 0.05
TICK = 0.1


class DemoCrowd:
    """Workers in threads of their own, who answer by the grades with some errors."""

    def __init__(self, client: Client, study: str, grades: Grades) -> None:
        self._client, self._study, self._grades = client, study, grades
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._idle: set[str] = set()
        """Workers who had no eligible question left since the last answer."""

    def judge(self, watch: Callable[[], None]) -> None:
        """Judge until nothing is left to ask any of the workers.

        Parameters
        ----------
        watch
            Called repeatedly meanwhile, and once at the end.
        """
        with ThreadPoolExecutor(WORKERS) as pool:
            try:
                working = [pool.submit(self._work, number) for number in range(1, WORKERS + 1)]
                while not all(future.done() for future in working):
                    watch()
                    time.sleep(TICK)
                for future in working:
                    future.result()
            finally:
                self._stopped.set()
        watch()

    def _work(self, number: int) -> None:
        worker, rng = SimulatedWorker(f"worker-{number}", ERROR), np.random.default_rng(number)
        try:
            while not self._stopped.is_set():
                issued = self._client.next(self._study, worker.id)
                if issued.reason is Reason.DONE:
                    return
                self._track_idle(worker.id, issued.reason)
                if not issued.assignments:
                    self._stopped.wait(PAUSE)
                for assignment in issued.assignments:
                    seconds = rng.uniform(*THINKING)
                    self._stopped.wait(seconds)
                    grades = self._grades[assignment.topic.id]
                    truth = compare_grades(grades, *(document.id for document in assignment.shown))
                    answer = preference.answer_for(worker.answer(truth, rng)).preference
                    self._client.judge(assignment, answer, seconds=round(seconds, 3))
        except NextpairError:
            # Otherwise the others would wait for this worker's answers for ever.
            self._stopped.set()
            raise

    def _track_idle(self, worker: str, reason: Reason | None) -> None:
        """Stop once no worker has an eligible question left."""
        with self._lock:
            if reason is not Reason.SEEN:
                # An answer of this worker may make questions eligible for others.
                self._idle.clear()
                return
            self._idle.add(worker)
            if len(self._idle) == WORKERS:
                self._stopped.set()


def compare_grades(grades: Mapping[str, int], first: str, second: str) -> Outcome:
    """Compare two documents by their grades."""
    if grades[first] == grades[second]:
        return Outcome.TIE
    return Outcome.BETTER if grades[first] > grades[second] else Outcome.WORSE
