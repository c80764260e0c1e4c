"""A real crowd, replayed: placement beside mechanisms with a majority of three, at their spend."""

import argparse
from collections.abc import Sequence

import numpy as np

from benchmarks.placing.topics import FIRST_SEED, recorded
from benchmarks.section import Section, main, met
from nextpair.app.simulation.ground_truth import GroundTruth
from nextpair.app.simulation.runs import SimulationPlan
from nextpair.app.simulation.studies import SimulatedStudy, StudyRun

RIVALS = ("quick-sort", "merge-tie")
SEEDS = 10
NEVER = 1e-9
"""A risk that is never reached: placement goes on until its budget is used."""


def measure(given: argparse.Namespace) -> Section:
    """Run the rivals, then placement with what each of them spent."""
    truths = recorded(given.data)
    section = Section(
        "Placement with a real crowd",
        "python -m benchmarks.placing.real_crowd",
        f"UKPConvArg1, {len(truths)} topics; every answer is drawn from those that real workers"
        f" gave to that very pair. {SEEDS} seeds. The reference is each argument's mean outcome"
        " over all real answers; it has hardly any ties. Placement gets as many judgments per"
        " document as the mechanism above it used. Bar: a higher tau-b.",
        ("selector", "judgments per document", "tau-b", "lowest topic", "bar"),
    )
    for rival in RIVALS if truths else ():
        theirs = _play(truths, SimulationPlan(rival, votes=3), given.jobs)
        spent = sum(run.judgments for run in theirs) / sum(run.documents for run in theirs)
        plan = SimulationPlan("placement", {"risk": NEVER, "budget": spent})
        ours = _play(truths, plan, given.jobs)
        least = float(np.mean([run.tau_b for run in theirs]))
        section.rows.append(_row(f"{rival}, majority of 3", theirs, "-"))
        mean = float(np.mean([run.tau_b for run in ours]))
        section.rows.append(_row("placement, same spend", ours, met(least, mean)))
    return section


def _play(truths: Sequence[GroundTruth], plan: SimulationPlan, jobs: int) -> list[StudyRun]:
    study = SimulatedStudy(truths, [plan], repeat=SEEDS, seed=FIRST_SEED)
    list(study.run(jobs))
    return study.runs(plan)


def _row(name: str, runs: Sequence[StudyRun], bar: str) -> tuple[str, ...]:
    taus = np.array([[topic.tau_b for topic in run.topics] for run in runs])
    cost = sum(run.judgments for run in runs) / sum(run.documents for run in runs)
    lowest = float(taus.mean(axis=0).min())
    return name, f"{cost:.2f}", f"{taus.mean():.3f}", f"{lowest:.3f}", bar


if __name__ == "__main__":
    main(measure)
