"""Placement with judges who do not err: how few judgments prove the exact order, and how fast."""

import argparse
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.features import ranked_topics
from benchmarks.published import web_tracks
from benchmarks.section import Section, main, met
from nextpair.app.simulation.runs import Plan
from nextpair.app.simulation.studies import Run, Study
from nextpair.app.simulation.truths import Graded, Truth, generated_truths
from nextpair.selectors.base import Idle
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import Topic

CERTAIN = {"risk": 0.0}
PROOF, SORT = Plan("placement", CERTAIN), Plan("quick-sort")
MOST = {"wt11": 23_300, "wt12": 20_550}
REPEATS = 10
CROWD = 64
SIZES = (250, 500, 1000, 2000, 4000)
GRADES = (0.75, 0.15, 0.08, 0.02)
OUTCOMES = {1: Outcome.BETTER, 0: Outcome.TIE, -1: Outcome.WORSE}


def measure(given: argparse.Namespace) -> Section:
    """Time it first, while this process is small, then count."""
    growth = _growth()
    section = Section(
        "Placement, judges who do not err",
        "python -m benchmarks.placement_exact",
        f"Judgments to recover the exact order, perfect judges, mean of {REPEATS} repeats."
        " Useless features are 20 columns of noise with 30 % missing, over documents in random"
        f" order. Bars: 23,300 (wt11) and 20,550 (wt12); with {CROWD} workers at once 1.05 times"
        " one; useless features 1.01 times none; rankings of 63 runs as features 0.955 times none"
        " and 0.88 times quick-sort.",
        ("topics, selector", "judgments", "min", "max", "exact", "against", "ratio", "bar"),
    )
    for year, topics in web_tracks(given.data).items():
        plain = _count(topics, PROOF, given.jobs)
        section.rows.append(_row(f"{year}, placement", plain, "its bar", MOST.get(year), 1))
        if year != "wt12":
            section.rows += _disturbed(year, topics, plain, given.jobs)
    section.rows += _featured(ranked_topics(given.data), given.jobs)
    section.after = growth
    return section


def _disturbed(year: str, topics: Sequence[Truth], plain: list[Run], jobs: int) -> list[list[str]]:
    """Let many come at once, and give features that say nothing."""
    rng = np.random.default_rng(0)
    crowd = _count(topics, Plan("placement", CERTAIN, workers=CROWD), jobs, repeat=3)
    useless = _count([_with_noise(topic, rng) for topic in topics], PROOF, jobs)
    alone = _mean(plain)
    return [
        _row(f"{year}, placement, {CROWD} workers, 3 repeats", crowd, "one worker", alone, 1.05),
        _row(f"{year}, placement, useless features", useless, "none", alone, 1.01),
    ]


def _featured(topics: Sequence[Truth], jobs: int) -> list[list[str]]:
    bare = _count([_without_features(topic) for topic in topics], PROOF, jobs)
    sort, ranked = _count(topics, SORT, jobs), _count(topics, PROOF, jobs)
    return [
        _row("dl21, quick-sort", sort),
        _row("dl21, placement, no features", bare, "quick-sort", _mean(sort)),
        _row("dl21, placement, 63 runs", ranked, "no features", _mean(bare), 0.955),
        _row("dl21, placement, 63 runs", ranked, "quick-sort", _mean(sort), 0.88),
    ]


def _count(topics: Sequence[Truth], plan: Plan, jobs: int, repeat: int = REPEATS) -> list[Run]:
    study = Study(topics, [plan], repeat=repeat)
    list(study.play(jobs))
    return study.runs(plan)


def _mean(runs: list[Run]) -> float:
    return float(np.mean([run.judgments for run in runs]))


def _row(
    name: str,
    runs: list[Run],
    against: str = "-",
    other: float | None = None,
    bar: float | None = None,
) -> list[str]:
    totals = [run.judgments for run in runs]
    ratio = _mean(runs) / other if other else None
    return [
        name,
        f"{np.mean(totals):,.0f}",
        f"{min(totals):,}",
        f"{max(totals):,}",
        f"{sum(run.exact for run in runs)}/{len(runs)}",
        against,
        f"{ratio:.4f}" if ratio else "-",
        f"{bar:g}: {met(ratio, bar)}" if ratio and bar else "-",
    ]


def _without_features(truth: Truth) -> Graded:
    documents = [Document(document.id) for document in truth.documents]
    return Graded(truth.topic, documents, truth.scores.astype(int).tolist())


def _with_noise(truth: Truth, rng: np.random.Generator) -> Graded:
    """Shuffle, too: neighbours in a pool are often alike, and their order is no feature."""
    order = rng.permutation(len(truth.documents))
    documents = [
        Document(
            truth.documents[place].id,
            {
                f"f{number}": float(value) if rng.random() > 0.3 else None
                for number, value in enumerate(rng.normal(size=20))
            },
        )
        for place in order
    ]
    return Graded(truth.topic, documents, truth.scores[order].astype(int).tolist())


def _growth() -> str:
    """Tell how judgments and computing grow with the number of documents, as a table."""
    lines = [
        "| documents | judgments per document | choose (µs) | absorb (µs)"
        " | with 20 features: per document | choose (µs) | absorb (µs) | bar at 2,000 |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for size in SIZES:
        plain, featured = _timed(size, 0), _timed(size, 20)
        slowest = max(sum(plain[1:]), sum(featured[1:]))
        cells = [
            f"{cost:.3f} | {choose:,.0f} | {absorb:,.0f}"
            for cost, choose, absorb in (plain, featured)
        ]
        bar = f"5,000: {met(slowest, 5000)}" if size == 2000 else "-"
        lines.append(f"| {size:,} | {' | '.join(cells)} | {bar} |")
    return "\n".join(
        [
            "Medians over one whole topic each, grades 75/15/8/2 %, without and with features:",
            "",
            *lines,
        ]
    )


def _timed(size: int, features: int) -> tuple[float, float, float]:
    """Judge one topic; return judgments per document and the median costs of both verbs."""
    rng = np.random.default_rng(size)
    (truth,) = generated_truths(1, size, GRADES, rng)
    values = truth.scores[:, None] + rng.normal(scale=2.0, size=(size, features))
    documents = [
        Document(document.id, {f"f{place}": float(value) for place, value in enumerate(row)})
        for document, row in zip(truth.documents, values, strict=True)
    ]
    topic = Topic(documents, Settings("placement", CERTAIN))
    times: dict[str, list[float]] = {"choose": [], "absorb": []}
    while True:
        started = time.perf_counter()
        pair = topic.select("w", (), topic.settings.question_rng(len(times["absorb"])))
        times["choose"].append(time.perf_counter() - started)
        if isinstance(pair, Idle):
            break
        first, second = (documents[place].id for place in pair)
        outcome = OUTCOMES[int(np.sign(truth.scores[pair[0]] - truth.scores[pair[1]]))]
        judgment = Judgment(len(times["absorb"]), first, second, outcome, "w")
        started = time.perf_counter()
        topic.absorb(judgment)
        times["absorb"].append(time.perf_counter() - started)
    medians = [1e6 * float(np.median(times[verb])) for verb in ("choose", "absorb")]
    return len(times["absorb"]) / size, medians[0], medians[1]


if __name__ == "__main__":
    main(measure)
