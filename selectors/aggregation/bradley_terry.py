"""Bradley-Terry with ties and worker reliabilities: scores of documents, and whom to believe.

After Crowd-BT (Chen et al., WSDM 2013). Each answer of worker w was given in one of three ways,

    as the model says (r_w)        the other way round (o_w)        at random (1 - r_w - o_w)

and its probability is r_w P(answer) + o_w P(opposite) + (1 - r_w - o_w) / labels, with P Davidson's
(`davidson.py`). Crowd-BT knows the first two ways only, which calls someone who clicks at random
half an honest worker; and it knows no ties. A Dirichlet prior worth ten answers holds a worker near
`(0.8, 0.05, 0.15)`: nobody is condemned for a few answers, and without any all are alike.

EM: the ways are what is not seen. Given them, scores are a weighted Davidson fit, and a pass takes
one Newton step towards it, which leads up as surely as the whole way. No library has this model.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nextpair.selectors.aggregation.davidson import (
    PRIOR_SD,
    DavidsonModel,
    WeightedComparisons,
    fit_davidson,
    standard_errors,
)
from nextpair.selectors.aggregation.responses import (
    FloatArray,
    IndexArray,
    check_bounds,
    check_same_length,
    read_indices,
)
from nextpair.selectors.errors import BadInput, BadOption, SelfComparison

BETTER, WORSE, TIE = 0, 1, 2
"""How the first document compares with the second."""

MIXTURE_PRIOR = (8.0, 0.5, 1.5)
"""Pseudo-counts for answers by the model, the other way round, and at random."""
TOLERANCE = 1e-3
MAX_ITERATIONS = 200


@dataclass(frozen=True, slots=True)
class BradleyTerryFit:
    """What Bradley-Terry makes of the answers.

    Parameters
    ----------
    scores
        On the logit scale, larger is better; the mean of all is near 0.
    errors
        Standard errors, given the workers' ways; a document without an answer has the prior's.
    ways
        By worker: the shares of answers by the model, the other way round, and at random.
    log_ties
        log v; minus infinity where nobody said "tie".
    settled
        Whether the last pass moved no score and no way by more than the tolerance.
    """

    scores: FloatArray
    errors: FloatArray
    mixture: FloatArray
    log_ties: float
    iterations: int
    converged: bool

    @property
    def reliabilities(self) -> FloatArray:
        """How far each worker answers by the model: 1 always, 0 as good as never, -1 reversed."""
        return np.asarray(self.mixture[:, 0] - self.mixture[:, 1], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class PairResponses:
    """Answers about pairs as flat arrays; `outcomes` are BETTER, WORSE or TIE."""

    size: int
    crowd: int
    firsts: IndexArray
    seconds: IndexArray
    workers: IndexArray
    outcomes: IndexArray

    @property
    def options(self) -> int:
        """How many answers there were to choose from: a tie counts if anyone ever said it."""
        return 3 if (self.outcomes == TIE).any() else 2


def collect_pair_responses(
    size: int,
    firsts: ArrayLike,
    seconds: ArrayLike,
    outcomes: ArrayLike,
    workers: ArrayLike | None = None,
) -> PairResponses:
    """Check answers about pairs of `size` documents; without workers, all are one's."""
    one, other, said = (
        read_indices(firsts, "firsts"),
        read_indices(seconds, "seconds"),
        read_indices(outcomes, "outcomes"),
    )
    who = (
        np.zeros(len(said), dtype=np.intp) if workers is None else read_indices(workers, "workers")
    )
    check_same_length(one, other, said, who)
    check_bounds(size, one, other)
    if (one == other).any():
        raise SelfComparison()
    if said.size and said.max() > TIE:
        raise BadInput(f"outcomes are 0, 1 or 2 (better, worse, tie), got {said.max()}")
    return PairResponses(size, int(who.max(initial=-1)) + 1, one, other, who, said)


