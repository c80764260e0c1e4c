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
    Comparisons,
    Davidson,
    fit_davidson,
    standard_errors,
)
from nextpair.selectors.aggregation.responses import (
    Numbers,
    Places,
    places,
    same_length,
    within,
)
from nextpair.selectors.errors import BadInput, BadOption, SelfComparison

BETTER, WORSE, TIE = 0, 1, 2
"""How the first document compares with the second."""

WAYS = (8.0, 0.5, 1.5)
"""Pseudo-counts for answers by the model, the other way round, and at random."""
TOLERANCE = 1e-3
MOST_PASSES = 200


@dataclass(frozen=True, slots=True)
class Ranked:
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

    scores: Numbers
    errors: Numbers
    ways: Numbers
    log_ties: float
    passes: int
    settled: bool

    @property
    def reliabilities(self) -> Numbers:
        """How far each worker answers by the model: 1 always, 0 as good as never, -1 reversed."""
        return np.asarray(self.ways[:, 0] - self.ways[:, 1], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class PairAnswers:
    """Answers about pairs as flat arrays; `outcomes` are BETTER, WORSE or TIE."""

    size: int
    crowd: int
    firsts: Places
    seconds: Places
    workers: Places
    outcomes: Places

    @property
    def options(self) -> int:
        """How many answers there were to choose from: a tie counts if anyone ever said it."""
        return 3 if (self.outcomes == TIE).any() else 2


def compare(
    size: int,
    firsts: ArrayLike,
    seconds: ArrayLike,
    outcomes: ArrayLike,
    workers: ArrayLike | None = None,
) -> PairAnswers:
    """Check answers about pairs of `size` documents; without workers, all are one's."""
    one, other, said = (
        places(firsts, "firsts"),
        places(seconds, "seconds"),
        places(outcomes, "outcomes"),
    )
    who = np.zeros(len(said), dtype=np.intp) if workers is None else places(workers, "workers")
    same_length(one, other, said, who)
    within(size, one, other)
    if (one == other).any():
        raise SelfComparison()
    if said.size and said.max() > TIE:
        raise BadInput(f"outcomes are 0, 1 or 2 (better, worse, tie), got {said.max()}")
    return PairAnswers(size, int(who.max(initial=-1)) + 1, one, other, who, said)


def rank(
    answers: PairAnswers,
    *,
    reliabilities: bool = True,
    prior_sd: float = PRIOR_SD,
    ways: tuple[float, float, float] = WAYS,
    tolerance: float = TOLERANCE,
    most_passes: int = MOST_PASSES,
) -> Ranked:
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
    state = _begin(answers, prior, prior_sd)
    passes, moved = 0, np.inf if reliabilities else 0.0
    while passes < most_passes and moved > tolerance:
        before, state = state, _pass(answers, state, prior, prior_sd)
        moved, passes = state.distance(before), passes + 1
    errors = standard_errors(state.data, state.model, prior_sd)
    model, settled = state.model, moved <= tolerance
    return Ranked(model.scores, errors, state.ways, model.log_ties, passes, settled)


def log_likelihood(answers: PairAnswers, ranked: Ranked) -> float:
    """Return the log-probability of the answers under what was concluded from them."""
    model = Davidson(ranked.scores, ranked.log_ties)
    parts = _said(answers, model) * ranked.ways[answers.workers]
    return float(np.log(parts.sum(axis=1)).sum())


@dataclass(frozen=True, slots=True)
class _State:
    """Where EM stands: the workers' ways, answers weighed by their ways, and the scores."""

    ways: Numbers
    data: Comparisons
    model: Davidson

    def distance(self, other: "_State") -> float:
        scores = np.abs(self.model.scores - other.model.scores).max(initial=0)
        return float(max(scores, np.abs(self.ways - other.ways).max(initial=0)))


def _begin(answers: PairAnswers, prior: Numbers, prior_sd: float) -> _State:
    ways = np.tile(prior / prior.sum(), (answers.crowd, 1))
    data = _weigh(answers, ways[answers.workers])
    return _State(ways, data, fit_davidson(data, prior_sd=prior_sd))


def _pass(answers: PairAnswers, state: _State, prior: Numbers, prior_sd: float) -> _State:
    """Say in which way each answer was given, then fit workers and scores to that."""
    joint = _said(answers, state.model) * state.ways[answers.workers]
    given = joint / joint.sum(axis=1, keepdims=True)
    counted = [np.bincount(answers.workers, way, answers.crowd) for way in given.T]
    ways = np.column_stack(counted) + prior
    data = _weigh(answers, given)
    model = fit_davidson(data, prior_sd=prior_sd, start=state.model, most_steps=1)
    return _State(ways / ways.sum(axis=1, keepdims=True), data, model)


def _said(answers: PairAnswers, model: Davidson) -> Numbers:
    """Return the probability of each answer if it was given in each of the three ways."""
    chances = model.chances(answers.firsts, answers.seconds)
    every = np.arange(len(answers.outcomes))
    opposite = np.array([WORSE, BETTER, TIE])[answers.outcomes]
    guess = np.full(len(every), 1 / answers.options)
    return np.column_stack((chances[every, answers.outcomes], chances[every, opposite], guess))


def _weigh(answers: PairAnswers, given: Numbers) -> Comparisons:
    """Count an answer as far as it is by the model, and its opposite as far as it is reversed."""
    by_model, opposite = given[:, 0], given[:, 1]
    better, worse, tie = (answers.outcomes == outcome for outcome in (BETTER, WORSE, TIE))
    return Comparisons(
        answers.size,
        answers.firsts,
        answers.seconds,
        better * by_model + worse * opposite,
        worse * by_model + better * opposite,
        tie * (by_model + opposite),
    )
