"""Which crowd the answers come from: several are tried, and beliefs are averaged over them.

A few answers per document cannot tell documents that lie close together from a crowd of which many
guess. So neither is assumed: all answers are fitted with each crowd in turn, and each fit counts as
far as it explains them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nextpair.selectors.inference.gaussian_scores.dense_propagation import polish
from nextpair.selectors.inference.gaussian_scores.expectation_propagation import Data, Fit
from nextpair.selectors.inference.gaussian_scores.log_evidence import evidence
from nextpair.selectors.inference.gaussian_scores.scale_posterior import (
    USUAL,
    Scores,
    averaged,
    correlated,
    settle,
)
from nextpair.selectors.inference.ordinal_classes.factor_messages import shares
from nextpair.selectors.inference.ordinal_classes.places import Array
from nextpair.selectors.inference.workers.response_mixture import CROWDS, Believed, Crowd

FEW, MANY = 500, 2_000
"""Up to so many documents fits are polished; up to so many there is a whole covariance."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What explains the answers: scores, workers, and the likeliest margin of ties."""

    scores: Scores
    believed: Believed
    margin: float


def explain(
    data: Data, workers: NDArray[np.intp], known: Array, effort: tuple[int, int]
) -> Explanation:
    """Fit everything with each crowd, and average over them.

    Parameters
    ----------
    workers, known
        Who gave each answer, and what answers that were known say of each worker.
    effort
        How often the spread of scores is moved in a fit, and the sweeps after each move.
    """
    fits, found, plausible = [], [], []
    for chance, kinds in CROWDS:
        fit = Fit(data, Crowd(workers, known, np.array(kinds)), USUAL)
        fit.propagate()
        settled = settle(fit, polish if data.size <= FEW else Fit.sweep, *effort)
        fits.append(fit)
        found.append(settled.scores)
        plausible.append(np.log(chance) + settled.evidence + evidence(fit, settled.likeliest))
    weights: Array = shares(np.array(plausible))
    likeliest = fits[int(weights.argmax())]
    scores = averaged(weights, found)
    if FEW < data.size <= MANY:
        scores = correlated(likeliest, scores)
    believed = Believed.averaged(weights, [fit.crowd.believed() for fit in fits])
    return Explanation(scores, believed, likeliest.margin)
