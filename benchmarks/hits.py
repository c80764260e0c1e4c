"""HITs as Bashir et al. (SIGIR 2013) paid for them: fifteen pairs, five traps, four workers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.app.simulation.crowd import CrowdSettings, SimulatedWorker, draw_crowd
from nextpair.app.simulation.ground_truth import GradedTruth, ShownPair
from nextpair.selectors.aggregation.responses import UNKNOWN
from nextpair.selectors.state.judgments import Outcome, Pair

OUTCOMES = (Outcome.BETTER, Outcome.WORSE, Outcome.TIE)
CODES = np.array([outcome.code for outcome in OUTCOMES])
MIRROR = (1, 0, 2)
"""What each outcome becomes when the sides change."""
REAL, TRAPS, PASS_MARK, VOTES = 15, 5, 2, 4
TRAPS_OF_TOPIC = 30
Rows = list[tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class Collected:
    """Accepted answers, traps after the pairs; `known` is the right answer to each trap."""

    items: NDArray[np.intp]
    workers: NDArray[np.intp]
    said: NDArray[np.intp]
    known: NDArray[np.intp]
    shape: tuple[int, int, int]
    refused: float


def collect_hits(
    truth: GradedTruth, pairs: NDArray[np.intp], settings: CrowdSettings, rng: np.random.Generator
) -> Collected:
    """Give every HIT to workers until four have passed its traps."""
    crowd = draw_crowd(settings, rng)
    traps = _traps(truth, rng)
    asked: list[Pair] = [(first, second) for first, second in pairs.tolist()] + traps
    rows: Rows = []
    offered = accepted = 0
    shuffled = rng.permutation(len(pairs))
    for start in range(0, len(pairs), REAL):
        chosen = len(pairs) + rng.choice(len(traps), TRAPS, replace=False)
        hit = np.concatenate((shuffled[start : start + REAL], chosen)).tolist()
        enough = accepted + VOTES
        for number in rng.permutation(len(crowd)).tolist():
            work = [(item, number, _answer(truth, asked[item], crowd[number], rng)) for item in hit]
            offered += 1
            if (
                sum(_is_right(truth, asked[item], said) for item, _, said in work[-TRAPS:])
                >= PASS_MARK
            ):
                rows += work
                accepted += 1
            if accepted == enough:
                break
    items, workers, said = np.array(rows, dtype=np.intp).T
    known = [UNKNOWN] * len(pairs) + [_right(truth, trap) for trap in traps]
    shape = len(asked), len(crowd), len(OUTCOMES)
    return Collected(items, workers, said, np.array(known), shape, 1 - accepted / offered)


def _traps(truth: GradedTruth, rng: np.random.Generator) -> list[Pair]:
    """Pair relevant documents with others, in either order."""
    relevant, others = (np.flatnonzero(mask) for mask in (truth.scores > 0, truth.scores <= 0))
    drawn = zip(
        rng.choice(relevant, TRAPS_OF_TOPIC).tolist(),
        rng.choice(others, TRAPS_OF_TOPIC).tolist(),
        strict=True,
    )
    return [(one, other) if rng.random() < 0.5 else (other, one) for one, other in drawn]


def _answer(
    truth: GradedTruth, pair: Pair, worker: SimulatedWorker, rng: np.random.Generator
) -> int:
    return OUTCOMES.index(truth.answer(ShownPair(pair), worker, rng).outcome)


def _right(truth: GradedTruth, pair: Pair) -> int:
    first, second = (truth.grades[place] for place in pair)
    return 2 if first == second else int(first < second)


def _is_right(truth: GradedTruth, pair: Pair, said: int) -> bool:
    return said == _right(truth, pair)
