"""What aggregation recovers of the truth while more and more of the crowd answers at random."""

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.section import Section, main
from nextpair.app.simulation.crowd import CrowdSettings, draw_crowd
from nextpair.app.simulation.ground_truth import GradedTruth, ShownPair, generated_truths
from nextpair.selectors import ratings
from nextpair.selectors.aggregation.bradley_terry import collect_pair_responses, fit_bradley_terry
from nextpair.selectors.aggregation.davidson import DavidsonModel
from nextpair.selectors.aggregation.dawid_skene import dawid_skene
from nextpair.selectors.aggregation.majority import majority
from nextpair.selectors.aggregation.responses import collect_responses
from nextpair.selectors.agreement.rank_correlation import tau_b
from nextpair.selectors.ratings.match import Match
from nextpair.selectors.state.judgments import Outcome

DOCUMENTS, OPPONENTS, VOTES, WORKERS = 60, 5, 5, 30
GRADES = (0.4, 0.3, 0.2, 0.1)
SPAM = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
OUTCOMES = (Outcome.BETTER, Outcome.WORSE, Outcome.TIE)
CODES = np.array([outcome.code for outcome in OUTCOMES])
MIRROR = (1, 0, 2)
Table = NDArray[np.intp]
Columns = dict[str, float]


def measure(given: argparse.Namespace) -> Section:
    """Go through the shares of spammers."""
    columns = {share: _repeat(given.repeat, share) for share in SPAM}
    names = list(columns[0.0])
    return Section(
        "Aggregation with spammers",
        "python -m benchmarks.aggregation",
        f"{DOCUMENTS} documents of four grades, each against {OPPONENTS} others, {VOTES} answers a"
        f" pair, {WORKERS} workers who err by 20 % (spread 10 %) but for those who guess;"
        f" mean of {given.repeat} repeats. `right` is the share of judged pairs whose true outcome"
        " is recovered (a split vote is a tie; Bradley-Terry says what it thinks most probable),"
        " `tau-b` is that of the scores with the grades.",
        ("spammers", *names),
        [(f"{share:.0%}", *(f"{columns[share][name]:.3f}" for name in names)) for share in columns],
    )


def _repeat(times: int, spammers: float) -> Columns:
    found = [_once(seed, spammers) for seed in range(times)]
    return {name: float(np.mean([one[name] for one in found])) for name in found[0]}


def _once(seed: int, spammers: float) -> Columns:
    rng = np.random.default_rng((seed, round(100 * spammers)))
    (truth,) = generated_truths(1, DOCUMENTS, GRADES, rng)
    pairs, answers = _judge(truth, spammers, rng)
    items, workers, said = answers.T
    votes = collect_responses(items, workers, said, (len(pairs), WORKERS, 3))
    em = dawid_skene(votes, mirror=MIRROR).posteriors
    crowd = fit_bradley_terry(
        collect_pair_responses(DOCUMENTS, pairs[items, 0], pairs[items, 1], CODES[said], workers)
    )
    counted = votes.by_item() / VOTES
    most = majority(votes).labels
    believed = DavidsonModel(crowd.scores, crowd.log_ties).probabilities(pairs[:, 0], pairs[:, 1])
    true = np.array([_outcome(truth, *pair) for pair in pairs.tolist()])
    share, probable = _matches(pairs, counted), _matches(pairs, em)
    tau = _tau(truth)
    return {
        "majority: right": float(np.mean(np.where(most < 0, 2, most) == true)),
        "EM: right": float(np.mean(em.argmax(axis=1) == true)),
        "Bradley-Terry, reliabilities: right": float(np.mean(believed.argmax(axis=1) == true)),
        "Elo on votes: tau-b": tau(ratings.rate("elo", DOCUMENTS, share)),
        "Elo on EM: tau-b": tau(ratings.rate("elo", DOCUMENTS, probable)),
        "Bradley-Terry on votes: tau-b": tau(ratings.rate("bradley-terry", DOCUMENTS, share)),
        "on EM: tau-b": tau(ratings.rate("bradley-terry", DOCUMENTS, probable)),
        "with reliabilities: tau-b": tau(crowd.scores),
    }


def _tau(truth: GradedTruth) -> Callable[[NDArray[np.float64]], float]:
    return lambda scores: tau_b(truth.scores, scores)


def _judge(truth: GradedTruth, spammers: float, rng: np.random.Generator) -> tuple[Table, Table]:
    """Draw pairs, and answers to them as rows of pair, worker and outcome."""
    settings = CrowdSettings(WORKERS, error=0.2, spread=0.1, spammers=spammers)
    crowd = draw_crowd(settings, rng)
    pairs = sorted(
        {
            (min(one, other), max(one, other))
            for one in range(DOCUMENTS)
            for other in rng.choice(DOCUMENTS, OPPONENTS, replace=False).tolist()
            if one != other
        }
    )
    rows = [
        (item, worker, OUTCOMES.index(truth.answer(ShownPair(pair), crowd[worker], rng).outcome))
        for item, pair in enumerate(pairs)
        for worker in rng.choice(WORKERS, VOTES, replace=False).tolist()
    ]
    return np.array(pairs, dtype=np.intp), np.array(rows, dtype=np.intp)


def _outcome(truth: GradedTruth, first: int, second: int) -> int:
    one, other = truth.grades[first], truth.grades[second]
    return 2 if one == other else int(one < other)


def _matches(pairs: Table, chances: NDArray[np.float64]) -> list[Match]:
    """Turn better, worse and tie into shares for the first, ties counting half."""
    return [
        Match(first, second, float(better + tie / 2))
        for (first, second), (better, _, tie) in zip(pairs.tolist(), chances, strict=True)
    ]


if __name__ == "__main__":
    main(measure)
