"""Bradley-Terry with ties and a response mixture per worker: document scores, worker reliabilities.

After Crowd-BT (Chen et al., WSDM 2013). Each response of worker w comes from one of three mixture
components,

    the model (r_w)        the model reversed (o_w)        random (1 - r_w - o_w)

so its probability is r_w P(outcome) + o_w P(opposite) + (1 - r_w - o_w) / outcomes, where P is
that of Davidson's model (`davidson.py`). Crowd-BT has the first two components only, so it takes a
worker who clicks at random for one who is half honest, and it has no ties. A Dirichlet prior worth
ten responses holds the mixture of each worker near (0.8, 0.05, 0.15): a few responses condemn
nobody, and a worker without responses has the prior's mixture.

Fitted by generalised EM with the component of each response as the latent variable. Given the
components, the scores are a weighted Davidson fit; an M step takes one Newton step towards it,
which raises the posterior as surely as the complete fit. No library has this model.
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
from nextpair.selectors.state.judgments import Outcome

BETTER, TIE, WORSE = (outcome.code for outcome in (Outcome.BETTER, Outcome.TIE, Outcome.WORSE))
_DAVIDSON_COLUMN = np.array([0, 2, 1])
"""The column of Davidson's probabilities (better, worse, tie) of each outcome code."""

MIXTURE_PRIOR = (8.0, 0.5, 1.5)
"""Pseudo-counts of the three components: the model, the model reversed, random."""
TOLERANCE = 1e-3
MAX_ITERATIONS = 200


