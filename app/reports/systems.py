"""Evaluation of systems (TREC runs) by the study's scores and by a reference's grades.

RBP and nDCG need gains from 0 to 1. A grade is divided by the highest grade of the reference.
Scores on a bounded scale are mapped from its bounds to [0, 1], in every topic alike. Unbounded
scores cannot be compared between topics, so each topic's are mapped from its own range.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nextpair.app.formats.files import BadFile
from nextpair.app.formats.trec import are_integer_grades, read_run
from nextpair.app.reports.reference import Grades, Scores, concordance_out
from nextpair.app.schemas.reports import DiscriminationOut, MeasureOut, SystemOut, SystemsOut
from nextpair.selectors.agreement.rank_correlation import concordance, tau_b
from nextpair.selectors.agreement.systems import (
    Runs,
    compare_systems,
    evaluate,
    ndcg,
    rbp,
    scale,
)
from nextpair.selectors.errors import BadInput

MEASURES = {"RBP 0.9": rbp, "nDCG@10": ndcg}


def read_runs(folder: Path) -> dict[str, dict[str, list[str]]]:
    """Read every file of a folder as a run, by its tag."""
    if not folder.is_dir():
        raise BadFile(f"{folder}: there is no such folder")
    runs: dict[str, dict[str, list[str]]] = {}
    for path in sorted(folder.iterdir()):
        if path.is_dir() or path.name.startswith("."):
            continue
        tag, ranks = read_run(path)
        if tag in runs:
            raise BadFile(f"{path}: another run of the folder has the tag {tag!r}, too")
        runs[tag] = {
            topic: sorted(of, key=lambda document: of[document]) for topic, of in ranks.items()
        }
    if len(runs) < 2:
        raise BadFile(f"{folder}: systems are compared with one another, and it has {len(runs)}")
    return runs


def compare_runs(
    runs: Runs, grades: Grades, scores: Scores, scale_ends: tuple[float, float] | None = None
) -> SystemsOut:
    """Rank systems by the study and by the reference, on the topics that both have.

    Parameters
    ----------
    scale_ends
        The lowest and the highest possible score, where the scale is bounded.
    """
    topics = [topic for topic in scores if topic in grades]
    if not any(topic in run for run in runs.values() for topic in topics):
        raise BadInput("the runs have no topic that the study and the reference have")
    common = {topic: grades[topic] for topic in topics}
    if are_integer_grades(common):
        reference = scale(common)
    else:
        reference = {topic: _gains(common[topic], None) for topic in topics}
    study = {topic: _gains(scores[topic], scale_ends) for topic in topics}
    tables = {
        name: (evaluate(runs, study, measure), evaluate(runs, reference, measure))
        for name, measure in MEASURES.items()
    }
    means = [table.mean(axis=1).tolist() for pair in tables.values() for table in pair]
    systems = [
        SystemOut(
            system=system,
            rbp_study=means[0][place],
            rbp_reference=means[1][place],
            ndcg_study=means[2][place],
            ndcg_reference=means[3][place],
        )
        for place, system in enumerate(runs)
    ]
    systems.sort(key=lambda evaluated: (-evaluated.rbp_reference, evaluated.system))
    measures = [_measure(name, *pair) for name, pair in tables.items()]
    return SystemsOut(topics=topics, systems=systems, measures=measures)


def _gains(scores: Mapping[str, float], scale_ends: tuple[float, float] | None) -> dict[str, float]:
    own = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    low, high = scale_ends or own
    apart = high - low or 1.0
    return {document: (score - low) / apart for document, score in scores.items()}


def _measure(name: str, study: NDArray[np.float64], reference: NDArray[np.float64]) -> MeasureOut:
    if study.shape[1] < 2:
        means = reference.mean(axis=1), study.mean(axis=1)
        pairs = concordance_out(concordance(*means))
        return MeasureOut(measure=name, tau=tau_b(*means), pairs=pairs, discrimination=None)
    found = compare_systems(reference, study)
    discrimination = DiscriminationOut.model_validate(found.discrimination, from_attributes=True)
    pairs = concordance_out(found.concordance)
    return MeasureOut(measure=name, tau=found.tau, pairs=pairs, discrimination=discrimination)
