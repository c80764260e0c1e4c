"""Workers who err: what placement asks for, and how good its order is."""

import argparse
from collections.abc import Sequence

import numpy as np

from benchmarks.placing.topics import FIRST_SEED, SAMPLE, graded
from benchmarks.section import Section, main, met
from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.runs import SimulationPlan
from nextpair.app.simulation.studies import SimulatedStudy, StudyRun

ERRORS = {0.1: 2.3, 0.2: 3.6, 0.3: 6.2}
"""Shares of wrong answers, and the most judgments per document."""
SEEDS, SEEDS_OF_OTHERS = 10, 2
LEAST_MEAN, LEAST_TOPIC = 0.97, 0.85


def measure(given: argparse.Namespace) -> Section:
    """Run placement and quick-sort with majorities over all errors."""
    truths = graded(given.data)
    ours = {error: _plan("placement", error) for error in ERRORS}
    others = {
        (error, votes): _plan("quick-sort", error, votes) for error in ERRORS for votes in (3, 5)
    }
    study = SimulatedStudy(truths, list(ours.values()), repeat=SEEDS, seed=FIRST_SEED)
    beside = SimulatedStudy(truths, list(others.values()), repeat=SEEDS_OF_OTHERS, seed=FIRST_SEED)
    list(study.run(given.jobs))
    list(beside.run(given.jobs))
    section = Section(
        "Placement with workers who err",
        "python -m benchmarks.placing.noise",
        f"{len(truths)} topics of WT11 with at least three grades, a sample of {SAMPLE} documents"
        f" each, {SEEDS} seeds ({SEEDS_OF_OTHERS} for quick-sort), a crowd of 100. A wrong answer"
        " to a pair that differs is a tie 70 % and reversed 30 % of the time. Placement is not"
        " told the error and has the same options everywhere: the default ones. `worst topic` is"
        " the lowest mean over seeds, `lowest run` the lowest of all. Bars: mean tau-b at least"
        f" {LEAST_MEAN} and worst topic at least {LEAST_TOPIC} at no more than"
        f" {' / '.join(str(most) for most in ERRORS.values())} judgments per document.",
        (
            "error, selector",
            "judgments per document",
            "most in a run",
            "tau-b",
            "worst topic",
            "lowest run",
            "bar",
        ),
    )
    for error, most in ERRORS.items():
        section.rows.append(_row(f"{error}, placement", study.runs(ours[error]), most))
        section.rows += [
            _row(f"{error}, quick-sort, majority of {votes}", beside.runs(others[error, votes]))
            for votes in (3, 5)
        ]
    return section


def _plan(selector: str, error: float, votes: int = 1) -> SimulationPlan:
    return SimulationPlan(
        selector, crowd=CrowdSettings(error=error), votes=votes, max_documents=SAMPLE
    )


def _row(name: str, runs: Sequence[StudyRun], most: float | None = None) -> tuple[str, ...]:
    spent = np.array([[topic.judgments / topic.documents for topic in run.topics] for run in runs])
    taus = np.array([[topic.tau_b for topic in run.topics] for run in runs])
    cost = sum(run.judgments for run in runs) / sum(run.documents for run in runs)
    worst = float(taus.mean(axis=0).min())
    return (
        name,
        f"{cost:.2f}",
        f"{spent.max():.2f}",
        f"{taus.mean():.3f}",
        f"{worst:.3f}",
        f"{taus.min():.3f}",
        "-" if most is None else _bar(cost, most, float(taus.mean()), worst),
    )


def _bar(cost: float, most: float, mean: float, worst: float) -> str:
    """Say met only if all three are."""
    return met(max(cost - most, LEAST_MEAN - mean, LEAST_TOPIC - worst), 0)


if __name__ == "__main__":
    main(measure)
