"""Elo on preference judgments (Bashir et al., SIGIR 2013), repeated with simulated workers."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import norm

from benchmarks.hits import CODES, MIRROR, Collected, collect_hits
from benchmarks.section import Section, arguments, processes
from nextpair.app.formats.features import FeatureTable
from nextpair.app.formats.trec import read_qrels
from nextpair.app.runtime.threads import limit_threads
from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.ground_truth import GradedTruth, generated_truths, graded_truths
from nextpair.selectors.aggregation.bradley_terry import collect_pair_responses, fit_bradley_terry
from nextpair.selectors.aggregation.dawid_skene import dawid_skene
from nextpair.selectors.aggregation.responses import collect_responses
from nextpair.selectors.agreement.rank_correlation import auc
from nextpair.selectors.ratings.elo import replay_elo
from nextpair.selectors.ratings.elo_variance import replay_elo_variance
from nextpair.selectors.ratings.match import Match
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import Topic

STUDIES = Path(__file__).resolve().parents[1] / "docs" / "studies"
PRIOR_AUC = 0.75
PASSES = 20
REPEATS = 3
PUBLISHED = {
    "411": (0.809, 0.811, 0.857, 0.862),
    "420": (0.808, 0.834, 0.823, 0.853),
    "427": (0.864, 0.871, 0.882, 0.907),
    "445": (0.750, 0.748, 0.790, 0.843),
    "447": (0.935, 0.995, 0.859, 1.000),
}
"""AUC in the paper's Table 1: "Baseline", "Elo", "Without Variance" and "Elo+EM"."""
METHODS = (
    "baseline",
    "Elo",
    "Elo with variance",
    "Elo + EM",
    "Elo with variance + EM",
    "Bradley-Terry with reliabilities",
)
CROWDS = {
    "20 % errors": CrowdSettings(200, error=0.2),
    "20 % errors, 40 % spammers": CrowdSettings(200, error=0.2, spread=0.1, spammers=0.4),
    "20 % errors, 60 % spammers": CrowdSettings(200, error=0.2, spread=0.1, spammers=0.6),
    "50 % errors, 20 % spammers": CrowdSettings(200, error=0.5, spread=0.2, spammers=0.2),
}
PAGE = """\
# Elo on preference judgments (Bashir et al., SIGIR 2013)

Written by `python -m benchmarks.bashir`, on five of the paper's ten TREC-8 topics. Documents are
ranked by a score that stands in for BM25 (an AUC of {prior}); the top six all meet, every other
document meets five from above it (selector `elo-schedule`). HITs have fifteen pairs and five traps;
four workers do each, and work with fewer than two traps right is refused and given to another. A
wrong answer to a pair that differs is a tie seven times of ten, otherwise reversed. Elo is replayed
up to {passes} times. EM is Dawid and Skene's over the pairs, with the traps as known answers; Elo
then plays with its probabilities instead of shares of votes. The baseline is their formula 8. The
last two columns are not in the paper; the very last is Bradley-Terry with ties that learns how far
to believe each worker.

![AUC by method and crowd](auc.png)

## What it shows

{findings}

The first crowd is the one that was planned. Simulated workers err independently of each other, so
twenty votes or more on every document leave little to be wrong about, and all methods are near 1.
The other crowds were added after that was seen, to make the methods differ. Real workers also
misunderstand together, which no vote can mend, so these figures are no forecast of a real study.

"""
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Task:
    """One topic judged once by one crowd."""

    truth: GradedTruth
    crowd: str
    seed: int


def measure(given: argparse.Namespace) -> str:
    """Judge every topic by every crowd, draw the means, and tell of them."""
    truths = topics(given.data)
    tasks = [
        Task(truth, crowd, seed) for crowd in CROWDS for truth in truths for seed in range(REPEATS)
    ]
    with processes(given.jobs) as pool:
        found = np.array([*pool.map(play, tasks)])
    by_crowd = found.reshape(len(CROWDS), len(truths), REPEATS, len(METHODS)).mean(axis=2)
    means = by_crowd.mean(axis=1)
    draw(means)
    sections = [
        _section(crowd, truths, table) for crowd, table in zip(CROWDS, by_crowd, strict=True)
    ]
    findings = "\n".join(
        f"- {crowd}: {_order(row)}." for crowd, row in zip(CROWDS, means, strict=True)
    )
    page = PAGE.format(prior=PRIOR_AUC, passes=PASSES, findings=findings)
    return page + "\n".join(map(str, [*sections, _published()]))


def _order(row: Scores) -> str:
    """Name the methods from the best to the worst."""
    best_first = np.argsort(-row, kind="stable").tolist()
    return ", ".join(f"{METHODS[place]} {row[place]:.4f}" for place in best_first)


def topics(data: Path) -> list[GradedTruth]:
    """Read five of the paper's ten topics, or draw some like them."""
    path = data / "trec-8" / "bashir-five-topics.qrels.gz"
    if path.exists():
        return graded_truths(read_qrels(path), FeatureTable())
    print(f"missing {path}: fetch the ad hoc qrels of TREC-8 from trec.nist.gov and keep topics")
    print("411 420 427 445 447. Running on generated topics instead.")
    return generated_truths(5, 1500, [0.97, 0.03], np.random.default_rng(0))