@dataclass(frozen=True, slots=True)
class BradleyTerryFit:
    """The fitted scores and mixtures.

    Parameters
    ----------
    scores
        On the logit scale, larger is better; their mean is near 0.
    standard_errors
        Given the mixtures; a document without a response has the prior's.
    mixture
        Component weights by worker (rows): the model, the model reversed, random.
    log_ties
        log v; minus infinity where there is no tie.
    converged
        Whether the last iteration moved no score and no weight by more than the tolerance.
    """

    scores: FloatArray
    standard_errors: FloatArray
    mixture: FloatArray
    log_ties: float
    iterations: int
    converged: bool

    @property
    def reliabilities(self) -> FloatArray:
        """r_w - o_w of each worker: 1 follows the model always, 0 is uninformative, -1 reverses."""
        return np.asarray(self.mixture[:, 0] - self.mixture[:, 1], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class PairResponses:
    """Responses to pairs in columns; `outcomes` are outcome codes.

    Parameters
    ----------
    size, worker_count
        How many documents and workers there are, those without a response included.
    """

    size: int
    worker_count: int
    firsts: IndexArray
    seconds: IndexArray
    workers: IndexArray
    outcomes: IndexArray

    @property
    def outcome_count(self) -> int:
        """How many outcomes workers could choose from: 3 if any response is a tie, else 2."""
        return 3 if (self.outcomes == TIE).any() else 2


def collect_pair_responses(
    size: int,
    firsts: ArrayLike,
    seconds: ArrayLike,
    outcomes: ArrayLike,
    workers: ArrayLike | None = None,
) -> PairResponses:
    """Validate responses to pairs of `size` documents; without workers, all come from one."""
    first, second, outcome = (
        read_indices(firsts, "firsts"),
        read_indices(seconds, "seconds"),
        read_indices(outcomes, "outcomes"),
    )
    worker = (
        np.zeros(len(outcome), dtype=np.intp)
        if workers is None
        else read_indices(workers, "workers")
    )
    check_same_length(first, second, outcome, worker)
    check_bounds(size, first, second)
    if (first == second).any():
        raise SelfComparison()
    if outcome.size and outcome.max() > WORSE:
        raise BadInput(f"outcomes are 0, 1 or 2 (better, tie, worse), got {outcome.max()}")
    return PairResponses(size, int(worker.max(initial=-1)) + 1, first, second, worker, outcome)


def fit_bradley_terry(
    responses: PairResponses,
    *,
    reliabilities: bool = True,
    prior_sd: float = PRIOR_SD,
    mixture_prior: tuple[float, float, float] = MIXTURE_PRIOR,
    tolerance: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
) -> BradleyTerryFit:
    """Fit document scores and worker mixtures together.

    Parameters
    ----------
    reliabilities
        False fits the scores alone: every response then comes from the model.
    mixture_prior
        Pseudo-counts of the Dirichlet prior: the model, the model reversed, random.
    """
    if prior_sd <= 0 or min(mixture_prior) <= 0:
        raise BadOption(
            f"a prior must be above zero, got prior_sd={prior_sd} and mixture_prior={mixture_prior}"
        )
    prior = np.array(mixture_prior) if reliabilities else np.array([1.0, 0.0, 0.0])
    state = _initial_state(responses, prior, prior_sd)
    iterations, change = 0, np.inf if reliabilities else 0.0
    while iterations < max_iterations and change > tolerance:
        previous, state = state, _em_step(responses, state, prior, prior_sd)
        change, iterations = state.distance(previous), iterations + 1
    errors = standard_errors(state.data, state.model, prior_sd)
    model, converged = state.model, change <= tolerance
    return BradleyTerryFit(
        model.scores, errors, state.mixture, model.log_ties, iterations, converged
    )


def log_likelihood(responses: PairResponses, fit: BradleyTerryFit) -> float:
    """Return the log-probability of the responses under a fit."""
    model = DavidsonModel(fit.scores, fit.log_ties)
    joint = _response_likelihoods(responses, model) * fit.mixture[responses.workers]
    return float(np.log(joint.sum(axis=1)).sum())


@dataclass(frozen=True, slots=True)
class _EMState:
    """The mixtures, the comparisons weighted by them, and the scores."""

    mixture: FloatArray
    data: WeightedComparisons
    model: DavidsonModel

    def distance(self, other: "_EMState") -> float:
        scores = np.abs(self.model.scores - other.model.scores).max(initial=0)
        return float(max(scores, np.abs(self.mixture - other.mixture).max(initial=0)))


def _initial_state(responses: PairResponses, prior: FloatArray, prior_sd: float) -> _EMState:
    mixture = np.tile(prior / prior.sum(), (responses.worker_count, 1))
    data = _weighted_comparisons(responses, mixture[responses.workers])
    return _EMState(mixture, data, fit_davidson(data, prior_sd=prior_sd))


def _em_step(
    responses: PairResponses, state: _EMState, prior: FloatArray, prior_sd: float
) -> _EMState:
    """E: the posterior of each response's component. M: mixtures, and one Newton step of scores."""
    joint = _response_likelihoods(responses, state.model) * state.mixture[responses.workers]
    components = joint / joint.sum(axis=1, keepdims=True)
    counts = [
        np.bincount(responses.workers, component, responses.worker_count)
        for component in components.T
    ]
    mixture = np.column_stack(counts) + prior
    data = _weighted_comparisons(responses, components)
    model = fit_davidson(data, prior_sd=prior_sd, start=state.model, max_steps=1)
    return _EMState(mixture / mixture.sum(axis=1, keepdims=True), data, model)


def _response_likelihoods(responses: PairResponses, model: DavidsonModel) -> FloatArray:
    """Return the probability of each response (rows) under each component (columns)."""
    probabilities = model.probabilities(responses.firsts, responses.seconds)
    rows = np.arange(len(responses.outcomes))
    observed = _DAVIDSON_COLUMN[responses.outcomes]
    opposite = _DAVIDSON_COLUMN[2 - responses.outcomes]
    random = np.full(len(rows), 1 / responses.outcome_count)
    return np.column_stack((probabilities[rows, observed], probabilities[rows, opposite], random))


def _weighted_comparisons(responses: PairResponses, components: FloatArray) -> WeightedComparisons:
    """Weight a response by its component "model", and its opposite by "model reversed"."""
    model, opposite = components[:, 0], components[:, 1]
    better, worse, tie = (responses.outcomes == outcome for outcome in (BETTER, WORSE, TIE))
    return WeightedComparisons(
        responses.size,
        responses.firsts,
        responses.seconds,
        better * model + worse * opposite,
        worse * model + better * opposite,
        tie * (model + opposite),
    )
