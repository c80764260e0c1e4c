"""The topics placement is measured on."""

from pathlib import Path

import numpy as np

from nextpair.app.formats.features import FeatureTable
from nextpair.app.formats.trec import read_qrels
from nextpair.app.simulation.ground_truth import (
    GradedTruth,
    RecordedTruth,
    generated_truths,
    graded_truths,
    recorded_truths,
)

FIRST_SEED = 40
"""Seeds before this one were looked at while placement was made."""
SAMPLE = 200
"""Documents judged per topic where not all are."""


def graded(data: Path) -> list[GradedTruth]:
    """Read the topics of the TREC Web Track 2011 that have at least three grades."""
    path = data / "trec-web" / "wt11.qrels.gz"
    if path.exists():
        truths = graded_truths(read_qrels(path), FeatureTable())
        return [truth for truth in truths if len(set(truth.grades)) >= 3]
    print(f"missing {path}: fetch the ad hoc qrels of the TREC Web Track 2011 from trec.nist.gov.")
    print("Running on generated topics instead.")
    shares = [0.83, 0.11, 0.05, 0.01]
    return generated_truths(38, 350, shares, np.random.default_rng(0))


def recorded(data: Path) -> list[RecordedTruth]:
    """Read the answers of the real crowd of UKPConvArg1; nothing if they are not there."""
    path = data / "ukp-conv-arg" / "judgments.csv.gz"
    if path.exists():
        columns = ("topic", "arg1", "arg2", "worker", "value")
        return recorded_truths(path, columns, ("a1", "a2", "equal"))
    print(f"missing {path}: fetch UKPConvArg1 (Habernal and Gurevych, ACL 2016) and write all")
    print("answers as CSV. There is no replay without it.")
    return []
