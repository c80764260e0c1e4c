"""One run: a simulated crowd judges one topic with one selector, question by question."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nextpair.app.simulation.crowd import CrowdSettings, SimulatedWorker, draw_crowd
from nextpair.app.simulation.curves import CurvePoint, checkpoints
from nextpair.app.simulation.ground_truth import GroundTruth, ShownPair
from nextpair.app.simulation.judging_backend import JudgingBackend, LocalBackend, OpenBackend
from nextpair.app.simulation.peak_memory import peak_mb
from nextpair.selectors.base import End, Idle
from nextpair.selectors.errors import BadOption
from nextpair.selectors.state.settings import ConflictPolicy, Settings

BASELINE = "quick-sort"
"""The selector that the others are compared with."""
SEEDS = 2**53
"""Seeds of topics are below this: every JSON reader keeps such a number exactly."""


@dataclass(frozen=True, slots=True)
class SimulationPlan:
    """The settings of a simulation, for all topics.

    Parameters
    ----------
    workers
        How many workers answer concurrently.
    budget
        Judgments per document after which a topic stops, finished or not.
    max_documents
        The size of a random sample of documents per topic.
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
    """The result of one run on one topic.

    Parameters
    ----------
    exact
        Whether the recovered order equals the true one, ties included.
    finished
        Whether nothing was left to ask, or the budget was used up.
    ended
        Why nothing was left to ask; `budget` also where the simulation's own budget was used up.
        None where questions were left that no worker of the crowd was eligible for.
    seconds
        The duration, without the time that measuring the curve took.
    curve
        The tau-b at every checkpoint before the end, if it was measured.
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
    curve: tuple[CurvePoint, ...] = ()


def judge_topic(
    truth: GroundTruth,
    plan: SimulationPlan,
    seed: Sequence[int],
    open_backend: OpenBackend = LocalBackend,
    *,
    with_curve: bool = False,
) -> TopicRun:
    """Judge one topic to the end.

    Parameters
    ----------
    with_curve
        Whether to measure the quality at checkpoints; it takes time, but changes no result.
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
    backend = open_backend(truth.documents, settings)
    session = _JudgingLoop(backend, truth, draw_crowd(plan.crowd, recruiting), plan, asking)
    if with_curve:
        session.measure_at(checkpoints(len(truth.documents)))
    finished = session.run()
    ended = backend.ended()
    if ended is None and finished:
        ended = End.BUDGET
    tau_b, exact = compare_orders(backend.scores(), truth.scores)
    return TopicRun(
        truth.topic,
        len(truth.documents),
        session.judgments,
        backend.conflicts(),
        tau_b,
        exact,
        finished,
        time.perf_counter() - started - session.measuring_seconds,
        peak_mb(),
        ended,
        tuple(session.curve),
    )


def _sample(truth: GroundTruth, most: int | None, rng: np.random.Generator) -> GroundTruth:
    if most is None or len(truth.documents) <= most:
        return truth
    chosen = rng.choice(len(truth.documents), size=most, replace=False)
    return truth.sample(sorted(chosen.tolist()))


class _JudgingLoop:
    """The judging loop: workers arrive at random, lease a pair, and answer it some time later."""

    def __init__(
        self,
        backend: JudgingBackend,
        truth: GroundTruth,
        crowd: Sequence[SimulatedWorker],
        plan: SimulationPlan,
        rng: np.random.Generator,
    ) -> None:
        self._backend = backend
        self._true = truth.scores
        self._judge = truth.judge()
        self._idle = list(crowd)
        self._busy: list[tuple[ShownPair, SimulatedWorker]] = []
        self._at_once = plan.workers
        size = len(truth.documents)
        self._limit = np.inf if plan.budget is None else round(plan.budget * size)
        self._rng = rng
        self._checkpoints: Iterator[int] = iter(())
        self._next_checkpoint: int | None = None
        self.judgments = 0
        self.curve: list[CurvePoint] = []
        self.measuring_seconds = 0.0

    def measure_at(self, checkpoints: Iterable[int]) -> None:
        """Record the quality after each of these numbers of judgments."""
        self._checkpoints = iter(checkpoints)
        self._next_checkpoint = next(self._checkpoints, None)

    def _measure(self) -> None:
        """Record the quality if a checkpoint is reached."""
        if self.judgments != self._next_checkpoint:
            return
        started = time.perf_counter()
        tau_b, _ = compare_orders(self._backend.scores(), self._true)
        self.curve.append(CurvePoint(self.judgments, tau_b))
        self._next_checkpoint = next(self._checkpoints, None)
        self.measuring_seconds += time.perf_counter() - started

    def run(self) -> bool:
        """Judge until nothing is left to ask; return whether the run finished."""
        while self.judgments < self._limit:
            idle_reason = self._assign_all()
            if idle_reason and not self._busy:
                return idle_reason is Idle.DONE
            self._answer()
            self._measure()
        return True

    def _assign_all(self) -> Idle | None:
        """Assign pairs up to the concurrency limit; return why there is none before that."""
        idle_reason: Idle | None = None
        while (
            idle_reason is None
            and len(self._busy) < self._at_once
            and self.judgments + len(self._busy) < self._limit
        ):
            idle_reason = self._assign_one()
        return idle_reason

    def _assign_one(self) -> Idle | None:
        """Assign one pair, or return why no worker of the crowd can get one."""
        idle_reason: Idle | None = None
        for turn in range(len(self._idle)):
            # A random worker arrives; all are tried only if no answer is pending.
            drawn = int(self._rng.integers(turn, len(self._idle)))
            self._idle[turn], self._idle[drawn] = self._idle[drawn], self._idle[turn]
            worker = self._idle[turn]
            question = self._backend.ask(worker.id)
            if not isinstance(question, Idle):
                self._idle.pop(turn)
                self._busy.append((question, worker))
                return None
            idle_reason = question
            if idle_reason is Idle.DONE or self._busy:
                break
        return idle_reason

    def _answer(self) -> None:
        question, worker = self._busy.pop(int(self._rng.integers(len(self._busy))))
        self._idle.append(worker)
        answer = self._judge.answer(question, worker, self._rng)
        self._backend.answer(question.pair, worker.id, answer)
        self.judgments += 1


def compare_orders(recovered: NDArray[np.float64], true: NDArray[np.float64]) -> tuple[float, bool]:
    """Return Kendall's tau-b between two orders, and whether they are equal.

    An unjudged document (NaN) gets the mean score of the others. Where either order has a single
    class, tau-b is undefined: it counts as 1 if both have, else as 0.
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
