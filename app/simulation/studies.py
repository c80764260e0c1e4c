"""Many runs: every plan on every topic, repeated, as many at once as there are jobs."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from nextpair.app.runtime.process_watch import exit_with_parent
from nextpair.app.runtime.threads import limit_threads, single_threaded
from nextpair.app.simulation.curves import Curve, Point, run_curve
from nextpair.app.simulation.desk import Desks, LocalDesk
from nextpair.app.simulation.runs import Plan, TopicRun, judge_topic
from nextpair.app.simulation.truths import Truth

Task = tuple[int, int, int]
"""A plan, a repeat and a topic, by their places."""


@dataclass(frozen=True, slots=True)
class Run:
    """One plan, once, over all topics."""

    plan: Plan
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
        """The mean over topics."""
        return float(np.mean([topic.tau_b for topic in self.topics]))

    @property
    def curve(self) -> Curve:
        """How the quality grew with the judgments, if that was measured."""
        return run_curve(
            [(topic.curve, Point(topic.judgments, topic.tau_b)) for topic in self.topics]
        )

    @property
    def exact(self) -> bool:
        """Whether the true order was recovered in every topic."""
        return all(topic.exact for topic in self.topics)

    @property
    def finished(self) -> bool:
        """Whether every topic came to its end."""
        return all(topic.finished for topic in self.topics)

    @property
    def seconds(self) -> float:
        """Computing time, added up over topics."""
        return sum(topic.seconds for topic in self.topics)

    @property
    def peak_mb(self) -> float:
        """The most memory any process had."""
        return max(topic.peak_mb for topic in self.topics)


class Study:
    """Plans side by side on the same topics, each repeated with its own seed.

    Parameters
    ----------
    desks
        Where topics are judged, if not in this process and others like it.
    with_curves
        Whether the quality is measured on the way, too: it takes time.
    """

    def __init__(
        self,
        truths: Sequence[Truth],
        plans: Sequence[Plan],
        *,
        repeat: int = 1,
        seed: int = 0,
        desks: Desks | None = None,
        with_curves: bool = False,
    ) -> None:
        self._truths = truths
        self._plans = plans
        self._seeds = range(seed, seed + repeat)
        self._desks = desks
        self._with_curves = with_curves
        self._done: dict[Task, TopicRun] = {}

    def __len__(self) -> int:
        return len(self._plans) * len(self._seeds) * len(self._truths)

    def play(self, jobs: int = 1) -> Iterator[TopicRun]:
        """Run everything, yielding each topic as it ends; the result does not depend on `jobs`."""
        tasks = [
            (plan, repeat, topic)
            for repeat in range(len(self._seeds))
            for plan in range(len(self._plans))
            for topic in range(len(self._truths))
        ]
        played = self._play_here(tasks) if jobs == 1 else self._play_elsewhere(tasks, jobs)
        with single_threaded():
            for task, topic_run in played:
                self._done[task] = topic_run
                yield topic_run

    def _play_here(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, TopicRun]]:
        for task in tasks:
            yield task, self._run(task)

    def _play_elsewhere(self, tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, TopicRun]]:
        pool, run = self._pool(jobs)
        try:
            futures = {pool.submit(run, task): task for task in tasks}
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            if self._desks is not None:
                self._desks.stop()
            pool.shutdown(cancel_futures=True)

    def _pool(self, jobs: int) -> tuple[Executor, Callable[[Task], TopicRun]]:
        if self._desks is not None:
            # The computing is done elsewhere: here everyone only waits for an answer.
            return ThreadPoolExecutor(jobs), self._run
        # Fresh processes: a fork would copy the progress bar's thread in whatever state it is.
        return ProcessPoolExecutor(jobs, get_context("spawn"), _enter, (self,)), _run

    def _run(self, task: Task) -> TopicRun:
        plan, repeat, topic = task
        truth, seed = self._truths[topic], self._seeds[repeat]
        open_desk = self._desks.at(plan, seed, truth.topic) if self._desks else LocalDesk
        chance = [seed, topic]
        return judge_topic(
            truth, self._plans[plan], chance, open_desk, with_curve=self._with_curves
        )

    def runs(self, plan: Plan) -> list[Run]:
        """Return the runs of a plan, one per repeat."""
        place = self._plans.index(plan)
        return [
            Run(
                plan,
                seed,
                [self._done[place, repeat, topic] for topic in range(len(self._truths))],
            )
            for repeat, seed in enumerate(self._seeds)
        ]


_study: Study | None = None


def _enter(study: Study) -> None:
    """Prepare a process of the pool: it holds the study, and computes on one core."""
    global _study
    _study = study
    limit_threads()
    exit_with_parent()


def _run(task: Task) -> TopicRun:
    assert _study is not None
    return _study._run(task)
