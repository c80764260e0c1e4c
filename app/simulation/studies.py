"""Many runs: every plan on every topic, repeated, on several processes or threads."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from nextpair.app.runtime.process_watch import exit_with_parent
from nextpair.app.runtime.threads import limit_threads, single_threaded
from nextpair.app.simulation.curves import CurvePoint, QualityCurve, run_curve
from nextpair.app.simulation.ground_truth import GroundTruth
from nextpair.app.simulation.judging_backend import JudgingBackends, LocalBackend
from nextpair.app.simulation.runs import SimulationPlan, TopicRun, judge_topic

Task = tuple[int, int, int]
"""The indices of a plan, a repeat and a topic."""


@dataclass(frozen=True, slots=True)
class StudyRun:
    """One repeat of a plan, over all topics."""

    plan: SimulationPlan
    seed: int
    topics: Sequence[TopicRun]

    @property
    def documents(self) -> int:
        """Documents over all topics."""
        return sum(topic.documents for topic in self.topics)

    @property
    def judgments(self) -> int:
        """Judgments over all topics."""
        return sum(topic.judgments for topic in self.topics)

    @property
    def conflicts(self) -> int:
        """Findings that contradicted the order, over all topics."""
        return sum(topic.conflicts for topic in self.topics)

    @property
    def tau_b(self) -> float:
        """The mean tau-b over topics."""
        return float(np.mean([topic.tau_b for topic in self.topics]))

    @property
    def curve(self) -> QualityCurve:
        """The quality curve, if it was measured."""
        return run_curve(
            [(topic.curve, CurvePoint(topic.judgments, topic.tau_b)) for topic in self.topics]
        )

    @property
    def exact(self) -> bool:
        """Whether the true order was recovered in every topic."""
        return all(topic.exact for topic in self.topics)

    @property
    def finished(self) -> bool:
        """Whether every topic finished."""
        return all(topic.finished for topic in self.topics)

    @property
    def seconds(self) -> float:
        """The sum of durations over topics."""
        return sum(topic.seconds for topic in self.topics)

    @property
    def peak_mb(self) -> float:
        """The largest peak memory of any process."""
        return max(topic.peak_mb for topic in self.topics)


class SimulatedStudy:
    """Several plans on the same topics, each repeat with its own seed.

    Parameters
    ----------
    backends
        The remote backends; None to judge in this process and its children.
    with_curves
        Whether to measure quality curves, which takes time.
    """

    def __init__(
        self,
        truths: Sequence[GroundTruth],
        plans: Sequence[SimulationPlan],
        *,
        repeat: int = 1,
        seed: int = 0,
        backends: JudgingBackends | None = None,
        with_curves: bool = False,
    ) -> None:
        self._truths = truths
        self._plans = plans
        self._seeds = range(seed, seed + repeat)
        self._backends = backends
        self._with_curves = with_curves
        self._done: dict[Task, TopicRun] = {}

    def __len__(self) -> int:
        return len(self._plans) * len(self._seeds) * len(self._truths)

    def run(self, jobs: int = 1) -> Iterator[TopicRun]:
        """Run everything, yielding each topic as it ends; results do not depend on `jobs`."""
        tasks = [
            (plan, repeat, topic)
            for repeat in range(len(self._seeds))
            for plan in range(len(self._plans))
            for topic in range(len(self._truths))
        ]
        results = self._run_serially(tasks) if jobs == 1 else self._run_in_pool(tasks, jobs)
        with single_threaded():
            for task, topic_run in results:
                self._done[task] = topic_run
                yield topic_run

    def _run_serially(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, TopicRun]]:
        for task in tasks:
            yield task, self._run(task)

    def _run_in_pool(self, tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, TopicRun]]:
        pool, run = self._pool(jobs)
        try:
            futures = {pool.submit(run, task): task for task in tasks}
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            if self._backends is not None:
                self._backends.stop()
            pool.shutdown(cancel_futures=True)

    def _pool(self, jobs: int) -> tuple[Executor, Callable[[Task], TopicRun]]:
        if self._backends is not None:
            # Threads suffice: the computation happens at the service.
            return ThreadPoolExecutor(jobs), self._run
        # spawn, not fork: a fork would copy the thread of the progress bar in an arbitrary state.
        return ProcessPoolExecutor(jobs, get_context("spawn"), _initialise_process, (self,)), _run

    def _run(self, task: Task) -> TopicRun:
        plan, repeat, topic = task
        truth, seed = self._truths[topic], self._seeds[repeat]
        open_backend = (
            self._backends.opener(plan, seed, truth.topic) if self._backends else LocalBackend
        )
        chance = [seed, topic]
        return judge_topic(
            truth, self._plans[plan], chance, open_backend, with_curve=self._with_curves
        )

    def runs(self, plan: SimulationPlan) -> list[StudyRun]:
        """Return the runs of a plan, one per repeat."""
        place = self._plans.index(plan)
        return [
            StudyRun(
                plan,
                seed,
                [self._done[place, repeat, topic] for topic in range(len(self._truths))],
            )
            for repeat, seed in enumerate(self._seeds)
        ]


_study: SimulatedStudy | None = None


def _initialise_process(study: SimulatedStudy) -> None:
    """Initialise a process of the pool: it keeps the simulation, and computes on one core."""
    global _study
    _study = study
    limit_threads()
    exit_with_parent()


def _run(task: Task) -> TopicRun:
    assert _study is not None
    return _study._run(task)
