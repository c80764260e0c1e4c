"""Davidson's Bradley-Terry model with ties (JASA 1970), fitted by Newton's method with a prior.

With d = s_i - s_j and v >= 0, how readily people call two equals a tie,

    P(i better) ~ exp(d / 2)        P(tie) ~ v        P(i worse) ~ exp(-d / 2)

Davidson's model and not Rao and Kupper's: its log-likelihood is concave in the scores and log v
together, so Newton's method finds the one maximum from anywhere, and a document's wins plus half
its ties say all there is to say about its score, as in Elo's S. Scores have the prior N(0, sd²),
log v has N(0, 1); where nobody says "tie", v is 0 and the model is the plain one.

Written by hand because scikit-learn's logistic regression, which is the plain model's fit (and the
oracle in the tests), knows no ties but two half-wins and gives no standard errors.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import SuperLU, cg, splu

from nextpair.selectors.aggregation.responses import Numbers, Places

PRIOR_SD = 2.0
TOLERANCE = 1e-8
MOST_STEPS = 100
DENSE = 4000
"""Up to so many documents the Hessian is inverted whole, beyond it in parts."""


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Pairs, and how much weight says that the first is better, that it is worse, or a tie."""

    size: int
    firsts: Places
    seconds: Places
    better: Numbers
    worse: Numbers
    ties: Numbers

    @property
    def with_ties(self) -> bool:
        """Whether anyone said "tie"."""
        return bool(self.ties.any())


@dataclass(frozen=True, slots=True)
class Davidson:
    """Scores, and the logarithm of v, minus infinity where there are no ties."""

    scores: Numbers
    log_ties: float

    def chances(self, firsts: Places, seconds: Places) -> Numbers:
        """Return the chances of better, worse and tie, a column each."""
        half = (self.scores[firsts] - self.scores[seconds]) / 2
        logs = np.column_stack((half, -half, np.full(len(half), self.log_ties)))
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Slope:
    """Gradient and negative Hessian of the log-posterior; the last entry is log v's."""

    gradient: Numbers
    information: sparse.csc_array


def begin(data: Comparisons) -> Davidson:
    """Start with equal scores."""
    return Davidson(np.zeros(data.size), 0.0 if data.with_ties else -np.inf)


def fit_davidson(
    data: Comparisons,
    *,
    prior_sd: float = PRIOR_SD,
    start: Davidson | None = None,
    most_steps: int = MOST_STEPS,
) -> Davidson:
    """Find the most probable scores, or go some steps towards them."""
    model = start or begin(data)
    for _ in range(most_steps):
        slope = _slope(data, model, prior_sd)
        if np.abs(slope.gradient).max(initial=0) < TOLERANCE:
            break
        model = _climb(data, model, slope, prior_sd)
    return model


def log_posterior(data: Comparisons, model: Davidson, prior_sd: float = PRIOR_SD) -> float:
    """Return the logarithm of likelihood times prior, but for a constant."""
    chances = model.chances(data.firsts, data.seconds)
    said = np.column_stack((data.better, data.worse, data.ties))
    spoken = said > 0
    likelihood = (said[spoken] * np.log(np.maximum(chances[spoken], 1e-300))).sum()
    prior = (model.scores**2).sum() / prior_sd**2
    prior += model.log_ties**2 if data.with_ties else 0.0
    return float(likelihood - prior / 2)


def standard_errors(data: Comparisons, model: Davidson, prior_sd: float = PRIOR_SD) -> Numbers:
    """Return the posterior's standard deviation of each score, from the Hessian at the maximum."""
    information = _slope(data, model, prior_sd).information
    size = information.shape[0]
    if not size:
        return np.zeros(0)
    if size <= DENSE:
        # Of A = L L', the diagonal of the inverse is the squared length of the columns of 1 / L.
        root, _ = linalg.lapack.dtrtri(linalg.cholesky(information.toarray(), lower=True), lower=1)
        variances = (root**2).sum(axis=0)
    else:
        solver = splu(information, permc_spec="MMD_AT_PLUS_A")
        variances = np.concatenate([_part(solver, size, at) for at in range(0, size, 256)])
    return np.asarray(np.sqrt(variances[: data.size]), dtype=np.float64)


def error_of_difference(
    data: Comparisons, model: Davidson, first: int, second: int, prior_sd: float = PRIOR_SD
) -> float:
    """Return the posterior's standard deviation of the difference of two scores."""
    information = _slope(data, model, prior_sd).information
    apart = np.zeros(information.shape[0])
    apart[first], apart[second] = 1.0, -1.0
    scale = sparse.diags_array(1 / information.diagonal())
    solved, _ = cg(information, apart, rtol=1e-8, atol=0.0, M=scale)
    return float(np.sqrt(apart @ solved))


def _part(solver: SuperLU, size: int, start: int) -> Numbers:
    columns = np.eye(size, min(256, size - start), -start)
    return np.diagonal(solver.solve(columns)[start:]).copy()


def _slope(data: Comparisons, model: Davidson, prior_sd: float) -> _Slope:
    """Differentiate: a score sees (better - worse) / 2 of its pairs, log v sees their ties."""
    better, worse, tie = model.chances(data.firsts, data.seconds).T
    weight = data.better + data.worse + data.ties
    ahead = ((data.better - data.worse) - weight * (better - worse)) / 2
    size = data.size + data.with_ties
    gradient = _net(data, ahead, size)
    gradient[: data.size] -= model.scores / prior_sd**2
    curve = weight * ((better + worse) - (better - worse) ** 2) / 4
    firsts, seconds = data.firsts, data.seconds
    diagonal = _net(data, curve, size, sign=1)
    diagonal[: data.size] += 1 / prior_sd**2
    every = np.arange(size)
    rows, columns = [every, firsts, seconds], [every, seconds, firsts]
    values = [diagonal, -curve, -curve]
    if data.with_ties:
        gradient[-1] += (data.ties - weight * tie).sum() - model.log_ties
        diagonal[-1] += (weight * tie * (1 - tie)).sum() + 1
        across = -weight * tie * (better - worse) / 2
        pull = _net(data, across, size)
        last = np.full(data.size, size - 1)
        rows += [every[:-1], last]
        columns += [last, every[:-1]]
        values += [pull[:-1], pull[:-1]]
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return _Slope(gradient, sparse.csc_array(entries, shape=(size, size)))


def _net(data: Comparisons, of_pairs: Numbers, size: int, sign: int = -1) -> Numbers:
    """Add up what pairs say of their first document and, with a sign, of their second."""
    firsts = np.bincount(data.firsts, of_pairs, size)
    return np.asarray(firsts + sign * np.bincount(data.seconds, of_pairs, size), dtype=np.float64)


def _climb(data: Comparisons, model: Davidson, slope: _Slope, prior_sd: float) -> Davidson:
    """Take Newton's step, halved until it leads up; conjugate gradients keep it sparse.

    The step need not be exact: the gradient, not the step, says when the top is reached.
    """
    scale = sparse.diags_array(1 / slope.information.diagonal())
    step, _ = cg(slope.information, slope.gradient, rtol=1e-4, atol=0.0, M=scale)
    here, size = log_posterior(data, model, prior_sd), data.size
    for halvings in range(30):
        part = step * 0.5**halvings
        ties = model.log_ties + (part[-1] if data.with_ties else 0.0)
        tried = Davidson(model.scores + part[:size], float(ties))
        if log_posterior(data, tried, prior_sd) >= here:
            return tried
    return model