def play(task: Task) -> Scores:
    """Judge one topic as the paper did; return the AUC of each method."""
    rng = np.random.default_rng((task.seed, *task.crowd.encode(), *task.truth.topic.encode()))
    pairs = schedule(task.truth, task.seed, rng)
    answers = collect_hits(task.truth, pairs, CROWDS[task.crowd], rng)
    relevant = (task.truth.scores > 0).astype(int)
    return np.array([auc(relevant, scores) for scores in score(task.truth, pairs, answers)])


def schedule(truth: GradedTruth, seed: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw the paper's pairs; BM25 is imagined, as a normal score that separates by `PRIOR_AUC`."""
    apart = np.sqrt(2) * norm.ppf(PRIOR_AUC)
    priors = rng.normal(size=len(truth.documents)) + apart * (truth.scores > 0)
    documents = [
        Document(document.id, {}, float(prior))
        for document, prior in zip(truth.documents, priors, strict=True)
    ]
    planned = Topic(documents, Settings("elo-schedule", seed=seed)).selector.planned_pairs()
    return np.array(list(planned or ()), dtype=np.intp)


def score(truth: GradedTruth, pairs: NDArray[np.intp], answers: Collected) -> Sequence[Scores]:
    """Score the documents by each of METHODS."""
    size = len(truth.documents)
    real = answers.items < len(pairs)
    votes = collect_responses(answers.items, answers.workers, answers.said, answers.shape)
    em = dawid_skene(votes, gold=answers.known, mirror=MIRROR).posteriors[: len(pairs)]
    counts = votes.by_item()[: len(pairs)].astype(np.float64)
    share = matches(pairs, counts / counts.sum(axis=1, keepdims=True))
    probable = matches(pairs, em)
    asked = pairs[answers.items[real]]
    codes = CODES[answers.said[real]]
    crowd = collect_pair_responses(size, asked[:, 0], asked[:, 1], codes, answers.workers[real])
    return (
        baseline(size, share),
        replay_elo(size, share, most_passes=PASSES).ratings,
        replay_elo_variance(size, share, most_passes=PASSES).rated.ratings,
        replay_elo(size, probable, most_passes=PASSES).ratings,
        replay_elo_variance(size, probable, most_passes=PASSES).rated.ratings,
        fit_bradley_terry(crowd).scores,
    )


def matches(pairs: NDArray[np.intp], chances: Scores) -> list[Match]:
    """Turn better, worse and tie into shares for the first, ties counting half."""
    shares = (chances[:, 0] + chances[:, 2] / 2).tolist()
    return [
        Match(first, second, share)
        for (first, second), share in zip(pairs.tolist(), shares, strict=True)
    ]


def baseline(size: int, played: Sequence[Match]) -> Scores:
    """Score by formula 8: half the share of matches won, half the share of all matches played."""
    won, met = np.zeros(size), np.zeros(size)
    for first, second, share, _ in played:
        met[[first, second]] += 1
        won[first] += share > 0.5
        won[second] += share < 0.5
    return np.asarray(0.5 * won / np.maximum(met, 1) + 0.5 * met / len(played))


def draw(means: Scores) -> None:
    """Draw the mean AUC of each method (columns) with each crowd (rows)."""
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.add_subplot()
    width = 0.8 / len(METHODS)
    for column, method in enumerate(METHODS):
        at = np.arange(len(means)) + (column - (len(METHODS) - 1) / 2) * width
        axes.bar(at, means[:, column], width, label=method)
    axes.set_xticks(range(len(means)), [crowd.replace(", ", "\n") for crowd in CROWDS])
    axes.set_ylim(0.9, 1.0)
    axes.set_ylabel("AUC, mean of the topics (from 0.9)")
    axes.legend(fontsize=8, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    axes.spines[["top", "right"]].set_visible(False)
    STUDIES.mkdir(exist_ok=True)
    figure.savefig(STUDIES / "auc.png", dpi=120)


def _section(crowd: str, truths: Sequence[GradedTruth], table: Scores) -> Section:
    rows = [
        (f"{truth.topic}: {len(truth.documents):,} documents", *(f"{one:.4f}" for one in row))
        for truth, row in zip(truths, table, strict=True)
    ]
    mean = ("mean", *(f"{one:.4f}" for one in table.mean(axis=0)))
    return Section(
        f"AUC, workers with {crowd}",
        "python -m benchmarks.bashir",
        f"Mean of {REPEATS} repeats.",
        ("topic", *METHODS),
        [*rows, mean],
    )


def _published() -> Section:
    rows = [(topic, *(f"{one:.3f}" for one in row)) for topic, row in PUBLISHED.items()]
    mean = np.mean([*PUBLISHED.values()], axis=0)
    return Section(
        "AUC in the paper, real workers",
        "Table 1 of Bashir et al. (SIGIR 2013)",
        "The same five of its ten topics, columns named as they are there.",
        ("topic", "Baseline", "Elo", "Without Variance", "Elo+EM"),
        [*rows, ("mean", *(f"{one:.3f}" for one in mean))],
    )


def main() -> None:
    """Write the study's page."""
    limit_threads()
    page = measure(arguments())
    (STUDIES / "auc.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
