"""Information gain: the scores it finds, the workers it distrusts, and when it stops."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import kendalltau

from nextpair.selectors.base import Idle
from nextpair.selectors.errors import BadOption
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome, Pair, unordered
from nextpair.selectors.state.settings import Lease, Settings
from nextpair.selectors.state.topic_state import Topic, fold

SIZE = 24
Answer = Callable[[Pair, int], Outcome]


def pool(size: int = SIZE) -> list[Document]:
    return [Document(f"d{place}") for place in range(size)]


def scores_of(seed: int, size: int = SIZE) -> np.ndarray:
    return np.random.default_rng([seed, 1]).normal(0, 3, size)


def judged(
    answer: Answer, workers: int, per_document: float, documents: list[Document], **options: object
) -> Topic:
    settings = Settings("information-gain", {"budget": 0, "risk": 0, **options}, seed=3)
    topic = Topic(documents, settings)
    rng, tries = np.random.default_rng(5), 0
    while len(topic.log) < per_document * len(documents) and tries < 5_000:
        tries += 1
        worker = int(rng.integers(workers))
        choice = topic.select(f"w{worker}", (), settings.question_rng(tries))
        if choice is Idle.DONE:
            break
        if not isinstance(choice, Idle):
            pair = unordered(*choice)
            first, second = (topic.documents.ids[place] for place in pair)
            number = len(topic.log)
            topic.absorb(Judgment(number, first, second, answer(pair, worker), f"w{worker}"))
    return topic


def thurstone(scores: np.ndarray, guessing: int = 0, reversing: int = 0) -> Answer:
    """Make judges of whom the first so many guess, and the next so many reverse."""
    rng = np.random.default_rng(9)

    def answer(pair: Pair, worker: int) -> Outcome:
        seen = scores[pair[0]] - scores[pair[1]] + rng.normal()
        if worker < guessing:
            seen = rng.normal()
        elif worker < guessing + reversing:
            seen = -seen
        return Outcome.BETTER if seen > 0 else Outcome.WORSE

    return answer


def tau(topic: Topic, scores: np.ndarray) -> float:
    return float(kendalltau(topic.scores(), scores).statistic)


@pytest.mark.statistical
def test_it_recovers_an_order_with_calibrated_certainty() -> None:
    scores = scores_of(1)
    topic = judged(thurstone(scores), 8, 8, pool())
    assert tau(topic, scores) > 0.85
    best, worst = (f"d{scores.argmax()}", f"d{scores.argmin()}")
    assert topic.win_probability(best, worst) > 0.99
    assert topic.win_probability(best, worst) + topic.win_probability(worst, best) == pytest.approx(
        1
    )
    assert topic.relation(best, worst) is Outcome.BETTER
    errors, certainty = topic.standard_errors("order"), topic.certainty()
    assert (errors > 0).all() and certainty is not None
    assert 0.5 <= certainty.min() <= certainty.max() <= 1


@pytest.mark.statistical
def test_a_worker_who_guesses_is_dismissed() -> None:
    scores = scores_of(2)
    topic = judged(thurstone(scores, guessing=3), 8, 14, pool())
    reliabilities = {one.worker: one for one in topic.reliabilities()}
    guessing = [reliabilities[f"w{number}"] for number in range(3)]
    others = [reliabilities[f"w{number}"] for number in range(3, 8)]
    least = min(one.information for one in others)
    assert least > 0.5
    assert max(one.information for one in guessing) < least / 2
    asked = topic.settings.question_rng(1)
    dismissed = [topic.select(one.worker, (), asked) for one in guessing]
    assert Idle.SEEN in dismissed
    assert not isinstance(topic.select("w7", (), asked), Idle)
    assert tau(topic, scores) > 0.85


@pytest.mark.statistical
def test_reversed_answers_are_understood() -> None:
    scores = scores_of(3)
    topic = judged(thurstone(scores, reversing=2), 8, 12, pool())
    reliabilities = {one.worker: one for one in topic.reliabilities()}
    assert max(reliabilities[f"w{number}"].right for number in range(2)) < 0.5
    assert tau(topic, scores) > 0.85


def test_gold_responses_inform_about_workers() -> None:
    settings = Settings("information-gain")
    log = [
        Judgment(number, "k1", "k2", said, worker, Outcome.BETTER)
        for number, (worker, said) in enumerate(
            [("honest", Outcome.BETTER), ("turned", Outcome.WORSE)] * 12
        )
    ]
    answers = [
        Judgment(100, "d0", "d1", Outcome.BETTER, "honest"),
        Judgment(101, "d2", "d3", Outcome.BETTER, "turned"),
    ]
    topic = fold(pool(4), [*log, *answers], settings)
    assert topic.win_probability("d0", "d1") > 0.6
    assert topic.win_probability("d2", "d3") < 0.4


def test_gold_responses_inform_about_a_crowd_before_it_has_judged_anything() -> None:
    def believed(turned: int) -> float:
        said = [Outcome.WORSE] * turned + [Outcome.BETTER] * (10 - turned)
        known = [
            Judgment(number, "k1", "k2", said[number % 10], f"w{number % 10}", Outcome.BETTER)
            for number in range(60)
        ]
        newcomer = Judgment(100, "d0", "d1", Outcome.BETTER, "new")
        return fold(pool(4), [*known, newcomer], Settings("information-gain")).win_probability(
            "d0", "d1"
        )

    assert believed(turned=4) < believed(turned=0) - 0.05


def test_the_same_log_gives_the_same_posterior_whoever_read_it_meanwhile() -> None:
    topic = judged(thurstone(scores_of(4)), 5, 4, pool())
    known = Judgment(500, "k1", "k2", Outcome.WORSE, "w1", Outcome.BETTER)
    later = [Judgment(501 + n, "d1", "d2", Outcome.BETTER, f"w{n}") for n in range(3)]
    looked_at = fold(pool(), topic.log, topic.settings)
    for judgment in (known, *later):
        looked_at.select("w0", (), topic.settings.question_rng(1))
        looked_at.scores()
        looked_at.absorb(judgment)
    folded = fold(pool(), [*topic.log, known, *later], topic.settings)
    one, other = (each.selector._schedule.current() for each in (looked_at, folded))  # type: ignore[attr-defined]
    assert np.array_equal(one.posterior.means, other.posterior.means)
    assert np.array_equal(one.posterior.variances, other.posterior.variances)
    assert np.array_equal(looked_at.scores(), folded.scores())


def test_open_pairs_are_not_asked_again_and_count_as_if_answered() -> None:
    topic = Topic(pool(), Settings("information-gain", seed=1))
    leases: list[Lease] = []
    for number in range(SIZE // 2):
        choice = topic.select(f"w{number}", leases, topic.settings.question_rng(number))
        assert not isinstance(choice, Idle)
        leases.append(Lease(choice, f"w{number}"))
    # Nothing is known of any document: whoever is in an open pair is left alone.
    assert len({document for lease in leases for document in lease.pair}) == SIZE


def test_ties_make_a_margin_and_equal_scores() -> None:
    grades = np.array([0, 0, 0, 1, 1, 1]) * 4.0

    def answer(pair: Pair, worker: int) -> Outcome:
        apart = grades[pair[0]] - grades[pair[1]]
        return Outcome.TIE if not apart else Outcome.BETTER if apart > 0 else Outcome.WORSE

    topic = judged(answer, 12, 8, pool(6))
    scores = topic.scores()
    assert scores[3:].min() > scores[:3].max()
    assert np.ptp(scores[:3]) < (scores[3:].min() - scores[:3].max()) / 2


@pytest.mark.parametrize("top", [1, 4])
@pytest.mark.statistical
def test_with_top_it_asks_about_uncertain_documents_until_they_are_certain(
    top: int,
) -> None:
    scores = np.random.default_rng(6).permutation(SIZE) * 1.0
    topic = judged(thurstone(scores), 40, 40, pool(), top=top, risk=0.1)
    assert topic.finished
    best = set(np.argsort(-scores)[:top].tolist())
    assert set(np.argsort(-topic.scores())[:top].tolist()) == best
    asked = [topic.documents.position(one.first) for one in topic.log]
    asked += [topic.documents.position(one.second) for one in topic.log]
    counts = np.bincount(asked, minlength=SIZE)
    worst = np.argsort(scores)[: SIZE // 2]
    assert counts[worst].mean() < counts.mean()


@pytest.mark.statistical
def test_it_stops_at_a_width() -> None:
    topic = judged(thurstone(scores_of(7)), 12, 30, pool(), width=3.0)
    assert topic.finished
    assert 2 * 1.6449 * topic.standard_errors("order").mean() == pytest.approx(3.0, abs=0.4)


@pytest.mark.statistical
def test_prior_scores_and_features_are_expected_as_far_as_they_hold() -> None:
    scores = scores_of(8)
    documents = [
        Document(f"d{place}", {"noise": float(place % 5), "hint": float(score)}, prior=float(score))
        for place, score in enumerate(scores.tolist())
    ]
    fresh = Topic(documents, Settings("information-gain"))
    assert tau(fresh, scores) == pytest.approx(1.0)
    wrong = [Document(one.id, prior=-float(one.prior or 0)) for one in documents]
    topic = judged(thurstone(scores), 8, 4, wrong)
    assert tau(topic, scores) > 0.6


@pytest.mark.statistical
def test_many_documents_have_independent_scores() -> None:
    size = 2_100
    scores = scores_of(9, size)
    answer = thurstone(scores)
    topic = judged(answer, 50, 0.05, pool(size))
    assert topic.selector._schedule.current().posterior._covariance is None  # type: ignore[attr-defined]
    rng = np.random.default_rng(1)
    pairs = [unordered(*rng.choice(size, 2, replace=False).tolist()) for _ in range(6_000)]
    log = [
        Judgment(n, f"d{pair[0]}", f"d{pair[1]}", answer(pair, 5), f"w{n % 50}")
        for n, pair in enumerate(pairs)
    ]
    folded = fold(pool(size), log, Settings("information-gain"))
    assert tau(folded, scores) > 0.6
    choice = folded.select("new", (), folded.settings.question_rng(1))
    assert not isinstance(choice, Idle)
    apart = np.abs(folded.scores()[choice[0]] - folded.scores()[choice[1]])
    assert apart < np.ptp(folded.scores()) / 4


@pytest.mark.parametrize(
    "options", [{"risk": 0.6}, {"ease": 0.4}, {"dismiss": 1.2}, {"top": -1}, {"budget": -1.0}]
)
def test_bad_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(BadOption, match=next(iter(options))):
        Topic(pool(2), Settings("information-gain", options))
