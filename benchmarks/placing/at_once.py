"""Many workers at once: what it costs that answers are not there yet when the next is asked."""

import argparse
from collections.abc import Sequence

import numpy as np

from benchmarks.placing.topics import FIRST_SEED, SAMPLE, graded
from benchmarks.section import Section, main, met
from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.runs import SimulationPlan
from nextpair.app.simulation.studies import SimulatedStudy, StudyRun

ERRORS, AT_ONCE, SEEDS, MOST = (0.1, 0.2), 64, 6, 1.05
EVERY = 2
"""Of the whole topics only every so-manieth is judged: they take long."""


def measure(given: argparse.Namespace) -> Section:
    """Run one worker and many, on samples and on whole topics."""
    truths = graded(given.data)
    section = Section(
        f"Placement with {AT_ONCE} workers at once",
        "python -m benchmarks.placing.at_once",
        f"Topics of WT11 with at least three grades, {SEEDS} seeds (1 for whole topics, and every"
        " second topic), a crowd of 100. Whoever holds a pair answers at a random later moment."
        f" Bar: at most {MOST - 1:.0%} more judgments than with one at a time.",
        (
            "documents, error",
            "one at a time",
            "tau-b",
            f"{AT_ONCE} at once",
            "tau-b",
            "ratio",
            "bar",
        ),
    )
    for size in (SAMPLE, None):
        chosen, seeds = (truths, SEEDS) if size else (truths[::EVERY], 1)
        plans = [_plan(error, size, workers) for error in ERRORS for workers in (1, AT_ONCE)]
        study = SimulatedStudy(chosen, plans, repeat=seeds, seed=FIRST_SEED)
        list(study.run(given.jobs))
        for error, one, many in zip(ERRORS, plans[::2], plans[1::2], strict=True):
            name = f"{size or 'all'}, {error}"
            section.rows.append((name, *_cells(study.runs(one), study.runs(many))))
    return section


def _plan(error: float, size: int | None, workers: int) -> SimulationPlan:
    crowd = CrowdSettings(error=error)
    return SimulationPlan("placement", crowd=crowd, workers=workers, max_documents=size)


def _cells(one: Sequence[StudyRun], many: Sequence[StudyRun]) -> tuple[str, ...]:
    ratio = _spent(many) / _spent(one)
    cells = [
        cell
        for runs in (one, many)
        for cell in (f"{_spent(runs):.2f}", f"{np.mean([run.tau_b for run in runs]):.3f}")
    ]
    return *cells, f"{ratio:.3f}", met(ratio, MOST)


def _spent(runs: Sequence[StudyRun]) -> float:
    return sum(run.judgments for run in runs) / sum(run.documents for run in runs)


if __name__ == "__main__":
    main(measure)
