"""A run is the same in every backend: the random numbers belong to a question, not to a backend."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.ground_truth import (
    GroundTruth,
    RecordedTruth,
    ShownPair,
    WorkerAnswer,
    generated_truths,
)
from nextpair.app.simulation.judging_backend import LocalBackend
from nextpair.app.simulation.runs import SEEDS, SimulationPlan, TopicRun, judge_topic
from nextpair.selectors.base import End, Idle, find_selector, make_options, selector_names
from nextpair.selectors.state.bayesian_selector import BayesianSelector
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome, Pair, unordered
from nextpair.selectors.state.settings import ConflictPolicy, Lease, Settings
from nextpair.selectors.state.topic_state import Topic, fold

CROWD = CrowdSettings(40, 0.25, 0.1, 0.1, left=0.2, reversers=0.1)


class RefoldingBackend:
    """Stores the log and the leases only, and folds the log for every call, as a new process."""

    def __init__(self, documents: Sequence[Document], settings: Settings) -> None:
        self.documents, self.settings = documents, settings
        self.log: list[Judgment] = []
        self.leases: list[Lease] = []

    def topic(self) -> Topic:
        return fold(self.documents, self.log, self.settings)

    def ask(self, worker: str) -> ShownPair | Idle:
        # Every pair handed out is a judgment by now, or still held.
        rng = self.settings.question_rng(len(self.log) + len(self.leases))
        choice = self.topic().select(worker, self.leases, rng)
        if isinstance(choice, Idle):
            return choice
        pair = unordered(*choice)
        self.leases.append(Lease(pair, worker))
        return ShownPair(pair, swapped=bool(rng.integers(2)))

    def answer(self, pair: Pair, worker: str, answer: WorkerAnswer) -> None:
        self.leases.remove(Lease(pair, worker))
        first, second = (self.documents[place].id for place in pair)
        number = 3 * len(self.log) + 1  # what judgments are numbered by does not matter
        self.log.append(Judgment(number, first, second, answer.outcome, answer.worker))

    def scores(self) -> NDArray[np.float64]:
        return self.topic().reported().scores

    def conflicts(self) -> int:
        return len(self.topic().conflicts)

    def ended(self) -> End | None:
        return self.topic().ended


def graded(size: int = 12) -> GroundTruth:
    (truth,) = generated_truths(1, size, [5, 3, 2], np.random.default_rng(0))
    rng = np.random.default_rng(1)
    documents = [Document(document.id, {"f": rng.normal()}) for document in truth.documents]
    return replace(truth, documents=documents)


def recorded(size: int = 8) -> GroundTruth:
    rng = np.random.default_rng(2)
    answers = {
        (first, second): [
            WorkerAnswer(tuple(Outcome)[rng.integers(3)], f"w{rng.integers(4)}") for _ in range(3)
        ]
        for second in range(size)
        for first in range(second)
    }
    return RecordedTruth("1", [Document(f"d{place}") for place in range(size)], answers)


def without_cost(run: TopicRun) -> TopicRun:
    return replace(run, seconds=0, peak_mb=0)


def believes(selector: str) -> bool:
    """Say whether a selector is told every judgment, and fits them all: votes are not for it."""
    kind = find_selector(selector)
    return issubclass(kind.implementation(make_options(kind, {})), BayesianSelector)


@pytest.mark.parametrize("policy", ConflictPolicy)
@pytest.mark.parametrize(("workers", "votes"), [(1, 1), (6, 1), (6, 3)])
@pytest.mark.parametrize("selector", [one for one in selector_names() if not believes(one)])
def test_a_desk_that_remembers_nothing_but_the_log_gives_the_same_run(
    selector: str, workers: int, votes: int, policy: ConflictPolicy
) -> None:
    same_at_both(
        SimulationPlan(
            selector, crowd=CROWD, votes=votes, on_conflict=policy, workers=workers, budget=8
        )
    )


@pytest.mark.parametrize("workers", [1, 6])
@pytest.mark.parametrize("selector", [one for one in selector_names() if believes(one)])
def test_so_does_one_that_fits_its_beliefs_anew(selector: str, workers: int) -> None:
    # Each of its questions folds the whole log again, fit by fit: few judgments are many fits.
    same_at_both(SimulationPlan(selector, crowd=CROWD, workers=workers, budget=4))


def same_at_both(plan: SimulationPlan) -> None:
    for truth in (graded(), recorded()):
        local, forgetful = (
            without_cost(judge_topic(truth, plan, [plan.workers, plan.votes], open_backend))
            for open_backend in (LocalBackend, RefoldingBackend)
        )
        assert local == forgetful


def two_documents(votes: int = 1) -> LocalBackend:
    return LocalBackend([Document("a"), Document("b")], Settings("quick-sort", votes=votes))


def test_a_pair_that_is_held_is_not_handed_out_again() -> None:
    backend = two_documents()
    assert backend.ask("anna") in [ShownPair((0, 1), swapped) for swapped in (False, True)]
    assert backend.ask("ben") is Idle.WAIT


def test_an_answer_given_by_another_frees_the_pair_for_whoever_was_asked() -> None:
    backend = two_documents(votes=2)
    asked = backend.ask("anna")
    assert not isinstance(asked, Idle)
    backend.answer(asked.pair, "anna", WorkerAnswer(Outcome.BETTER, "recorded"))
    assert backend.ask("recorded") is Idle.SEEN
    assert not isinstance(backend.ask("anna"), Idle)


def test_being_told_to_wait_costs_no_chance() -> None:
    def answered(waits: int) -> list[ShownPair]:
        documents = [Document(f"d{place}") for place in range(12)]
        backend, asked = LocalBackend(documents, Settings("uniform", seed=4)), list[ShownPair]()
        while not isinstance(question := backend.ask("anna"), Idle):
            asked.append(question)
            while not isinstance(held := backend.ask("ben"), Idle):
                backend.answer(held.pair, "ben", WorkerAnswer(Outcome.TIE, "ben"))
                asked.append(held)
            assert [backend.ask("ben") for _ in range(waits)] == [held] * waits
            backend.answer(question.pair, "anna", WorkerAnswer(Outcome.TIE, "anna"))
        return asked

    assert answered(waits=0) == answered(waits=5)


def test_every_seed_drawn_for_a_topic_survives_readers_of_json() -> None:
    seeds: list[int] = []

    def open_backend(documents: Sequence[Document], settings: Settings) -> LocalBackend:
        seeds.append(settings.seed)
        return LocalBackend(documents, settings)

    for seed in range(20):
        judge_topic(graded(2), SimulationPlan("uniform"), [seed], open_backend)
    assert len(set(seeds)) == 20
    assert all(int(float(seed)) == seed < SEEDS for seed in seeds)
    assert max(seeds) > 2**48


@pytest.mark.parametrize("selector", selector_names())
def test_sides_are_tossed_for_whichever_document_a_selector_names_first(selector: str) -> None:
    truth, swapped = graded(30), list[bool]()

    class Noting(LocalBackend):
        def ask(self, worker: str) -> ShownPair | Idle:
            asked = super().ask(worker)
            if isinstance(asked, ShownPair):
                assert asked.pair == unordered(*asked.pair)
                swapped.append(asked.swapped)
            return asked

    for seed in range(10):
        judge_topic(truth, SimulationPlan(selector, budget=4), [seed], Noting)
    # Five standard deviations of so many tosses of a fair coin.
    assert abs(np.mean(swapped) - 0.5) < 2.5 / np.sqrt(len(swapped))
    assert len(swapped) > 300
