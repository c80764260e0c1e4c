"""Quick-Sort and Merge-Tie-Judge on the qrels of their paper, judged by perfect workers."""

import argparse
from pathlib import Path

import numpy as np

from benchmarks.section import Section, main, met
from nextpair.app.formats.features import FeatureTable
from nextpair.app.formats.trec import read_qrels
from nextpair.app.simulation.ground_truth import GroundTruth, generated_truths, graded_truths
from nextpair.app.simulation.report import topic_variation, variation
from nextpair.app.simulation.runs import SimulationPlan
from nextpair.app.simulation.studies import SimulatedStudy, StudyRun

QUICK_SORT = {"wt11": 25_122, "wt12": 22_587}
MERGE_TIE = {"wt11": 23_818, "wt12": 21_087}
SELECTORS = ("quick-sort", "merge-tie-random", "merge-tie", "uniform")


def measure(given: argparse.Namespace) -> Section:
    """Run all selectors on both years."""
    section = Section(
        "The published table",
        "python -m benchmarks.published",
        f"Judgments to recover the grades of the TREC Web Track exactly, perfect judges, no"
        f" features, mean of {given.repeat} repeats. Published: Hui and Berberich (ICTIR 2017),"
        " Table 1. Bars: quick-sort within 1.5 % of the published number; merge-tie-random at most"
        " 1.015 times the published Merge-Tie-Judge average; the true order every time.",
        (
            "year, selector",
            "judgments",
            "min",
            "max",
            "CV of total",
            "mean CV per topic",
            "published",
            "ratio",
            "exact",
            "bar",
        ),
    )
    for year, truths in web_tracks(given.data).items():
        plans = [SimulationPlan(selector) for selector in SELECTORS]
        study = SimulatedStudy(truths, plans, repeat=given.repeat)
        list(study.run(given.jobs))
        section.rows += [_row(year, study.runs(plan)) for plan in plans]
    return section


def web_tracks(data: Path) -> dict[str, list[GroundTruth]]:
    """Read both years' topics, or draw some like them."""
    paths = {year: data / "trec-web" / f"{year}.qrels.gz" for year in QUICK_SORT}
    missing = [str(path) for path in paths.values() if not path.exists()]
    if missing:
        print(f"missing {', '.join(missing)}: fetch the ad hoc qrels of the TREC Web Track 2011")
        print("and 2012 from trec.nist.gov. Running on generated topics instead.")
        shares = [0.83, 0.11, 0.05, 0.01]
        return {"generated": [*generated_truths(50, 350, shares, np.random.default_rng(0))]}
    return {
        year: [*graded_truths(read_qrels(path), FeatureTable())] for year, path in paths.items()
    }


def _row(year: str, runs: list[StudyRun]) -> tuple[str, ...]:
    selector = runs[0].plan.selector
    totals = [run.judgments for run in runs]
    mean = float(np.mean(totals))
    published = (QUICK_SORT if selector == "quick-sort" else MERGE_TIE).get(year)
    return (
        f"{year}, {selector}",
        f"{mean:,.0f}",
        f"{min(totals):,}",
        f"{max(totals):,}",
        f"{variation(totals) or 0:.4f}",
        f"{topic_variation(runs) or 0:.3f}",
        f"{published:,}" if published and selector != "uniform" else "-",
        f"{mean / published:.4f}" if published and selector != "uniform" else "-",
        f"{sum(run.exact for run in runs)}/{len(runs)}",
        _bar(selector, mean, published) if published else "-",
    )


def _bar(selector: str, mean: float, published: float) -> str:
    if selector == "quick-sort":
        return met(abs(mean / published - 1), 0.015)
    return met(mean / published, 1.015) if selector == "merge-tie-random" else "-"


if __name__ == "__main__":
    main(measure)
