"""Systems under two sets of judgments: how each ranks them, and which it tells apart (yang-2018).

    RBP  = (1 - p) * sum of g_i p^(i-1)                         (Moffat and Zobel 2008)
    nDCG = DCG / DCG of the best ranking,  DCG = sum of g_i / log2(i + 1)

over the gains g_i of a ranking's documents. Written by hand because ir-measures, the oracle in the
tests, takes whole grades only and its RBP two of them, and our gains are real: scores of studies.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from nextpair.selectors.aggregation.responses import Numbers
from nextpair.selectors.agreement.rank_correlation import Concordance, concordance, tau_b
from nextpair.selectors.errors import BadInput, BadOption

Gains = Mapping[str, float]
"""What each judged document of a topic is worth; any other is worth 0."""
Qrels = Mapping[str, Gains]
Runs = Mapping[str, Mapping[str, Sequence[str]]]
"""By system and topic: documents, best first."""
Measure = Callable[[Sequence[str], Gains], float]


@dataclass(frozen=True, slots=True)
class Discrimination:
    """Pairs of systems told apart by the reference and by other judgments (yang-2018, Table 4).

    `true_positive` by both, `false_positive` only by the other, `false_negative` only by the
    reference, `true_negative` by neither.
    """

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int


@dataclass(frozen=True, slots=True)
class Compared:
    """Two sets of judgments compared by what they say of systems."""

    tau: float
    order: Concordance
    discrimination: Discrimination


def rbp(ranking: Sequence[str], gains: Gains, persistence: float = 0.9) -> float:
    """Return rank-biased precision; gains are between 0 and 1."""
    if not 0 < persistence < 1:
        raise BadOption(f"persistence is between 0 and 1, got {persistence}")
    found = _gains_of(ranking, gains)
    if found.size and found.max() > 1:
        raise BadInput(f"gains for RBP are at most 1, got {found.max():g}: see scale")
    return float((1 - persistence) * found @ persistence ** np.arange(len(found)))


def ndcg(ranking: Sequence[str], gains: Gains, depth: int = 10) -> float:
    """Return normalised discounted cumulative gain at a depth; 0 where nothing has a gain."""
    if depth < 1:
        raise BadOption(f"a depth is at least 1, got {depth}")
    best = np.sort(np.maximum(np.array([*gains.values()], dtype=np.float64), 0))[::-1]
    ideal = _discounted(best[:depth])
    return _discounted(_gains_of(ranking[:depth], gains)) / ideal if ideal else 0.0


def scale(qrels: Qrels) -> dict[str, dict[str, float]]:
    """Divide all gains by the largest of all topics, and count negative ones as 0."""
    largest = max((gain for gains in qrels.values() for gain in gains.values()), default=0.0)
    by = largest if largest > 0 else 1.0
    return {
        topic: {document: max(0.0, gain) / by for document, gain in gains.items()}
        for topic, gains in qrels.items()
    }


def evaluate(runs: Runs, qrels: Qrels, measure: Measure) -> Numbers:
    """Measure every system (rows) on every topic of the judgments (columns).

    A system without a ranking for a topic gets 0 there.
    """
    return np.array(
        [[measure(run.get(topic, ()), qrels[topic]) for topic in qrels] for run in runs.values()]
    ).reshape(len(runs), len(qrels))


def compare_systems(
    reference: NDArray[np.float64], other: NDArray[np.float64], level: float = 0.05
) -> Compared:
    """Compare what two sets of judgments say of the same systems (rows) and topics (columns).

    Parameters
    ----------
    level
        A pair of systems is told apart if a two-sided paired t-test over topics has p below it.
    """
    if reference.shape != other.shape or reference.ndim != 2:
        raise BadInput(f"shapes {reference.shape} and {other.shape} are not those of one table")
    if not 0 < level < 1:
        raise BadOption(f"a significance level is between 0 and 1, got {level}")
    means = reference.mean(axis=1), other.mean(axis=1)
    by_reference, by_other = (p_values(table) < level for table in (reference, other))
    found = Discrimination(
        int((by_reference & by_other).sum()),
        int((~by_reference & by_other).sum()),
        int((by_reference & ~by_other).sum()),
        int((~by_reference & ~by_other).sum()),
    )
    return Compared(tau_b(*means), concordance(*means), found)


def p_values(table: NDArray[np.float64]) -> Numbers:
    """Return p of the paired t-test for each pair of rows, in the order of `np.triu_indices`.

    Written out, for SciPy's warns of two rows that differ by a constant or not at all, as systems
    may; their p is 0 and 1.
    """
    systems, topics = table.shape
    if topics < 2:
        raise BadInput("a paired test needs at least two topics")
    one, other = np.triu_indices(systems, 1)
    apart = table[one] - table[other]
    mean = apart.mean(axis=1)
    error = apart.std(axis=1, ddof=1) / np.sqrt(topics)
    # Below this, what is left of a constant difference is rounding.
    varies = error > 1e-12 * np.abs(mean)
    t = np.divide(mean, error, out=np.where(mean == 0, 0.0, np.inf), where=varies)
    return np.asarray(2 * stdtr(topics - 1, -np.abs(t)), dtype=np.float64)


def _gains_of(ranking: Sequence[str], gains: Gains) -> Numbers:
    return np.array([max(0.0, gains.get(document, 0.0)) for document in ranking], dtype=np.float64)


def _discounted(gains: Numbers) -> float:
    return float((gains / np.log2(np.arange(2, len(gains) + 2))).sum())