def fit_bradley_terry(
    answers: PairResponses,
    *,
    reliabilities: bool = True,
    prior_sd: float = PRIOR_SD,
    ways: tuple[float, float, float] = MIXTURE_PRIOR,
    tolerance: float = TOLERANCE,
    most_passes: int = MAX_ITERATIONS,
) -> BradleyTerryFit:
    """Score documents, with what each worker's answers are worth estimated along.

    Parameters
    ----------
    reliabilities
        Without them every answer is by the model.
    ways
        Pseudo-counts of the prior: by the model, the other way round, at random.
    """
    if prior_sd <= 0 or min(ways) <= 0:
        raise BadOption(f"a prior must be above zero, got prior_sd={prior_sd} and ways={ways}")
    prior = np.array(ways) if reliabilities else np.array([1.0, 0.0, 0.0])
    state = _initial_state(answers, prior, prior_sd)
    passes, moved = 0, np.inf if reliabilities else 0.0
    while passes < most_passes and moved > tolerance:
        before, state = state, _em_step(answers, state, prior, prior_sd)
        moved, passes = state.distance(before), passes + 1
    errors = standard_errors(state.data, state.model, prior_sd)
    model, settled = state.model, moved <= tolerance
    return BradleyTerryFit(model.scores, errors, state.mixture, model.log_ties, passes, settled)


def log_likelihood(answers: PairResponses, ranked: BradleyTerryFit) -> float:
    """Return the log-probability of the answers under what was concluded from them."""
    model = DavidsonModel(ranked.scores, ranked.log_ties)
    parts = _response_likelihoods(answers, model) * ranked.mixture[answers.workers]
    return float(np.log(parts.sum(axis=1)).sum())


@dataclass(frozen=True, slots=True)
class _EMState:
    """Where EM stands: the workers' ways, answers weighed by their ways, and the scores."""

    mixture: FloatArray
    data: WeightedComparisons
    model: DavidsonModel

    def distance(self, other: "_State") -> float:
        scores = np.abs(self.model.scores - other.model.scores).max(initial=0)
        return float(max(scores, np.abs(self.mixture - other.mixture).max(initial=0)))


def _initial_state(answers: PairResponses, prior: FloatArray, prior_sd: float) -> _EMState:
    ways = np.tile(prior / prior.sum(), (answers.crowd, 1))
    data = _weighted_comparisons(answers, ways[answers.workers])
    return _EMState(ways, data, fit_davidson(data, prior_sd=prior_sd))


def _em_step(
    answers: PairResponses, state: _EMState, prior: FloatArray, prior_sd: float
) -> _EMState:
    """Say in which way each answer was given, then fit workers and scores to that."""
    joint = _response_likelihoods(answers, state.model) * state.mixture[answers.workers]
    given = joint / joint.sum(axis=1, keepdims=True)
    counted = [np.bincount(answers.workers, way, answers.crowd) for way in given.T]
    ways = np.column_stack(counted) + prior
    data = _weighted_comparisons(answers, given)
    model = fit_davidson(data, prior_sd=prior_sd, start=state.model, most_steps=1)
    return _EMState(ways / ways.sum(axis=1, keepdims=True), data, model)


def _response_likelihoods(answers: PairResponses, model: DavidsonModel) -> FloatArray:
    """Return the probability of each answer if it was given in each of the three ways."""
    chances = model.probabilities(answers.firsts, answers.seconds)
    every = np.arange(len(answers.outcomes))
    opposite = np.array([WORSE, BETTER, TIE])[answers.outcomes]
    guess = np.full(len(every), 1 / answers.options)
    return np.column_stack((chances[every, answers.outcomes], chances[every, opposite], guess))


def _weighted_comparisons(answers: PairResponses, given: FloatArray) -> WeightedComparisons:
    """Count an answer as far as it is by the model, and its opposite as far as it is reversed."""
    by_model, opposite = given[:, 0], given[:, 1]
    better, worse, tie = (answers.outcomes == outcome for outcome in (BETTER, WORSE, TIE))
    return WeightedComparisons(
        answers.size,
        answers.firsts,
        answers.seconds,
        better * by_model + worse * opposite,
        worse * by_model + better * opposite,
        tie * (by_model + opposite),
    )
