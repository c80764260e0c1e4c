"""A real crowd, replayed: information gain beside random pairs with Bradley-Terry."""

import argparse

import numpy as np

from benchmarks.placing.topics import FIRST_SEED, recorded
from benchmarks.section import Section, main
from nextpair.app.simulation.crowd import SimulatedWorker
from nextpair.app.simulation.runs import Plan, compare
from nextpair.app.simulation.studies import Study
from nextpair.app.simulation.truths import SCORES, Question, Recorded
from nextpair.selectors import ratings
from nextpair.selectors.ratings.match import Match
from nextpair.selectors.topic.judgments import Outcome, unordered

BUDGETS = (3, 5, 8)
SEEDS = 10
MORE = 0.03


def measure(given: argparse.Namespace) -> Section:
    """Replay random pairs and information gain at each budget."""
    truths = recorded(given.data)
    section = Section(
        "Information gain with a real crowd",
        "python -m benchmarks.gaining.real_crowd",
        f"UKPConvArg1, {len(truths)} topics, {SEEDS} seeds; every answer, ties included, is drawn"
        " from those that real workers gave to that very pair. The reference is each argument's"
        " mean outcome over all real answers. Random pairs are scored by `bradley-terry`. Bar:"
        f" {MORE} more.",
        ("judgments per argument", "random pairs", "information gain", "more", "bar"),
    )
    for budget in BUDGETS if truths else ():
        plan = Plan("information-gain", {"risk": 0.0, "budget": 0.0}, budget=budget)
        study = Study(truths, [plan], repeat=SEEDS, seed=FIRST_SEED)
        list(study.play(given.jobs))
        ours = float(np.mean([topic.tau_b for run in study.runs(plan) for topic in run.topics]))
        theirs = float(
            np.mean([_at_random(truth, budget, seed) for truth in truths for seed in range(SEEDS)])
        )
        bar = "met" if ours - theirs >= MORE else "**not met**"
        figures = (f"{theirs:.3f}", f"{ours:.3f}", f"{ours - theirs:+.3f}")
        section.rows.append((str(budget), *figures, bar))
    return section


def _at_random(truth: Recorded, budget: float, seed: int) -> float:
    """Ask random pairs, and return the tau-b of Bradley-Terry's scores."""
    rng = np.random.default_rng([seed, FIRST_SEED])
    size, judge = len(truth.documents), truth.judge()
    matches: list[Match] = []
    for _ in range(round(budget * size)):
        pair = unordered(*rng.choice(size, 2, replace=False).tolist())
        answer = judge.answer(Question(pair), SimulatedWorker("anyone"), rng)
        tie = float(answer.outcome is Outcome.TIE)
        matches.append(Match(*pair, SCORES[answer.outcome], tie))
    scores = ratings.rate("bradley-terry", size, matches)
    return compare(scores, truth.scores)[0]


if __name__ == "__main__":
    main(measure)
