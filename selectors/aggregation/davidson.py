"""Davidson's Bradley-Terry model with ties (JASA 1970), fitted by Newton's method with a prior.

With d = s_i - s_j and v >= 0, the tie parameter (how readily people call two equals a tie),

    P(i better) ~ exp(d / 2)        P(tie) ~ v        P(i worse) ~ exp(-d / 2)

Davidson's model and not Rao and Kupper's: its log-likelihood is concave in the scores and log v
jointly, so Newton's method finds the one maximum from any start, and wins plus half the ties are a
sufficient statistic of a document's score, as in Elo's S. The priors are s ~ N(0, sd²) and
log v ~ N(0, 1); without any tie, v is 0 and the model is plain Bradley-Terry.

Written by hand because scikit-learn's logistic regression, which fits the plain model (and is the
oracle in the tests), has a tie only as two half-wins and gives no standard errors.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import SuperLU, cg, splu

from nextpair.selectors.aggregation.responses import FloatArray, IndexArray

PRIOR_SD = 2.0
TOLERANCE = 1e-8
MAX_STEPS = 100
MAX_HALVINGS = 30
DENSE_LIMIT = 4000
"""Up to this many documents the Hessian is inverted as a dense matrix, beyond it by blocks."""
BLOCK = 256
"""Columns of the inverse Hessian that are solved together."""


@dataclass(frozen=True, slots=True)
class WeightedComparisons:
    """Pairs with the weights of their outcomes: the first is better, it is worse, or a tie."""

    size: int
    firsts: IndexArray
    seconds: IndexArray
    better: FloatArray
    worse: FloatArray
    ties: FloatArray

    @property
    def with_ties(self) -> bool:
        """Whether any tie has a weight."""
        return bool(self.ties.any())


@dataclass(frozen=True, slots=True)
class DavidsonModel:
    """The scores and log v, which is minus infinity where there are no ties."""

    scores: FloatArray
    log_ties: float

    def probabilities(self, firsts: IndexArray, seconds: IndexArray) -> FloatArray:
        """Return the probabilities of better, worse and tie (columns) of each pair (rows)."""
        half = (self.scores[firsts] - self.scores[seconds]) / 2
        logs = np.column_stack((half, -half, np.full(len(half), self.log_ties)))
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Derivatives:
    """Gradient and negative Hessian of the log-posterior; the last entry is that of log v."""

    gradient: FloatArray
    information: sparse.csc_array


def initial_model(data: WeightedComparisons) -> DavidsonModel:
    """Return the model with equal scores."""
    return DavidsonModel(np.zeros(data.size), 0.0 if data.with_ties else -np.inf)


def fit_davidson(
    data: WeightedComparisons,
    *,
    prior_sd: float = PRIOR_SD,
    start: DavidsonModel | None = None,
    max_steps: int = MAX_STEPS,
) -> DavidsonModel:
    """Return the posterior mode, or where `max_steps` Newton steps towards it lead."""
    model = start or initial_model(data)
    for _ in range(max_steps):
        derivatives = _derivatives(data, model, prior_sd)
        if np.abs(derivatives.gradient).max(initial=0) < TOLERANCE:
            break
        model = _newton_step(data, model, derivatives, prior_sd)
    return model


def log_posterior(
    data: WeightedComparisons, model: DavidsonModel, prior_sd: float = PRIOR_SD
) -> float:
    """Return the logarithm of likelihood times prior, up to a constant."""
    probabilities = model.probabilities(data.firsts, data.seconds)
    weights = np.column_stack((data.better, data.worse, data.ties))
    observed = weights > 0
    log_probabilities = np.log(np.maximum(probabilities[observed], 1e-300))
    likelihood = (weights[observed] * log_probabilities).sum()
    prior = (model.scores**2).sum() / prior_sd**2
    prior += model.log_ties**2 if data.with_ties else 0.0
    return float(likelihood - prior / 2)


def standard_errors(
    data: WeightedComparisons, model: DavidsonModel, prior_sd: float = PRIOR_SD
) -> FloatArray:
    """Return the posterior standard deviation of each score by the Laplace approximation."""
    information = _derivatives(data, model, prior_sd).information
    size = information.shape[0]
    if not size:
        return np.zeros(0)
    if size <= DENSE_LIMIT:
        # With A = L L', the diagonal of the inverse is the squared length of the columns of 1 / L.
        root, _ = linalg.lapack.dtrtri(linalg.cholesky(information.toarray(), lower=True), lower=1)
        variances = (root**2).sum(axis=0)
    else:
        solver = splu(information, permc_spec="MMD_AT_PLUS_A")
        blocks = [_inverse_diagonal(solver, size, start) for start in range(0, size, BLOCK)]
        variances = np.concatenate(blocks)
    return np.asarray(np.sqrt(variances[: data.size]), dtype=np.float64)


def standard_error_of_difference(
    data: WeightedComparisons,
    model: DavidsonModel,
    first: int,
    second: int,
    prior_sd: float = PRIOR_SD,
) -> float:
    """Return the posterior standard deviation of the difference of two scores."""
    information = _derivatives(data, model, prior_sd).information
    contrast = np.zeros(information.shape[0])
    contrast[first], contrast[second] = 1.0, -1.0
    preconditioner = sparse.diags_array(1 / information.diagonal())
    solution, _ = cg(information, contrast, rtol=1e-8, atol=0.0, M=preconditioner)
    return float(np.sqrt(contrast @ solution))


def _inverse_diagonal(solver: SuperLU, size: int, start: int) -> FloatArray:
    """Return one block of the diagonal of the inverse."""
    columns = np.eye(size, min(BLOCK, size - start), -start)
    return np.diagonal(solver.solve(columns)[start:]).copy()


def _derivatives(data: WeightedComparisons, model: DavidsonModel, prior_sd: float) -> _Derivatives:
    """Differentiate: a pair adds (better - worse) / 2 to its scores, and its ties to log v."""
    better, worse, tie = model.probabilities(data.firsts, data.seconds).T
    weight = data.better + data.worse + data.ties
    residual = ((data.better - data.worse) - weight * (better - worse)) / 2
    size = data.size + data.with_ties
    gradient = _sum_by_document(data, residual, size)
    gradient[: data.size] -= model.scores / prior_sd**2
    curvature = weight * ((better + worse) - (better - worse) ** 2) / 4
    firsts, seconds = data.firsts, data.seconds
    diagonal = _sum_by_document(data, curvature, size, sign=1)
    diagonal[: data.size] += 1 / prior_sd**2
    indices = np.arange(size)
    rows, columns = [indices, firsts, seconds], [indices, seconds, firsts]
    values = [diagonal, -curvature, -curvature]
    if data.with_ties:
        gradient[-1] += (data.ties - weight * tie).sum() - model.log_ties
        diagonal[-1] += (weight * tie * (1 - tie)).sum() + 1
        mixed = -weight * tie * (better - worse) / 2
        mixed_by_document = _sum_by_document(data, mixed, size)
        last = np.full(data.size, size - 1)
        rows += [indices[:-1], last]
        columns += [last, indices[:-1]]
        values += [mixed_by_document[:-1], mixed_by_document[:-1]]
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return _Derivatives(gradient, sparse.csc_array(entries, shape=(size, size)))


def _sum_by_document(
    data: WeightedComparisons, of_pairs: FloatArray, size: int, sign: int = -1
) -> FloatArray:
    """Sum a quantity of pairs over their first documents plus `sign` times over their second."""
    firsts = np.bincount(data.firsts, of_pairs, size)
    return np.asarray(firsts + sign * np.bincount(data.seconds, of_pairs, size), dtype=np.float64)


def _newton_step(
    data: WeightedComparisons, model: DavidsonModel, derivatives: _Derivatives, prior_sd: float
) -> DavidsonModel:
    """Take a Newton step, halved until it does not lower the posterior.

    Conjugate gradients keep the system sparse. The step need not be exact: convergence is judged by
    the gradient, not by the step.
    """
    preconditioner = sparse.diags_array(1 / derivatives.information.diagonal())
    step, _ = cg(
        derivatives.information, derivatives.gradient, rtol=1e-4, atol=0.0, M=preconditioner
    )
    current, size = log_posterior(data, model, prior_sd), data.size
    for halvings in range(MAX_HALVINGS):
        part = step * 0.5**halvings
        ties = model.log_ties + (part[-1] if data.with_ties else 0.0)
        candidate = DavidsonModel(model.scores + part[:size], float(ties))
        if log_posterior(data, candidate, prior_sd) >= current:
            return candidate
    return model
