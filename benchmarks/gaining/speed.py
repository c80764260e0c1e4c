"""What one question and one answer of information gain cost, with a plot against N."""

import argparse
import time
import tracemalloc
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from benchmarks.section import Section, main, met
from nextpair.selectors.base import Idle
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome, unordered
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import Topic, fold

SIZES = (100, 200, 400, 1_000, 2_000, 5_000, 10_000)
BEGUN, TIMED = 5, 300
"""Judgments per document before the clock runs, and judgments that are timed."""
BARS = {400: 5.0, 2_000: 50.0}
LOG_DOCUMENTS, LOG = 3_000, 20_000
PLOT = Path(__file__).resolve().parents[2] / "docs" / "information-gain-speed.png"


def measure(given: argparse.Namespace) -> Section:
    """Time every size."""
    section = Section(
        "What one answer and one question cost information gain",
        "python -m benchmarks.gaining.speed",
        f"Milliseconds, over {TIMED} judgments of a topic with {BEGUN} random ones per document"
        " behind it, 50 workers, on one thread as in the service. A fit is made by whoever looks"
        " first after it is due, so the slowest question holds one. `read`: a log is folded and the"
        " next question chosen. Up to 2,000 documents there is a whole covariance, beyond that"
        " none. Bars: choose under 5 ms at 400 and 50 ms at 2,000, absorb under 5 ms at 400"
        " (medians).",
        ("N", "choose, median", "p95", "slowest", "absorb, median", "read", "bar"),
    )
    medians: list[tuple[float, float]] = []
    for size in SIZES:
        read, chosen, absorbed = _timed(size)
        medians.append((float(np.median(chosen)), float(np.median(absorbed))))
        bar = met(max(medians[-1]), BARS[size]) if size in BARS else "-"
        figures = (*medians[-1][:1], np.percentile(chosen, 95), max(chosen), medians[-1][1], read)
        section.rows.append((f"{size:,}", *(f"{one:.2f}" for one in figures), bar))
    _draw(medians)
    section.after = _reading() + f"\n\n![Both against N]({PLOT.name})"
    return section


def _timed(size: int) -> tuple[float, list[float], list[float]]:
    """Return what reading took, and each question and answer after it, in milliseconds."""
    rng = np.random.default_rng(size)
    scores = rng.normal(0, 3, size)
    log = _log(scores, BEGUN * size, rng)
    documents = [Document(f"d{place}") for place in range(size)]
    settings = Settings("information-gain", {"budget": 0.0, "risk": 0.0}, seed=size)
    started = time.perf_counter()
    topic = fold(documents, log, settings)
    choice = topic.select("w0", (), settings.question_rng(0))
    read = 1000 * (time.perf_counter() - started)
    chosen, absorbed = [], []
    for number in range(len(log), len(log) + TIMED):
        assert not isinstance(choice, Idle)
        answer = _answer(number, unordered(*choice), scores, rng)
        started = time.perf_counter()
        topic.absorb(answer)
        between = time.perf_counter()
        choice = topic.select(f"w{number % 50}", (), settings.question_rng(number))
        chosen.append(1000 * (time.perf_counter() - between))
        absorbed.append(1000 * (between - started))
    return read, chosen, absorbed


def _reading() -> str:
    """Time the reading of a long log, and weigh the topic that comes of it."""
    rng = np.random.default_rng(7)
    scores = rng.normal(0, 3, LOG_DOCUMENTS)
    log = _log(scores, LOG, rng)
    documents = [Document(f"d{place}") for place in range(LOG_DOCUMENTS)]
    settings = Settings("information-gain", seed=7)
    started = time.perf_counter()
    fold(documents, log, settings).select("someone", (), settings.question_rng(LOG))
    seconds = time.perf_counter() - started
    tracemalloc.start()
    topic = Topic(documents, settings)
    before = tracemalloc.get_traced_memory()[0]
    for judgment in log:
        topic.absorb(judgment)
    topic.select("someone", (), settings.question_rng(LOG))
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (
        f"A log of {LOG:,} judgments over {LOG_DOCUMENTS:,} documents is read, and the next"
        f" question chosen, in {seconds:.2f} s ({met(seconds, 1.0)}: 1 s); the topic then has"
        f" {(kept - before) / 2**20:.0f} MB, and had {(peak - before) / 2**20:.0f} MB at most."
    )


def _log(scores: np.ndarray, length: int, rng: np.random.Generator) -> list[Judgment]:
    pairs = (rng.choice(len(scores), 2, replace=False).tolist() for _ in range(length))
    return [_answer(number, unordered(*pair), scores, rng) for number, pair in enumerate(pairs)]


def _answer(
    number: int, pair: tuple[int, int], scores: np.ndarray, rng: np.random.Generator
) -> Judgment:
    seen = scores[pair[0]] - scores[pair[1]] + rng.normal()
    outcome = Outcome.BETTER if seen > 0 else Outcome.WORSE
    return Judgment(number, f"d{pair[0]}", f"d{pair[1]}", outcome, f"w{number % 50}")


def _draw(medians: list[tuple[float, float]]) -> None:
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for name, values in zip(("choose", "absorb"), zip(*medians, strict=True), strict=True):
        axes.loglog(SIZES, values, marker="o", label=name)
    axes.axvline(2_000, color="grey", linewidth=0.8, linestyle=":")
    axes.set_xlabel("documents (dotted: up to here with the whole covariance)")
    axes.set_ylabel("milliseconds, median")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    figure.savefig(PLOT, dpi=120)


if __name__ == "__main__":
    main(measure)
