"""Placement with workers who err: what it asks, when it stops, and what it says."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import kendalltau
from strategies import truth

from nextpair.selectors.base import Idle
from nextpair.selectors.errors import BadOption
from nextpair.selectors.inference.ordinal_classes.eligibility import INITIAL_OPEN_PAIRS
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome, Pair, unordered
from nextpair.selectors.state.settings import Lease, Settings
from nextpair.selectors.state.topic_state import Topic, fold

SKEWED = [0] * 60 + [1] * 14 + [2] * 6
Answerer = Callable[[Pair, str, Outcome, np.random.Generator], Outcome]


def erring(share: float, tie: float = 0.7) -> Answerer:
    """Make answers that are wrong this often, mostly by calling a difference a tie."""

    def answer(pair: Pair, worker: str, right: Outcome, rng: np.random.Generator) -> Outcome:
        if rng.random() >= share:
            return right
        if right is Outcome.TIE:
            return Outcome.BETTER if rng.random() < 0.5 else Outcome.WORSE
        return Outcome.TIE if rng.random() < tie else right.reversed

    return answer


class Simulation:
    """Workers who answer the questions of a topic, one after another."""

    def __init__(
        self,
        grades: Sequence[int],
        answer: Answerer,
        seed: int = 0,
        workers: int = 40,
        **options: object,
    ) -> None:
        self.grades = list(grades)
        documents = [Document(f"d{place}") for place in range(len(grades))]
        self.topic = Topic(documents, Settings("placement", options, seed=seed))
        self.asked: list[tuple[str, Pair]] = []
        self._answer, self._workers = answer, workers
        self._rng = np.random.default_rng(seed)

    def play(self, most: int = 10_000) -> "Simulation":
        """Answer until nothing is left to ask, or this many questions are answered."""
        while len(self.asked) < most:
            worker = f"w{self._rng.integers(self._workers)}"
            choice = self.topic.select(
                worker, (), self.topic.settings.question_rng(len(self.asked))
            )
            if choice is Idle.DONE:
                break
            if not isinstance(choice, Idle):
                self.absorb(worker, choice)
        return self

    def absorb(self, worker: str, pair: Pair) -> None:
        right = truth(*pair, self.grades)
        outcome = self._answer(pair, worker, right, self._rng)
        first, second = (f"d{place}" for place in pair)
        self.topic.absorb(Judgment(len(self.asked), first, second, outcome, worker))
        self.asked.append((worker, pair))

    @property
    def tau(self) -> float:
        return float(kendalltau(self.topic.scores(), self.grades).statistic)


@pytest.mark.statistical
def test_right_answers_lead_to_the_true_order_with_few_questions() -> None:
    simulations = [Simulation(SKEWED, erring(0), seed).play() for seed in range(5)]
    # 12 seeds: 0.98 on average and 0.94 at least, with 1.3 questions a document.
    assert np.mean([simulation.tau for simulation in simulations]) > 0.9
    # That workers do not err has to be learned, too.
    assert np.mean([len(simulation.asked) for simulation in simulations]) < 2 * len(SKEWED)


@pytest.mark.statistical
@pytest.mark.parametrize(("error", "most"), [(0.1, 3.0), (0.25, 6.0)])
def test_wrong_answers_are_outweighed_by_more_of_them_not_by_a_fixed_number(
    error: float, most: float
) -> None:
    simulations = [Simulation(SKEWED, erring(error), seed).play() for seed in range(4)]
    # 12 seeds: 0.98 and 0.99 on average, with standard errors below 0.01; 1.8 and 3.6 questions a
    # document, with standard errors of 0.08 and 0.15.
    assert np.mean([simulation.tau for simulation in simulations]) > 0.87
    assert np.mean([len(simulation.asked) for simulation in simulations]) < most * len(SKEWED)


@pytest.mark.statistical
def test_certainty_is_calibrated() -> None:
    simulations = [Simulation(SKEWED, erring(0.2), seed).play() for seed in range(4)]
    sure, right = 0.0, 0
    for simulation in simulations:
        certainty = simulation.topic.certainty()
        assert certainty is not None
        sure += certainty.sum()
        levels = np.unique(simulation.topic.scores(), return_inverse=True)[1]
        right += int((levels == np.array(simulation.grades)).sum())
    # 12 seeds: 0.006 of the documents apart, with a standard error of 0.007 (of 4 seeds, 0.013).
    assert abs(sure - right) < 0.06 * len(SKEWED) * len(simulations)


@pytest.mark.statistical
def test_a_smaller_risk_costs_more_questions() -> None:
    careless, careful = (
        np.mean(
            [
                len(Simulation(SKEWED, erring(0.15), seed, risk=risk).play().asked)
                for seed in range(3)
            ]
        )
        for risk in (0.3, 0.02)
    )
    # 8 seeds: 111 and 173 questions, with standard errors of 2 and 9.
    assert careless < careful


def test_nobody_is_asked_twice_and_the_same_log_gives_the_same_state() -> None:
    simulation = Simulation(SKEWED, erring(0.2), workers=6).play()
    assert len(set(simulation.asked)) == len(simulation.asked)
    documents = [Document(f"d{place}") for place in range(len(SKEWED))]
    folded = fold(documents, simulation.topic.log, simulation.topic.settings)
    assert np.array_equal(folded.scores(), simulation.topic.scores())
    certainty, again = simulation.topic.certainty(), folded.certainty()
    assert certainty is not None
    assert again is not None
    assert np.array_equal(certainty, again)
    assert folded.reliabilities() == simulation.topic.reliabilities()


def test_reading_changes_nothing() -> None:
    watched, alone = (Simulation(SKEWED, erring(0.2)) for _ in range(2))
    for number in range(0, 120, 10):
        watched.play(number)
        watched.topic.scores()
        watched.topic.forecast()
        assert watched.topic.order.size == len(SKEWED)
        watched.topic.select("guest", [Lease((0, 1), "w")], np.random.default_rng(number))
    alone.play(110)
    assert watched.asked[:110] == alone.asked[:110]


def test_a_late_contradiction_moves_a_settled_document() -> None:
    simulation = Simulation(SKEWED, erring(0)).play()
    assert simulation.topic.relation("d0", "d70") is Outcome.WORSE
    number = len(simulation.asked)
    for extra in range(14):
        # Many say now that d0 is as good as those of the middle class, and better than the rest.
        other, outcome = (60 + extra, Outcome.TIE) if extra % 2 else (1 + extra, Outcome.BETTER)
        answer = Judgment(number + extra, "d0", f"d{other}", outcome, f"late{extra}")
        simulation.topic.absorb(answer)
    simulation.asked += [("late", (0, 0))] * 14
    simulation.play()
    assert simulation.topic.relation("d0", "d70") is Outcome.TIE
    assert any(conflict.comparison.involves(0) for conflict in simulation.topic.conflicts)


def test_a_settled_relation_is_explained_by_judgments_that_agree_with_it() -> None:
    simulation = Simulation(SKEWED, erring(0.1)).play()
    chains = [simulation.topic.explain("d0", f"d{place}") for place in range(62, 80)]
    assert sum(bool(chain) for chain in chains) > len(chains) / 2
    for chain in chains:
        for step in chain:
            assert simulation.topic.relation(step.first, step.second) is step.outcome
            (number,) = step.judgments
            assert simulation.topic.log[number].outcome in (step.outcome, step.outcome.reversed)


def test_it_stops_at_its_budget_and_counts_open_pairs() -> None:
    simulation = Simulation(SKEWED, erring(0.3), budget=0.5).play()
    assert len(simulation.asked) == len(SKEWED) / 2
    assert simulation.topic.finished
    simulation = Simulation(SKEWED, erring(0.3), budget=0.5).play(38)
    leases = [Lease((2, 3), "x"), Lease((4, 5), "y")]
    rng = np.random.default_rng(0)
    assert simulation.topic.select("z", leases, rng) is Idle.WAIT
    assert not isinstance(simulation.topic.select("z", leases[:1], rng), Idle)


@pytest.mark.statistical
def test_only_the_top_has_to_be_settled() -> None:
    grades = [0] * 150 + [1] * 30 + [2] * 14 + [3] * 6
    whole = [Simulation(grades, erring(0.1), seed).play() for seed in range(4)]
    top = [Simulation(grades, erring(0.1), seed, top=6).play() for seed in range(4)]
    # 0.80 of the questions, and 5.8 of the 6, with standard errors of 0.03 and 0.2.
    assert sum(len(simulation.asked) for simulation in top) < 0.95 * sum(
        len(simulation.asked) for simulation in whole
    )
    assert np.mean([found_on_top(simulation.topic.scores(), 6) for simulation in top]) > 5


def found_on_top(scores: NDArray[np.float64], count: int) -> float:
    """Say how many of the last documents are the best, were ties broken at random."""
    last = np.sort(scores)[-count]
    sure, tied = scores > last, scores == last
    places = count - sure.sum()
    return float(sure[-count:].sum() + tied[-count:].sum() * places / tied.sum())


@pytest.mark.statistical
def test_where_nobody_says_equal_documents_are_scored_one_by_one() -> None:
    grades = list(range(24))
    simulations = [
        Simulation(grades, erring(0.2, tie=0.0), seed, risk=1e-9, budget=8.0).play()
        for seed in range(6)
    ]
    assert all(len(set(simulation.topic.scores().tolist())) > 20 for simulation in simulations)
    # 12 seeds: 0.81 on average, with a standard error of 0.02.
    assert np.mean([simulation.tau for simulation in simulations]) > 0.7
    for simulation in simulations:
        assert (
            len(simulation.topic.classes())
            == len(set(simulation.topic.reported().levels.tolist()))
            > 20
        )


def test_a_document_stays_on_the_screen_where_that_costs_little() -> None:
    def kept(stay: float) -> float:
        simulation = Simulation(SKEWED, erring(0.1), workers=1, stay=stay).play(60)
        pairs = [set(pair) for _, pair in simulation.asked]
        return float(np.mean([bool(one & other) for one, other in pairwise(pairs)]))

    assert kept(0.5) > kept(0.0) + 0.2


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("rule", "least"),
    [
        (lambda right, rng: list(Outcome)[rng.integers(3)], 0.8),
        (lambda right, rng: right.reversed, 0.8),
        (lambda right, rng: Outcome.BETTER if rng.random() < 0.5 else Outcome.WORSE, 0.8),
    ],
    ids=["random", "reversing", "always left"],
)
def test_bad_workers_are_found_and_discounted(
    rule: Callable[[Outcome, np.random.Generator], Outcome], least: float
) -> None:
    honest = erring(0.1)

    def answer(pair: Pair, worker: str, right: Outcome, rng: np.random.Generator) -> Outcome:
        bad = int(worker[1:]) < 3
        return rule(right, rng) if bad else honest(pair, worker, right, rng)

    simulation = Simulation([0] * 80 + [1] * 50 + [2] * 20, answer, workers=10).play()
    assert simulation.tau > least
    accuracy = {one.worker: one.right for one in simulation.topic.reliabilities()}
    assert max(accuracy[f"w{bad}"] for bad in range(3)) < min(
        accuracy[f"w{good}"] for good in range(3, 10)
    )


@pytest.mark.statistical
def test_three_of_ten_may_reverse_every_answer() -> None:
    honest = erring(0.1)

    def answer(pair: Pair, worker: str, right: Outcome, rng: np.random.Generator) -> Outcome:
        said = honest(pair, worker, right, rng)
        return said.reversed if int(worker[1:]) % 10 < 3 else said

    simulations = [Simulation(SKEWED, answer, seed=seed, workers=20).play() for seed in range(8)]
    # Now and then a topic still comes out wrong: docs/placement.md says how often.
    assert np.mean([simulation.tau for simulation in simulations]) > 0.93
    found = [
        int(one.worker[1:]) % 10 < 3
        for simulation in simulations
        for one in simulation.topic.reliabilities()
        if one.right < 0.5
    ]
    assert len(found) > 30
    assert np.mean(found) > 0.9


def test_few_pairs_are_open_before_there_are_answers() -> None:
    topic = Simulation(SKEWED, erring(0.1)).topic
    leases: list[Lease] = []
    while len(leases) < 40:
        worker = f"w{len(leases)}"
        choice = topic.select(worker, leases, topic.settings.question_rng(len(leases)))
        if isinstance(choice, Idle):
            break
        leases.append(Lease(unordered(*choice), worker))
    assert choice is Idle.WAIT
    assert len(leases) == INITIAL_OPEN_PAIRS


def test_the_forecast_falls_to_nothing() -> None:
    simulation = Simulation(SKEWED, erring(0.2))
    expected = []
    for number in (20, 60, 100):
        forecast = simulation.play(number).topic.forecast()
        assert forecast is not None
        assert forecast.low <= forecast.expected <= forecast.high
        expected.append(forecast.expected)
    assert expected[0] > expected[-1] > 0
    simulation.play()
    done = simulation.topic.forecast()
    assert done is not None
    assert (done.low, done.expected, done.high) == (0, 0, 0)


def test_retracting_the_answers_of_a_bad_worker_leaves_no_trace() -> None:
    simulation = Simulation(SKEWED, erring(0.1)).play()
    bad = [
        Judgment(1000 + number, f"d{number}", f"d{79 - number}", Outcome.BETTER, "bad")
        for number in range(20)
    ]
    for judgment in bad:
        simulation.topic.absorb(judgment)
    without = simulation.topic.retract(*(judgment.number for judgment in bad))
    assert "bad" not in {one.worker for one in without.reliabilities()}
    assert without.log == simulation.topic.log[: len(without.log)]


@pytest.mark.parametrize(
    "options",
    [
        {"risk": 1.0},
        {"risk": -0.1},
        {"stay": 2.0},
        {"top": -1},
        {"budget": -1.0},
        {"risk": 0, "top": 3},
    ],
)
def test_impossible_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(BadOption):
        Topic([Document("a"), Document("b")], Settings("placement", options))
