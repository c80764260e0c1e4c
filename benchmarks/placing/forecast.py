"""How often the judgments still needed lie in the interval that was forecast."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

import numpy as np

from benchmarks.placing.topics import SAMPLE, graded
from benchmarks.section import Section, main
from nextpair.app.simulation.crowd import CrowdSettings, recruit
from nextpair.app.simulation.truths import Graded, Question
from nextpair.selectors.base import Idle
from nextpair.selectors.state.judgments import Judgment
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import Topic, fold

SHARES = (0.25, 0.5, 0.75)
"""Of the work, when the forecast is asked for."""
LOWEST, HIGHEST = 0.73, 0.87
FIRST_SEED, RUNS = 5_000, 3
"""Seeds from 1,000 to 2,037 were those that the interval was set with."""
CASES: tuple[tuple[str, dict[str, object], float], ...] = (
    ("proven", {"risk": 0.0}, 0.0),
    ("error 0", {}, 0.0),
    ("error 0.1", {}, 0.1),
    ("error 0.2", {}, 0.2),
    ("error 0.3", {}, 0.3),
)


@dataclass(frozen=True, slots=True)
class Told:
    """A forecast, and what came."""

    share: float
    expected: float
    held: bool
    came: int


def watch(truth: Graded, options: dict[str, object], error: float, seed: int) -> list[Told]:
    """Judge a sample of a topic to the end, and see what was forecast on the way."""
    rng = np.random.default_rng(seed)
    size = min(len(truth.documents), int(rng.integers(40, SAMPLE + 1)))
    truth = truth.sample(sorted(rng.permutation(len(truth.documents))[:size].tolist()))
    how = Settings("placement", options, seed=seed)
    log = list(_judge(truth, how, error, rng))
    return [_look(truth, how, log, share) for share in SHARES if len(log) >= SAMPLE // 10]


def _judge(
    truth: Graded, how: Settings, error: float, rng: np.random.Generator
) -> Iterator[Judgment]:
    topic, crowd = Topic(truth.documents, how), recruit(CrowdSettings(error=error), rng)
    while True:
        number = len(topic.log)
        worker = crowd[int(rng.integers(len(crowd)))]
        choice = topic.select(worker.id, (), how.question_rng(number))
        if isinstance(choice, Idle):
            return
        first, second = (topic.documents.ids[place] for place in choice)
        outcome = truth.answer(Question(choice, False), worker, rng).outcome
        judgment = Judgment(number, first, second, outcome, worker.id)
        topic.absorb(judgment)
        yield judgment


def _look(truth: Graded, how: Settings, log: Sequence[Judgment], share: float) -> Told:
    done = int(share * len(log))
    forecast = fold(truth.documents, log[:done], how).forecast()
    assert forecast is not None
    came = len(log) - done
    return Told(share, forecast.expected, forecast.low <= came <= forecast.high, came)


def _watch(case: tuple[dict[str, object], float], given: tuple[int, Graded]) -> list[Told]:
    (options, error), (seed, truth) = case, given
    return watch(truth, options, error, seed)


def measure(given: argparse.Namespace) -> Section:
    """Watch every topic once with every error."""
    truths = graded(given.data)
    section = Section(
        "Placement's forecast",
        "python -m benchmarks.placing.forecast",
        f"{len(truths)} topics of WT11, samples of 40 to {SAMPLE} documents, {RUNS} runs each."
        " After a quarter, half and three quarters of the judgments: how often the number still to"
        " come lies in the interval for 80 %, and what came as a multiple of what was expected"
        " (median)."
        f" Bar: {LOWEST:.0%} to {HIGHEST:.0%} over all moments. The interval was set with other"
        " samples of these topics and of those of WT12.",
        ("workers", *(f"held at {share:.0%}" for share in SHARES), "held", "came", "bar"),
    )
    with get_context("spawn").Pool(given.jobs) as processes:
        for name, options, error in CASES:
            play = partial(_watch, (options, error))
            given_seeds = enumerate(truths * RUNS, FIRST_SEED)
            told = [one for some in processes.map(play, given_seeds, 4) for one in some]
            section.rows.append(_row(name, told))
    return section


def _row(name: str, told: Sequence[Told]) -> tuple[str, ...]:
    held = float(np.mean([one.held for one in told]))
    ratio = np.median([one.came / max(one.expected, 1) for one in told])
    parts = [np.mean([one.held for one in told if one.share == share]) for share in SHARES]
    verdict = "met" if LOWEST <= held <= HIGHEST else "**not met**"
    return name, *(f"{part:.2f}" for part in parts), f"{held:.2f}", f"{ratio:.2f}", verdict


if __name__ == "__main__":
    main(measure)
