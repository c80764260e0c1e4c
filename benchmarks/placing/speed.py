"""What one question and one answer of placement cost, and how long a log takes to be read."""

import argparse
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from benchmarks.section import Section, main, met
from nextpair.app.simulation.crowd import SimulatedWorker
from nextpair.selectors.base import Idle
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import Topic, fold

SIZES = (250, 500, 1_000, 2_000, 4_000)
GRADES = (0.6, 0.2, 0.1, 0.07, 0.03)
ERROR, WORKERS = 0.2, 100
PER_DOCUMENT = 2
"""Judgments timed per document; then a topic is well under way."""
LOG_DOCUMENTS, LOG = 3_000, 20_000
MOST_MS = 5
FIGURES: dict[str, Callable[[list[float]], float]] = {
    "median": lambda times: float(np.median(times)),
    "mean": lambda times: float(np.mean(times)),
    "p95": lambda times: float(np.percentile(times, 95)),
    "p99": lambda times: float(np.percentile(times, 99)),
}


def measure(given: argparse.Namespace) -> Section:
    """Time every size."""
    section = Section(
        "What one answer and one question cost placement",
        "python -m benchmarks.placing.speed",
        "Milliseconds of absorbing an answer and choosing the next question, over the first"
        f" {PER_DOCUMENT} judgments per document of a topic with five grades, error {ERROR}, a"
        f" crowd of {WORKERS}. Every so often an answer makes all beliefs be fitted anew: that is"
        " what the mean has more than the median. `growth` is the exponent of N between the"
        f" smallest and the largest size. Bar: a median of {MOST_MS} ms at 2,000 documents.",
        ("milliseconds", *(f"N = {size:,}" for size in SIZES), "growth", "bar at 2,000"),
    )
    times = [_timed(size) for size in SIZES]
    for name, figure in FIGURES.items():
        values = [figure(of_size) for of_size in times]
        growth = np.log(values[-1] / values[0]) / np.log(SIZES[-1] / SIZES[0])
        bar = met(values[SIZES.index(2_000)], MOST_MS) if name == "median" else "-"
        section.rows.append((name, *(f"{one:.2f}" for one in values), f"{growth:.2f}", bar))
    section.after = _reading()
    return section


def _reading() -> str:
    """Time the reading of a long log, and weigh the topic that comes of it."""
    documents, log = _log(LOG_DOCUMENTS, LOG)
    settings = Settings("placement", seed=7)
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        topic = fold(documents, log, settings)
        topic.select("someone", (), settings.question_rng(LOG))
        seconds.append(time.perf_counter() - started)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    topic = fold(documents, log, settings)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    told = (
        f"A log of {LOG:,} judgments over {LOG_DOCUMENTS:,} documents is read, and the next"
        f" question chosen, in {min(seconds):.2f} s ({met(min(seconds), 1.0)}: 1 s); the topic then"
        f" has {(kept - before) / 2**20:.0f} MB, and had {(peak - before) / 2**20:.0f} MB at most"
        f" while it was read. A matrix of all pairs would have"
        f" {LOG_DOCUMENTS**2 * 8 / 2**20:.0f} MB."
    )
    assert len(topic.log) == LOG
    return told


def _timed(size: int) -> list[float]:
    """Play a topic, and return what each answer with the question after it took, in ms."""
    rng = np.random.default_rng(size)
    grades, documents, crowd = _grades(size, rng), _documents(size), _crowd()
    topic = Topic(documents, Settings("placement", seed=size))
    times: list[float] = []
    worker = crowd[0]
    choice = topic.select(worker.id, (), topic.settings.question_rng(0))
    for number in range(PER_DOCUMENT * size):
        if isinstance(choice, Idle):
            break
        first, second = choice
        outcome = worker.answer(_truth(grades, first, second), rng)
        judgment = Judgment(number, f"d{first}", f"d{second}", outcome, worker.id)
        worker = crowd[int(rng.integers(WORKERS))]
        started = time.perf_counter()
        topic.absorb(judgment)
        choice = topic.select(worker.id, (), topic.settings.question_rng(number))
        times.append(1000 * (time.perf_counter() - started))
    return times


def _log(size: int, length: int) -> tuple[list[Document], list[Judgment]]:
    """Draw pairs at random, each document as often as any other."""
    rng = np.random.default_rng(size)
    grades, documents, crowd = _grades(size, rng), _documents(size), _crowd()
    log = []
    for number in range(length):
        first, second = rng.choice(size, size=2, replace=False).tolist()
        worker = crowd[int(rng.integers(WORKERS))]
        outcome = worker.answer(_truth(grades, first, second), rng)
        log.append(Judgment(number, f"d{first}", f"d{second}", outcome, worker.id))
    return documents, log


def _documents(size: int) -> list[Document]:
    return [Document(f"d{place}") for place in range(size)]


def _crowd() -> list[SimulatedWorker]:
    return [SimulatedWorker(f"w{number}", ERROR) for number in range(WORKERS)]


def _grades(size: int, rng: np.random.Generator) -> list[int]:
    drawn: list[int] = rng.choice(len(GRADES), size, p=GRADES).tolist()
    return drawn


def _truth(grades: list[int], first: int, second: int) -> Outcome:
    if grades[first] == grades[second]:
        return Outcome.TIE
    return Outcome.BETTER if grades[first] > grades[second] else Outcome.WORSE


if __name__ == "__main__":
    main(measure)
