"""Dawid and Skene against their published numbers, a plain twin, and the likelihood itself."""

from itertools import pairwise, product
from math import log, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from nextpair.selectors.aggregation.dawid_skene import PseudoCounts, dawid_skene
from nextpair.selectors.aggregation.majority import majority
from nextpair.selectors.aggregation.responses import UNKNOWN, Responses, collect_responses
from nextpair.selectors.errors import BadInput, BadOption

# Table 1 of Dawid and Skene (1979): 45 patients; observer 1 three times, then observers 2 to 5.
PATIENTS = """
1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343
1111111 2223212 1211111 1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222
1111111 1111111 2322222 1111111 1111111 1121121 1111111 3333233 1111111 2222222 2223232 4334343
2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222
""".split()
NEARLY_NO_PRIOR = PseudoCounts(1e-9, 1e-9, 1e-9)
MIRROR = (1, 0, 2)

Triples = list[tuple[int, int, int]]
TRIPLES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=14
)


def collect_triples(triples: Triples, shape: tuple[int, int, int] = (4, 3, 3)) -> Responses:
    items, workers, labels = (list(column) for column in zip(*triples, strict=True))
    return collect_responses(items, workers, labels, shape)


def test_the_anaesthetists_come_out_as_published() -> None:
    triples = [
        (patient, max(0, place - 2), int(label) - 1)
        for patient, said in enumerate(PATIENTS)
        for place, label in enumerate(said)
    ]
    fit = dawid_skene(
        collect_triples(triples, (45, 5, 4)), pseudo_counts=NEARLY_NO_PRIOR, tolerance=1e-9
    )
    assert fit.prevalences.round(2).tolist() == [0.40, 0.42, 0.11, 0.07]
    assert fit.confusions[0].round(2).tolist() == [
        [0.89, 0.11, 0.00, 0.00],
        [0.07, 0.88, 0.05, 0.00],
        [0.00, 0.34, 0.66, 0.00],
        [0.00, 0.00, 0.56, 0.44],
    ]
    # Patient 3: five observers between 1 and 2, and the observers' errors speak for 2.
    assert fit.labels()[2] == 1


def twin(triples: Triples, pseudo_counts: PseudoCounts, iterations: int) -> NDArray[np.float64]:
    """The same by straight loops over four items, three workers and three labels."""
    posteriors = np.full((4, 3), 1 / 3)
    for item in range(4):
        said = [label for about, _, label in triples if about == item]
        if said:
            posteriors[item] = [said.count(label) / len(said) for label in range(3)]
    for _ in range(iterations):
        shares = [pseudo_counts.prevalence + sum(posteriors[:, true]) for true in range(3)]
        counts = np.array([[[pseudo_counts.right if true == label else pseudo_counts.wrong
            for label in range(3)] for true in range(3)] for _ in range(3)])  # fmt: skip
        for (item, worker, label), true in product(triples, range(3)):
            counts[worker, true, label] += posteriors[item, true]
        for item, true in product(range(4), range(3)):
            posteriors[item, true] = shares[true] * prod(
                counts[worker, true, label] / sum(counts[worker, true])
                for about, worker, label in triples
                if about == item
            )
        posteriors /= posteriors.sum(axis=1, keepdims=True)
    return posteriors


@given(TRIPLES, st.integers(1, 5))
def test_every_iteration_is_that_of_the_plain_twin(triples: Triples, iterations: int) -> None:
    fit = dawid_skene(collect_triples(triples), max_iterations=iterations, tolerance=0)
    # The posteriors returned belong to the prevalences and confusion matrices returned: half an
    # iteration more.
    assert fit.posteriors == pytest.approx(twin(triples, PseudoCounts(), iterations + 1))


@given(TRIPLES)
def test_the_log_likelihood_is_that_of_all_truths_there_could_be(triples: Triples) -> None:
    fit = dawid_skene(collect_triples(triples), gold=[UNKNOWN, 2, UNKNOWN, UNKNOWN])
    total = 0.0
    for truth in product(range(3), repeat=4):
        if truth[1] == 2:
            drawn = prod(fit.prevalences[true] for item, true in enumerate(truth) if item != 1)
            total += drawn * prod(fit.confusions[w, truth[i], x] for i, w, x in triples)
    assert fit.log_likelihood == pytest.approx(log(total))


@given(TRIPLES, st.booleans())
def test_no_iteration_lowers_the_posterior(triples: Triples, mirrored: bool) -> None:
    mirror = MIRROR if mirrored else None
    climbed = [
        dawid_skene(
            collect_triples(triples), mirror=mirror, max_iterations=n, tolerance=0
        ).log_posterior
        for n in (1, 2, 3, 10)
    ]
    assert all(after >= before - 1e-9 for before, after in pairwise(climbed))


