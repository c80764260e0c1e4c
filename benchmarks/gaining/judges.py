"""Simulated judges of a continuous scale, and a topic judged by them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from nextpair.selectors.base import Idle
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome, Pair, unordered
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import Topic

CHECKPOINTS = (1, 2, 3, 5, 10)
"""Judgments per item at which the order is compared with the true one."""
SIZE = 100


@dataclass(frozen=True, slots=True)
class Scale:
    """How scores spread, and how judges answer.

    Parameters
    ----------
    logistic
        Bradley-Terry in place of Thurstone, whose judges' impression of a difference is N(d, 1).
    margin
        An impression smaller than this is called a tie.
    workers, guessing, reversing
        How many there are, and how many of them answer at random or the other way round.
    known
        Questions with known answers that each worker has answered beforehand.
    """

    name: str
    spread: float
    logistic: bool = False
    margin: float = 0.0
    workers: int = 20
    guessing: int = 0
    reversing: int = 0
    known: int = 0
    size: int = SIZE


@dataclass(slots=True)
class Judges:
    """A crowd that sees the scores of one topic, as far as it does."""

    scale: Scale
    rng: np.random.Generator
    scores: NDArray[np.float64] = field(init=False)
    guessing: frozenset[int] = field(init=False)
    reversing: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        self.scores = self.rng.normal(0, self.scale.spread, self.scale.size)
        drawn = self.rng.permutation(self.scale.workers).tolist()
        self.guessing = frozenset(drawn[: self.scale.guessing])
        self.reversing = frozenset(drawn[::-1][: self.scale.reversing])

    def answer(self, pair: Pair, worker: int) -> Outcome:
        """Say how the first of a pair compares with the second."""
        if worker in self.guessing:
            options = tuple(Outcome) if self.scale.margin else (Outcome.BETTER, Outcome.WORSE)
            return options[self.rng.integers(len(options))]
        seen = self._impression(self.scores[pair[0]] - self.scores[pair[1]])
        if abs(seen) < self.scale.margin:
            return Outcome.TIE
        outcome = Outcome.BETTER if seen > 0 else Outcome.WORSE
        return outcome.reversed if worker in self.reversing else outcome

    def _impression(self, difference: float) -> float:
        noise = self.rng.logistic() if self.scale.logistic else self.rng.normal()
        return float(difference + noise)


def play(
    judges: Judges, settings: Settings, checkpoints: Sequence[float] = CHECKPOINTS
) -> Iterator[tuple[float, Topic]]:
    """Judge a topic, whoever comes drawn at random, and yield it at every checkpoint."""
    rng, size = judges.rng, judges.scale.size
    topic = Topic([Document(f"d{place}") for place in range(size)], settings)
    number = _ask_what_is_known(topic, judges)
    for checkpoint in checkpoints:
        while len(topic.log) < checkpoint * size:
            worker = int(rng.integers(judges.scale.workers))
            choice = topic.select(f"w{worker}", (), settings.question_rng(number))
            if isinstance(choice, Idle):
                if choice is Idle.DONE:
                    break
                continue
            pair = unordered(*choice)
            number += 1
            topic.absorb(judgment(number, pair, judges.answer(pair, worker), worker))
        yield checkpoint, topic


def play_at_random(judges: Judges, checkpoints: Sequence[float] = CHECKPOINTS) -> list[Judgment]:
    """Return the log of random pairs."""
    rng, size, log = judges.rng, judges.scale.size, []
    for number in range(round(max(checkpoints) * size)):
        first, second = rng.choice(size, 2, replace=False).tolist()
        worker = int(rng.integers(judges.scale.workers))
        pair = unordered(first, second)
        log.append(judgment(number, pair, judges.answer(pair, worker), worker))
    return log


def _ask_what_is_known(topic: Topic, judges: Judges) -> int:
    """Let every worker answer questions whose answers are known, about clear differences."""
    number = 0
    for worker in range(judges.scale.workers):
        for _ in range(judges.scale.known):
            said = Outcome.BETTER
            if worker in judges.guessing:
                said = (Outcome.BETTER, Outcome.WORSE)[judges.rng.integers(2)]
            elif worker in judges.reversing:
                said = Outcome.WORSE
            number += 1
            known = Judgment(number, "k1", "k2", said, f"w{worker}", Outcome.BETTER)
            topic.absorb(known)
    return number


def judgment(number: int, pair: Pair, outcome: Outcome, worker: int) -> Judgment:
    """Return what a worker said of two documents."""
    return Judgment(number, f"d{pair[0]}", f"d{pair[1]}", outcome, f"w{worker}")


def tau_b(found: NDArray[np.float64], true: NDArray[np.float64]) -> float:
    """Return Kendall's tau-b between two orders."""
    return float(kendalltau(found, true).statistic)


def taus(scale: Scale, seed: int, options: Mapping[str, object]) -> list[float]:
    """Play one seed with information gain, and return tau-b at every checkpoint."""
    judges = Judges(scale, np.random.default_rng([seed, 8]))
    settings = Settings("information-gain", {"risk": 0.0, "budget": 0.0, **options}, seed=seed)
    return [tau_b(topic.scores(), judges.scores) for _, topic in play(judges, settings)]
