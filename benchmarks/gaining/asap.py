"""ASAP, the strongest rival: information gain by message passing (Mikhailiuk et al., ICPR 2020).

Written anew after reading its authors' published Python code, because that takes seconds for every
single question. Scores are N(0, 1/2) and a judge's noise is N(0, 1); every question is the pair
whose answer is expected to move beliefs furthest (Kullback-Leibler divergence). Beliefs are fitted
to all answers before every question, as there. What an answer would change is taken for its own two
documents, where the original lets messages go round twice; and as there a pair is left out by
chance if others of its row are closer.
"""

import numpy as np
from numpy.typing import NDArray

from benchmarks.gaining.judges import CHECKPOINTS, Judges, Scale, judgment, tau_b
from nextpair.selectors.inference.gaussian_scores.expectation_propagation import gaussian_site
from nextpair.selectors.inference.gaussian_scores.thurstone import outcome_likelihood
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome, unordered
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import fold

Array = NDArray[np.float64]
PRIOR = 0.5
"""Variance of scores before anything is known."""
SWEEPS = 8


def taus(scale: Scale, seed: int) -> tuple[list[float], list[float]]:
    """Play one seed, and return tau-b at every checkpoint by ASAP's own scores, and by ours."""
    judges = Judges(scale, np.random.default_rng([seed, 8]))
    log: list[Judgment] = []
    own, ours = [], []
    for checkpoint in CHECKPOINTS:
        while len(log) < checkpoint * scale.size:
            pair = unordered(*_choose(*_believe(log, scale.size), judges.rng))
            worker = int(judges.rng.integers(scale.workers))
            log.append(judgment(len(log) + 1, pair, judges.answer(pair, worker), worker))
        own.append(tau_b(_believe(log, scale.size)[0], judges.scores))
        documents = [Document(f"d{place}") for place in range(scale.size)]
        topic = fold(documents, log, Settings("information-gain"))
        ours.append(tau_b(topic.scores(), judges.scores))
    return own, ours


def _believe(log: list[Judgment], size: int) -> tuple[Array, Array]:
    """Return means and variances of scores after all answers, by messages between documents."""
    firsts = np.array([int(one.first[1:]) for one in log], dtype=np.intp)
    seconds = np.array([int(one.second[1:]) for one in log], dtype=np.intp)
    answers = np.array([0 if one.outcome is Outcome.BETTER else 2 for one in log], dtype=np.intp)
    told = np.zeros((2, 2, len(log)))
    means, precisions = np.zeros(size), np.full(size, 1 / PRIOR)
    for _ in range(SWEEPS if log else 0):
        left = np.stack([precisions[firsts], precisions[seconds]]) - told[:, 0]
        shifts = np.stack([(means * precisions)[firsts], (means * precisions)[seconds]])
        one, other = (shifts - told[:, 1]) / left
        of_all = outcome_likelihood(one - other, (1 / left).sum(axis=0), 0.0)
        slope, curve = of_all.of(answers).log_derivatives()
        told[0] = gaussian_site(one, 1 / left[0], slope, curve)
        told[1] = gaussian_site(other, 1 / left[1], -slope, curve)
        added = [
            np.bincount(firsts, told[0, row], size) + np.bincount(seconds, told[1, row], size)
            for row in (0, 1)
        ]
        precisions = 1 / PRIOR + added[0]
        means = added[1] / precisions
    return means, 1 / precisions


def _choose(means: Array, variances: Array, rng: np.random.Generator) -> tuple[int, int]:
    """Return the pair whose answer is expected to tell most."""
    every = outcome_likelihood(means[:, None] - means, variances[:, None] + variances, 0.0)
    better, worse = every.probability[0], every.probability[2]
    slopes, curves = (steps[[0, 2]] for steps in every.log_derivatives())
    gains = np.zeros_like(better)
    for chance, slope, curve in zip((better, worse), slopes, curves, strict=True):
        for variance in (variances[:, None], variances[None, :]):
            kept = 1 - variance * curve
            gains += chance * (kept - 1 - np.log(kept) + variance * slope**2) / 2
    close = np.tril(np.minimum(better, worse), -1)
    closest = np.maximum(close.max(axis=1, keepdims=True), 1e-300)
    gains[(close / closest < rng.random(close.shape)) | (close == 0)] = -1
    best = np.argwhere(gains >= gains.max() - 1e-12)
    first, second = best[rng.integers(len(best))].tolist()
    return first, second