@given(TRIPLES, st.permutations(range(3)), st.permutations(range(3)), st.permutations(range(4)))
def test_relabelling_items_workers_and_labels_relabels_the_fit(
    triples: Triples, labels: list[int], workers: list[int], items: list[int]
) -> None:
    fit = dawid_skene(collect_triples(triples), max_iterations=20)
    renamed = [(items[i], workers[w], labels[x]) for i, w, x in reversed(triples)]
    other = dawid_skene(collect_triples(renamed), max_iterations=20)
    assert other.posteriors[np.ix_(items, labels)] == pytest.approx(fit.posteriors, abs=1e-6)
    turned = other.confusions[np.ix_(workers, labels, labels)]
    assert turned == pytest.approx(fit.confusions, abs=1e-6)


@given(TRIPLES, st.sets(st.integers(0, 3)))
def test_with_a_mirror_it_does_not_matter_which_side_of_a_pair_is_stored_first(
    triples: Triples, turned: set[int]
) -> None:
    fit = dawid_skene(collect_triples(triples), mirror=MIRROR, max_iterations=20)
    other = [(i, w, MIRROR[x] if i in turned else x) for i, w, x in triples]
    again = dawid_skene(collect_triples(other), mirror=MIRROR, max_iterations=20)
    for item in range(4):
        expected = fit.posteriors[item][list(MIRROR)] if item in turned else fit.posteriors[item]
        assert again.posteriors[item] == pytest.approx(expected, abs=1e-6)


def draw_responses(
    seed: int, spammers: float, items: int = 300
) -> tuple[NDArray[np.intp], Triples]:
    """Draw outcomes of pairs and five responses to each, of thirty workers who err by 25 %."""
    rng = np.random.default_rng(seed)
    truth, triples = rng.integers(3, size=items), []
    for item, true in enumerate(truth):
        for worker in rng.choice(30, 5, replace=False):
            wrong = worker < 30 * spammers or rng.random() < 0.25
            said = rng.integers(3) if worker < 30 * spammers else (true + rng.integers(1, 3)) % 3
            triples.append((item, int(worker), int(said if wrong else true)))
    return truth, triples


@pytest.mark.parametrize(("spammers", "least"), [(0.3, 0.03), (0.0, -0.003)])
@pytest.mark.statistical
def test_em_is_better_than_majority_with_spammers_and_not_worse_without(
    spammers: float, least: float
) -> None:
    gained = []
    for seed in range(20):
        truth, triples = draw_responses(seed, spammers)
        responses = collect_triples(triples, (300, 30, 3))
        em = dawid_skene(responses, mirror=MIRROR).labels()
        votes = majority(responses, break_ties=True).labels
        gained.append(float(np.mean(em == truth) - np.mean(votes == truth)))
    assert np.mean(gained) > least


@pytest.mark.statistical
def test_spammers_have_the_lowest_reliabilities() -> None:
    _, triples = draw_responses(1, 0.3)
    right = dawid_skene(collect_triples(triples, (300, 30, 3)), mirror=MIRROR).reliabilities()
    assert right[:9].max() < right[9:].min()


def test_gold_items_anchor_what_a_majority_would_get_wrong() -> None:
    # Two workers always say the opposite, one is right; the votes alone believe the two.
    truth = np.random.default_rng(0).integers(2, size=60)
    triples = [
        (i, w, int(true if w == 0 else 1 - true)) for i, true in enumerate(truth) for w in range(3)
    ]
    responses = collect_triples(triples, (60, 3, 2))
    gold = np.where(np.arange(60) < 20, truth, UNKNOWN)
    assert (dawid_skene(responses).labels() == 1 - truth).all()
    anchored = dawid_skene(responses, gold=gold)
    assert (anchored.labels() == truth).all()
    assert anchored.posteriors[:20].max(axis=1).tolist() == [1.0] * 20


def test_gold_items_do_not_count_for_the_prevalences() -> None:
    responses = collect_triples([(i, 0, 1 if i < 8 else 0) for i in range(10)], (10, 1, 2))
    gold = [1] * 8 + [UNKNOWN] * 2
    assert dawid_skene(responses, gold=gold).prevalences[0] > 0.5


def test_an_item_without_responses_is_as_the_prevalences_say() -> None:
    fit = dawid_skene(collect_triples([(0, 0, 1), (1, 0, 1)], (3, 1, 2)))
    assert fit.posteriors[2] == pytest.approx(fit.prevalences)


def test_em_says_whether_it_converged() -> None:
    _, triples = draw_responses(2, 0.3, items=50)
    responses = collect_triples(triples, (50, 30, 3))
    assert dawid_skene(responses).converged
    stopped = dawid_skene(responses, max_iterations=2)
    assert (stopped.iterations, stopped.converged) == (2, False)


def test_invalid_arguments_are_refused() -> None:
    responses = collect_triples([(0, 0, 0)])
    for mirror in ((0, 1), (1, 2, 0)):
        with pytest.raises(BadOption, match="mirror"):
            dawid_skene(responses, mirror=mirror)
    for gold in ([0], [3, 0, 0, 0], [-2, 0, 0, 0]):
        with pytest.raises(BadInput, match="gold"):
            dawid_skene(responses, gold=gold)
    with pytest.raises(BadOption, match="above zero"):
        PseudoCounts(wrong=0)
    with pytest.raises(BadInput, match="at least one label"):
        dawid_skene(collect_responses([], [], []))
