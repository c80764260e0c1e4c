"""One run: a crowd judges one topic with one selector, question by question."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nextpair.app.simulation.crowd import CrowdSettings, SimulatedWorker, recruit
from nextpair.app.simulation.curves import Point, checkpoints
from nextpair.app.simulation.desk import Desk, LocalDesk, OpenDesk
from nextpair.app.simulation.memory import peak_mb
from nextpair.app.simulation.truths import Question, Truth
from nextpair.selectors.base import End, Idle
from nextpair.selectors.errors import BadOption
from nextpair.selectors.state.settings import ConflictPolicy, Settings

BASELINE = "quick-sort"
"""The selector that the others are compared with."""
SEEDS = 2**53
"""Topics' seeds stay below this: every reader of JSON keeps such a number exactly."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is simulated, whatever the topic.

    Parameters
    ----------
    workers
        How many answer at once.
    budget
        Judgments per document after which a topic stops, finished or not.
    max_documents
        A random sample of this many documents is judged per topic.
    """

    selector: str
    options: Mapping[str, object] = field(default_factory=dict)
    crowd: CrowdSettings = field(default_factory=CrowdSettings)
    votes: int = 1
    on_conflict: ConflictPolicy = ConflictPolicy.OLDER_WINS
    workers: int = 1
    budget: float | None = None
    max_documents: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.workers <= self.crowd.size:
            raise BadOption(
                f"between 1 and all {self.crowd.size} workers of the crowd can answer at once,"
                f" got {self.workers}"
            )
        if self.budget is not None and not 0 < self.budget < np.inf:
            raise BadOption(f"a budget must be positive and finite, got {self.budget}")
        if self.max_documents is not None and self.max_documents < 1:
            raise BadOption(f"at least one document must be judged, got {self.max_documents}")


@dataclass(frozen=True, slots=True)
class TopicRun:
    """What one run over one topic came to.

    Parameters
    ----------
    exact
        Whether the recovered order is the true one, ties included.
    finished
        Whether nothing was left to ask, or the budget was used.
    ended
        Why nothing was left to ask: `budget` also where the simulation's own one was used. None
        where questions were left that nobody in the crowd could have.
    seconds
        Without those that the curve took.
    curve
        The tau-b after so many judgments, at every checkpoint before the end, if it was wanted.
    """

    topic: str
    documents: int
    judgments: int
    conflicts: int
    tau_b: float
    exact: bool
    finished: bool
    seconds: float
    peak_mb: float
    ended: End | None = None
    curve: tuple[Point, ...] = ()


def judge_topic(
    truth: Truth,
    plan: Plan,
    seed: Sequence[int],
    open_desk: OpenDesk = LocalDesk,
    *,
    with_curve: bool = False,
) -> TopicRun:
    """Judge one topic to the end.

    Parameters
    ----------
    with_curve
        Whether to measure the quality on the way, too. It changes nothing but takes time.
    """
    started = time.perf_counter()
    streams = [np.random.default_rng([*seed, stream]) for stream in range(4)]
    sampling, own, recruiting, asking = streams
    truth = _sample(truth, plan.max_documents, sampling)
    settings = Settings(
        plan.selector,
        plan.options,
        votes=plan.votes,
        on_conflict=plan.on_conflict,
        seed=int(own.integers(SEEDS)),
    )
    desk = open_desk(truth.documents, settings)
    session = _Session(desk, truth, recruit(plan.crowd, recruiting), plan, asking)
    if with_curve:
        session.measure_at(checkpoints(len(truth.documents)))
    finished = session.play()
    ended = desk.ended()
    if ended is None and finished:
        ended = End.BUDGET
    tau_b, exact = compare(desk.scores(), truth.scores)
    return TopicRun(
        truth.topic,
        len(truth.documents),
        session.judgments,
        desk.conflicts(),
        tau_b,
        exact,
        finished,
        time.perf_counter() - started - session.measuring_seconds,
        peak_mb(),
        ended,
        tuple(session.curve),
    )


def _sample(truth: Truth, most: int | None, rng: np.random.Generator) -> Truth:
    if most is None or len(truth.documents) <= most:
        return truth
    chosen = rng.choice(len(truth.documents), size=most, replace=False)
    return truth.sample(sorted(chosen.tolist()))


class _Session:
    """Workers who come, take a pair, and answer at some later moment."""

    def __init__(
        self,
        desk: Desk,
        truth: Truth,
        crowd: Sequence[SimulatedWorker],
        plan: Plan,
        rng: np.random.Generator,
    ) -> None:
        self._desk = desk
        self._true = truth.scores
        self._judge = truth.judge()
        self._idle = list(crowd)
        self._busy: list[tuple[Question, SimulatedWorker]] = []
        self._at_once = plan.workers
        size = len(truth.documents)
        self._limit = np.inf if plan.budget is None else round(plan.budget * size)
        self._rng = rng
        self._checkpoints: Iterator[int] = iter(())
        self._next_checkpoint: int | None = None
        self.judgments = 0
        self.curve: list[Point] = []
        self.measuring_seconds = 0.0

    def measure_at(self, checkpoints: Iterable[int]) -> None:
        """Record the quality after each of these numbers of judgments."""
        self._checkpoints = iter(checkpoints)
        self._next_checkpoint = next(self._checkpoints, None)

    def _measure(self) -> None:
        """Record the quality, if that is due."""
        if self.judgments != self._next_checkpoint:
            return
        started = time.perf_counter()
        tau_b, _ = compare(self._desk.scores(), self._true)
        self.curve.append(Point(self.judgments, tau_b))
        self._next_checkpoint = next(self._checkpoints, None)
        self.measuring_seconds += time.perf_counter() - started

    def play(self) -> bool:
        """Go on until nothing is left to ask; say whether that was reached."""
        while self.judgments < self._limit:
            said = self._hand_out_all()
            if said and not self._busy:
                return said is Idle.DONE
            self._answer()
            self._measure()
        return True

    def _hand_out_all(self) -> Idle | None:
        """Hand out pairs while there is room; say why it ended if it was not for lack of that."""
        said: Idle | None = None
        while (
            said is None
            and len(self._busy) < self._at_once
            and self.judgments + len(self._busy) < self._limit
        ):
            said = self._hand_out()
        return said

    def _hand_out(self) -> Idle | None:
        """Hand out one pair, or say why no worker of the crowd can have one."""
        said: Idle | None = None
        for turn in range(len(self._idle)):
            # Whoever comes is drawn at random; only if nothing is awaited either, all are tried.
            drawn = int(self._rng.integers(turn, len(self._idle)))
            self._idle[turn], self._idle[drawn] = self._idle[drawn], self._idle[turn]
            worker = self._idle[turn]
            asked = self._desk.ask(worker.id)
            if not isinstance(asked, Idle):
                self._idle.pop(turn)
                self._busy.append((asked, worker))
                return None
            said = asked
            if said is Idle.DONE or self._busy:
                break
        return said

    def _answer(self) -> None:
        question, worker = self._busy.pop(int(self._rng.integers(len(self._busy))))
        self._idle.append(worker)
        answer = self._judge.answer(question, worker, self._rng)
        self._desk.answer(question.pair, worker.id, answer)
        self.judgments += 1


def compare(recovered: NDArray[np.float64], true: NDArray[np.float64]) -> tuple[float, bool]:
    """Return Kendall's tau-b between two orders, and whether they are the same one.

    A document that nobody has judged (NaN) counts as the mean of the others: nothing is known of
    it. Where either order is one single class tau-b is not defined: it counts as 1 if both are.
    """
    if np.isnan(recovered).any():
        judged = recovered[np.isfinite(recovered)]
        recovered = np.where(np.isnan(recovered), judged.mean() if len(judged) else 0.0, recovered)
    same = bool(np.array_equal(_levels(recovered), _levels(true)))
    if len(np.unique(recovered)) < 2 or len(np.unique(true)) < 2:
        return float(same), same
    from nextpair.selectors.deferred.measures import kendalltau

    return float(kendalltau(recovered, true).statistic), same


def _levels(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.unique(scores, return_inverse=True)[1]
