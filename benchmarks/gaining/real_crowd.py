"""A real crowd, replayed: information gain beside random pairs with Bradley-Terry."""

import argparse
from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from benchmarks.placing.topics import recorded
from benchmarks.section import Section, main, processes
from nextpair.app.simulation.crowd import SimulatedWorker
from nextpair.app.simulation.ground_truth import RecordedTruth, ShownPair
from nextpair.app.simulation.runs import compare_orders
from nextpair.selectors import ratings
from nextpair.selectors.ratings.match import Match
from nextpair.selectors.state.judgments import Judgment, Outcome, Pair, unordered
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import Topic

BUDGETS = (3, 5, 8)
FIRST_SEED, SEEDS = 1_000, 40
"""Seeds below 300 were looked at."""
MORE = 0.03
ANYONE = SimulatedWorker("anyone")


def measure(given: argparse.Namespace) -> Section:
    """Replay random pairs and information gain, and compare them at each budget."""
    truths = recorded(given.data)
    section = Section(
        "Information gain with a real crowd",
        "python -m benchmarks.gaining.real_crowd",
        f"UKPConvArg1, {len(truths)} topics, {SEEDS} seeds; every answer, ties included, is drawn"
        " from those that real workers gave to that very pair. The reference is each argument's"
        " mean outcome over all real answers. Random pairs are scored by `bradley-terry`; as a"
        " check on that, information gain's pairs are, too. Behind what information gain has more"
        f" is its standard error. Bar: {MORE} more.",
        (
            "judgments per argument",
            "random pairs",
            "information gain",
            "its pairs, `bradley-terry`",
            "more",
            "bar",
        ),
    )
    runs = list(product(truths, range(FIRST_SEED, FIRST_SEED + SEEDS)))
    if not runs:
        return section
    with processes(given.jobs) as pool:
        found = np.array(list(pool.map(_taus, *zip(*runs, strict=True), chunksize=8)))
    for budget, (theirs, ours, beside) in zip(BUDGETS, found.transpose(1, 2, 0), strict=True):
        more = ours - theirs
        error = more.std(ddof=1) / np.sqrt(len(more))
        bar = "met" if more.mean() >= MORE else "**not met**"
        means = (f"{taus.mean():.3f}" for taus in (theirs, ours, beside))
        section.rows.append((str(budget), *means, f"{more.mean():+.4f} ± {error:.4f}", bar))
    return section


def _taus(truth: RecordedTruth, seed: int) -> list[tuple[float, float, float]]:
    """Return tau-b of random pairs, of ours, and of our pairs by another score, by budget."""
    size = len(truth.documents)
    rng = np.random.default_rng([seed, 8])
    settings = Settings("information-gain", {"risk": 0.0, "budget": 0.0}, seed=seed)
    topic = Topic(truth.documents, settings)
    at_random, chosen = _Replayed(truth, rng), _Replayed(truth, rng)
    found = []
    for budget in BUDGETS:
        at_random.go_on(budget, lambda: rng.choice(size, 2, replace=False).tolist())
        chosen.go_on(budget, lambda: _choose(topic, settings), topic)
        scored = (at_random.scores(), topic.scores(), chosen.scores())
        one, two, three = (compare_orders(scores, truth.scores)[0] for scores in scored)
        found.append((one, two, three))
    return found


def _choose(topic: Topic, settings: Settings) -> Pair:
    """Ask for somebody new: real workers have answered a question or two."""
    number = len(topic.log)
    choice = topic.select(f"anyone-{number}", (), settings.question_rng(number))
    assert isinstance(choice, tuple)
    return choice


class _Replayed:
    """Questions put to a real crowd, and what was answered."""

    def __init__(self, truth: RecordedTruth, rng: np.random.Generator) -> None:
        self._truth, self._rng = truth, rng
        self._judge = truth.judge()
        self._matches: list[Match] = []

    def go_on(self, budget: int, ask: Callable[[], Pair], topic: Topic | None = None) -> None:
        """Put questions until there are so many per argument; a topic hears the answers."""
        documents = self._truth.documents
        while len(self._matches) < budget * len(documents):
            pair = unordered(*ask())
            answer = self._judge.answer(ShownPair(pair), ANYONE, self._rng)
            tie = float(answer.outcome is Outcome.TIE)
            self._matches.append(Match(*pair, answer.outcome.score, tie))
            if topic is not None:
                first, second = (documents[place].id for place in pair)
                number = len(self._matches)
                topic.absorb(Judgment(number, first, second, answer.outcome, answer.worker))

    def scores(self) -> NDArray[np.float64]:
        """Return Bradley-Terry's scores."""
        return ratings.rate("bradley-terry", len(self._truth.documents), self._matches)


if __name__ == "__main__":
    main(measure)
