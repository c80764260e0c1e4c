"""Simulated workers who judge a study the way real ones would: each calls the service alone."""

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
"""Between how many seconds an answer takes: long enough to watch, short enough to wait for."""
PAUSE = 0.05
TICK = 0.1


class Crowd:
    """Workers in threads of their own; they know the grades, and err now and then."""

    def __init__(self, client: Client, study: str, grades: Grades) -> None:
        self._client, self._study, self._grades = client, study, grades
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._idle: set[str] = set()
        """Workers who have been asked everything there was for them at the last answer."""

    def judge(self, watch: Callable[[], None]) -> None:
        """Judge until nothing is left to ask any of the workers.

        Parameters
        ----------
        watch
            Called again and again meanwhile, and once at the end.
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
                said = self._client.next(self._study, worker.id)
                if said.reason is Reason.DONE:
                    return
                self._note(worker.id, said.reason)
                if not said.assignments:
                    self._stopped.wait(PAUSE)
                for assignment in said.assignments:
                    seconds = rng.uniform(*THINKING)
                    self._stopped.wait(seconds)
                    grades = self._grades[assignment.topic.id]
                    truth = compare(grades, *(one.id for one in assignment.shown))
                    answer = preference.say(worker.answer(truth, rng)).preference
                    self._client.judge(assignment, answer, seconds=round(seconds, 3))
        except NextpairError:
            # The others would wait for the answers of this one, in vain.
            self._stopped.set()
            raise

    def _note(self, worker: str, reason: Reason | None) -> None:
        """Stop once every worker has been asked everything, and none has a question left."""
        with self._lock:
            if reason is not Reason.SEEN:
                # An answer of this one may lead to questions for others.
                self._idle.clear()
                return
            self._idle.add(worker)
            if len(self._idle) == WORKERS:
                self._stopped.set()


def compare(grades: Mapping[str, int], first: str, second: str) -> Outcome:
    """Say how two documents compare by their grades."""
    if grades[first] == grades[second]:
        return Outcome.TIE
    return Outcome.BETTER if grades[first] > grades[second] else Outcome.WORSE
