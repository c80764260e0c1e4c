"""Merge-Tie-Judge with an active SVM on real system rankings (TREC Deep Learning 2021)."""

import argparse
from pathlib import Path

import numpy as np

from benchmarks.section import Section, main, met
from nextpair.app.formats.features import read_features
from nextpair.app.simulation.report import topic_variation, variation
from nextpair.app.simulation.runs import Plan
from nextpair.app.simulation.studies import Run, Study
from nextpair.app.simulation.truths import Graded, Truth, generated_truths, graded_truths
from nextpair.selectors.state.documents import Document

SVM_JUDGMENTS = range(5, 36)


def measure(given: argparse.Namespace) -> Section:
    """Run merge-tie over its one setting, the others over seeds."""
    truths = ranked_topics(given.data)
    seeds = len(SVM_JUDGMENTS)
    by_setting = [Plan("merge-tie", {"svm_judgments": number}) for number in SVM_JUDGMENTS]
    others = [Plan("quick-sort"), Plan("merge-tie-random"), Plan("merge-tie")]
    over_settings, over_seeds = Study(truths, by_setting), Study(truths, others, repeat=seeds)
    list(over_settings.play(given.jobs))
    list(over_seeds.play(given.jobs))
    runs = {
        "quick-sort, 31 seeds": over_seeds.runs(others[0]),
        "merge-tie-random, 31 seeds": over_seeds.runs(others[1]),
        "merge-tie, 31 seeds": over_seeds.runs(others[2]),
        "merge-tie, svm_judgments 5..35": [over_settings.runs(plan)[0] for plan in by_setting],
    }
    section = Section(
        "Real system rankings as features",
        "python -m benchmarks.features",
        f"{len(truths)} topics with the ranks of 63 official runs as features, perfect judges."
        " Bars: fewer judgments than merge-tie-random, and a coefficient of variation of the total"
        " over `svm_judgments` 5..35 at most a third of quick-sort's over seeds.",
        ("selector", "judgments", "min", "max", "CV of total", "mean CV per topic", "exact"),
        [_row(name, found) for name, found in runs.items()],
    )
    quick, random, _, svm = runs.values()
    section.after = _bars(quick, random, svm)
    return section


def ranked_topics(data: Path) -> list[Truth]:
    """Read the topics with the ranks of all runs, or draw some like them."""
    path = data / "dl21" / "rank-matrix.csv.gz"
    if path.exists():
        table = read_features([path])
        return [*graded_truths(table.grades, table)]
    print(f"missing {path}: make a CSV of topic, doc, grade and each run's rank from the passage")
    print("qrels and runs of TREC Deep Learning 2021. Running on generated features instead.")
    rng = np.random.default_rng(0)
    truths = generated_truths(27, 200, [0.42, 0.28, 0.22, 0.08], rng)
    return [_with_features(truth, rng) for truth in truths]


def _with_features(truth: Graded, rng: np.random.Generator) -> Graded:
    noisy = truth.scores[:, None] + rng.normal(scale=1.5, size=(len(truth.grades), 20))
    documents = [
        Document(document.id, {f"f{place}": float(value) for place, value in enumerate(row)})
        for document, row in zip(truth.documents, noisy, strict=True)
    ]
    return Graded(truth.topic, documents, truth.grades)


def _row(name: str, runs: list[Run]) -> tuple[str, ...]:
    totals = [run.judgments for run in runs]
    return (
        name,
        f"{np.mean(totals):,.0f}",
        f"{min(totals):,}",
        f"{max(totals):,}",
        f"{variation(totals) or 0:.4f}",
        f"{topic_variation(runs) or 0:.3f}",
        f"{sum(run.exact for run in runs)}/{len(runs)}",
    )


def _bars(quick: list[Run], random: list[Run], svm: list[Run]) -> str:
    ratio = float(
        np.mean([run.judgments for run in svm]) / np.mean([run.judgments for run in random])
    )
    spread = (variation([run.judgments for run in quick]) or 0) / (
        variation([run.judgments for run in svm]) or np.inf
    )
    return (
        f"merge-tie needs {ratio:.3f} times the judgments of merge-tie-random ({met(ratio, 1)});"
        f" quick-sort's variation is {spread:.1f} times its own ({met(3, spread)})."
    )


if __name__ == "__main__":
    main(measure)
