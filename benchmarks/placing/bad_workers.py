"""Workers who do not mean to be right: whether they are found, and what they spoil."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.placing.topics import SAMPLE, graded
from benchmarks.section import Section, main, processes
from nextpair.app.simulation.crowd import CrowdSettings, SimulatedWorker, WorkerKind, draw_crowd
from nextpair.app.simulation.ground_truth import GroundTruth, ShownPair
from nextpair.app.simulation.judging_backend import LocalBackend
from nextpair.app.simulation.runs import SimulationPlan, judge_topic
from nextpair.selectors.base import Idle
from nextpair.selectors.state.bayesian_selector import Reliability
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment
from nextpair.selectors.state.judgments import Outcome as Relation
from nextpair.selectors.state.settings import Settings

ERROR, SIZES, SEEDS, EVERY = 0.1, (20, 100), 2, 2
FIRST_SEED = 60
"""Those from 40 on were recorded before what is done about reversers was made."""
CROWDS = {
    "nobody": {},
    "30 % at random": {"spammers": 0.3},
    "30 % always left": {"left": 0.3},
    "30 % reversed": {"reversers": 0.3},
    "10 % of each": {"spammers": 0.1, "left": 0.1, "reversers": 0.1},
}
HALF_RIGHT = 0.6
"""Who is expected to be right less often than this is accused: half way from chance to honest."""
ENOUGH = 5
"""Nobody can tell anything of a worker with fewer answers."""
TRAPS = 3
"""Questions with known answers that everyone gets first, where there are any."""
TRAPPED = "30 % reversed"
"""The crowd that is tried with them, too: who contradicts whom does not tell who is right."""
Task = tuple[GroundTruth, SimulationPlan, tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run came to."""

    judgments: int
    documents: int
    tau_b: float
    bad: int
    found: int
    good: int
    accused: int


class _GoldFirstBackend(LocalBackend):
    """A backend that begins with gold questions, and gives its topic's estimates of the workers."""

    def __init__(
        self,
        documents: Sequence[Document],
        settings: Settings,
        crowd: Sequence[SimulatedWorker],
        traps: int,
        rng: np.random.Generator,
    ) -> None:
        super().__init__(documents, settings)
        self._crowd = {worker.id: worker for worker in crowd}
        self._traps, self._rng = traps, rng

    def ask(self, worker: str) -> ShownPair | Idle:
        """Hand out a pair, to whoever comes for the first time after some traps."""
        fresh = self._crowd.pop(worker, None)
        if fresh is not None:
            for truth in (Relation.BETTER, Relation.TIE, Relation.WORSE)[: self._traps]:
                said = fresh.answer(truth, self._rng, swapped=bool(self._rng.integers(2)))
                self._topic.absorb(Judgment(self._judged, "+", "-", said, worker, truth))
                self._judged += 1
        return super().ask(worker)

    def reliabilities(self) -> Sequence[Reliability]:
        """Return what the topic has found out about its workers."""
        selector = self._topic.selector
        return selector.reliabilities()


def measure(given: argparse.Namespace) -> Section:
    """Run crowds with and without bad workers."""
    truths = graded(given.data)[::EVERY]
    section = Section(
        "Placement with bad workers",
        "python -m benchmarks.placing.bad_workers",
        f"{len(truths)} topics of WT11 with at least three grades, {SAMPLE} documents each,"
        f" {SEEDS} seeds, honest workers with error {ERROR}. A worker is found, or accused, if"
        f" expected to be right less than {HALF_RIGHT:.0%} of the time; counted are those with at"
        f" least {ENOUGH} answers in the topic. With traps, everyone first answers {TRAPS}"
        " questions whose answers are known (a better, an equal and a worse document), which are"
        " not counted as judgments.",
        (
            "crowd, bad workers",
            "judgments per document",
            "tau-b",
            "worst topic",
            "bad ones found",
            "good ones accused",
        ),
    )
    crowds = [(name, 0) for name in CROWDS] + [(TRAPPED, TRAPS)]
    for size in SIZES:
        for name, traps in crowds:
            plan = SimulationPlan("placement", crowd=CrowdSettings(size, ERROR, **CROWDS[name]))
            plan = replace(plan, max_documents=SAMPLE)
            outcomes = _play(truths, plan, traps, given.jobs)
            with_traps = f", {traps} traps each" if traps else ""
            section.rows.append((f"{size} workers, {name}{with_traps}", *_cells(outcomes)))
    return section


def _play(
    truths: Sequence[GroundTruth], plan: SimulationPlan, traps: int, jobs: int
) -> list[list[Outcome]]:
    tasks = [
        (truth, plan, (seed, place), traps)
        for seed in range(FIRST_SEED, FIRST_SEED + SEEDS)
        for place, truth in enumerate(truths)
    ]
    with processes(jobs) as pool:
        outcomes = list(pool.map(_run, tasks))
    return [outcomes[start :: len(truths)] for start in range(len(truths))]


def _run(task: Task) -> Outcome:
    truth, plan, seed, traps = task
    # The third stream of a run's seed is the one its crowd is drawn with; the fifth is free.
    crowd = draw_crowd(plan.crowd, np.random.default_rng([*seed, 2]))
    backends: list[_GoldFirstBackend] = []

    def open_backend(documents: Sequence[Document], settings: Settings) -> _GoldFirstBackend:
        rng = np.random.default_rng([*seed, 4])
        backends.append(_GoldFirstBackend(documents, settings, crowd, traps, rng))
        return backends[-1]

    run = judge_topic(truth, plan, seed, open_backend)
    bad = {worker.id for worker in crowd if worker.kind is not WorkerKind.HONEST}
    known = [one for one in backends[0].reliabilities() if one.answers >= ENOUGH]
    accused = {one.worker for one in known if one.right < HALF_RIGHT}
    seen = {one.worker for one in known}
    return Outcome(
        run.judgments,
        run.documents,
        run.tau_b,
        len(bad & seen),
        len(bad & accused),
        len(seen - bad),
        len(accused - bad),
    )


def _cells(outcomes: Sequence[Sequence[Outcome]]) -> tuple[str, ...]:
    runs = [run for topic in outcomes for run in topic]
    bad, found = sum(run.bad for run in runs), sum(run.found for run in runs)
    good, accused = sum(run.good for run in runs), sum(run.accused for run in runs)
    return (
        f"{sum(run.judgments for run in runs) / sum(run.documents for run in runs):.2f}",
        f"{np.mean([run.tau_b for run in runs]):.3f}",
        f"{min(np.mean([run.tau_b for run in topic]) for topic in outcomes):.3f}",
        f"{found / bad:.0%} of {bad}" if bad else "-",
        f"{accused / good:.1%} of {good}" if good else "-",
    )


if __name__ == "__main__":
    main(measure)
