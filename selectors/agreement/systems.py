"""Systems under two sets of judgments: their rankings and discriminative power (yang-2018).

    RBP  = (1 - p) * sum of g_i p^(i-1)                         (Moffat and Zobel 2008)
    nDCG = DCG / DCG of the best ranking,  DCG = sum of g_i / log2(i + 1)

over the gains g_i of a ranking's documents. Written by hand because ir-measures, the oracle in the
tests, takes integer grades only, and its RBP binary ones; gains here are real: scores of studies.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from nextpair.selectors.aggregation.responses import FloatArray
from nextpair.selectors.agreement.rank_correlation import Concordance, concordance, tau_b
from nextpair.selectors.errors import BadInput, BadOption

Gains = Mapping[str, float]
"""The gain of each judged document of a topic; any other document has gain 0."""
Qrels = Mapping[str, Gains]
Runs = Mapping[str, Mapping[str, Sequence[str]]]
"""By system and topic: documents, best first."""
Measure = Callable[[Sequence[str], Gains], float]


@dataclass(frozen=True, slots=True)
class Discrimination:
    """Pairs of systems that differ significantly (yang-2018, Table 4).

    `true_positive` under both sets of judgments, `false_positive` only under the other,
    `false_negative` only under the reference, `true_negative` under neither.
    """

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """Agreement of two sets of judgments on the ranking of systems."""

    tau: float
    concordance: Concordance
    discrimination: Discrimination


def rbp(ranking: Sequence[str], gains: Gains, persistence: float = 0.9) -> float:
    """Return rank-biased precision of gains between 0 and 1."""
    if not 0 < persistence < 1:
        raise BadOption(f"persistence is between 0 and 1, got {persistence}")
    ranked = _gains_of(ranking, gains)
    if ranked.size and ranked.max() > 1:
        raise BadInput(f"gains for RBP are at most 1, got {ranked.max():g}: see scale")
    return float((1 - persistence) * ranked @ persistence ** np.arange(len(ranked)))


def ndcg(ranking: Sequence[str], gains: Gains, depth: int = 10) -> float:
    """Return normalised discounted cumulative gain at a depth; 0 if no document has a gain."""
    if depth < 1:
        raise BadOption(f"a depth is at least 1, got {depth}")
    best = np.sort(np.maximum(np.array([*gains.values()], dtype=np.float64), 0))[::-1]
    ideal = _discounted(best[:depth])
    return _discounted(_gains_of(ranking[:depth], gains)) / ideal if ideal else 0.0


def scale(qrels: Qrels) -> dict[str, dict[str, float]]:
    """Divide all gains by the largest of all topics; negative ones become 0."""
    largest = max((gain for gains in qrels.values() for gain in gains.values()), default=0.0)
    divisor = largest if largest > 0 else 1.0
    return {
        topic: {document: max(0.0, gain) / divisor for document, gain in gains.items()}
        for topic, gains in qrels.items()
    }


def evaluate(runs: Runs, qrels: Qrels, measure: Measure) -> FloatArray:
    """Measure every system (rows) on every topic of the judgments (columns).

    A system without a ranking for a topic gets 0 there.
    """
    return np.array(
        [[measure(run.get(topic, ()), qrels[topic]) for topic in qrels] for run in runs.values()]
    ).reshape(len(runs), len(qrels))


def compare_systems(
    reference: NDArray[np.float64], other: NDArray[np.float64], level: float = 0.05
) -> SystemComparison:
    """Compare the scores of the same systems (rows) on the same topics (columns) under two sets.

    Parameters
    ----------
    level
        Significance level of the two-sided paired t-test over topics.
    """
    if reference.shape != other.shape or reference.ndim != 2:
        raise BadInput(f"shapes {reference.shape} and {other.shape} are not those of one table")
    if not 0 < level < 1:
        raise BadOption(f"a significance level is between 0 and 1, got {level}")
    means = reference.mean(axis=1), other.mean(axis=1)
    by_reference, by_other = (p_values(table) < level for table in (reference, other))
    discrimination = Discrimination(
        int((by_reference & by_other).sum()),
        int((~by_reference & by_other).sum()),
        int((by_reference & ~by_other).sum()),
        int((~by_reference & ~by_other).sum()),
    )
    return SystemComparison(tau_b(*means), concordance(*means), discrimination)


def p_values(table: NDArray[np.float64]) -> FloatArray:
    """Return p-values of the paired t-test of all pairs of rows, ordered as `np.triu_indices`.

    Written by hand because SciPy's warns if two rows differ by a constant (p is 0) or are equal
    (p is 1), as systems may.
    """
    systems, topics = table.shape
    if topics < 2:
        raise BadInput("a paired test needs at least two topics")
    first, second = np.triu_indices(systems, 1)
    differences = table[first] - table[second]
    mean = differences.mean(axis=1)
    error = differences.std(axis=1, ddof=1) / np.sqrt(topics)
    # Below this, the deviation of a constant difference is rounding error.
    varies = error > 1e-12 * np.abs(mean)
    t = np.divide(mean, error, out=np.where(mean == 0, 0.0, np.inf), where=varies)
    return np.asarray(2 * stdtr(topics - 1, -np.abs(t)), dtype=np.float64)


def _gains_of(ranking: Sequence[str], gains: Gains) -> FloatArray:
    return np.array([max(0.0, gains.get(document, 0.0)) for document in ranking], dtype=np.float64)


def _discounted(gains: FloatArray) -> float:
    return float((gains / np.log2(np.arange(2, len(gains) + 2))).sum())
