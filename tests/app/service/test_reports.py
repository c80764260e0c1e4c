"""Reports over HTTP: numbers that can be checked by hand, and what there is nothing to say of."""

import pytest
from in_process import AT, ON_TOPIC, InProcess, Json, refusal
from reported import answer_all, answer_correctly, bob_errs, report, study, workers

WILSON = 1.959963984540054**2
"""The square of the 97.5th percentile of the normal distribution."""


def test_agreement_and_intransitivity_are_those_counted_by_hand(service: InProcess) -> None:
    study(service, 3, selector="elo-schedule", votes=2)
    answer_all(service, bob_errs(1, 3), "ann", "bob", seconds=4)
    told = report(service)
    agreement = told["agreement"]
    assert (agreement["level"], agreement["questions"], agreement["answers"]) == ("ordinal", 3, 6)
    assert agreement["percentage"] == pytest.approx(2 / 3)
    # Each pair from both sides: as many "better" as "worse", of twelve answers.
    assert agreement["fleiss"] == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))
    assert agreement["alpha"] == pytest.approx(1 - (1 / 3) / (2 * 6 * 6 / (12 * 11)))
    assert agreement["votes"] == 2
    assert agreement["pairs"] == []
    found = workers(told)
    assert [(found[who]["triads"], found[who]["intransitivity"]) for who in ("ann", "bob")] == [
        (1, 0.0),
        (1, 1.0),
    ]
    assert found["ann"]["median_seconds"] == 4.0
    assert (told["judgments"], told["documents"], told["finished"]) == (6, 3, 1)
    (topic,) = told["topics"]
    assert (topic["topic"], topic["workers"], topic["best"]) == ("coffee", 2, ["d1", "d2", "d3"])
    assert topic["alpha"] == agreement["alpha"]
    assert topic["progress"]["judgments"] == 6


def test_two_workers_with_ten_common_questions_get_a_kappa_of_their_own(light: InProcess) -> None:
    study(light, 5, selector="elo-schedule", votes=2)
    answer_all(light, bob_errs(2, 4), "ann", "bob")
    (pair,) = report(light)["agreement"]["pairs"]
    assert (pair["one"], pair["other"], pair["questions"]) == ("ann", "bob", 10)
    assert pair["percentage"] == pytest.approx(0.9)
    # A tenth of the answers differ where half would by chance.
    assert pair["kappa"] == pytest.approx(1 - 0.1 / 0.5)


def test_agreement_does_not_depend_on_which_document_is_stored_first(light: InProcess) -> None:
    # All say that the first is better: told from one side, nobody could disagree by chance.
    study(light, 4, selector="elo-schedule", votes=2)
    answer_all(light, answer_correctly, "ann", "bob")
    agreement = report(light)["agreement"]
    assert (agreement["alpha"], agreement["fleiss"], agreement["percentage"]) == (1.0, 1.0, 1.0)


def test_a_sliders_alpha_is_that_of_an_interval(service: InProcess) -> None:
    study(service, 2, design="s100", votes=2)
    given = {("d1", "ann"): 10, ("d1", "bob"): 20, ("d2", "ann"): 50, ("d2", "bob"): 60}
    answer_all(
        service, lambda asked, who: {"score": given[asked["document"]["id"], who]}, "ann", "bob"
    )
    told = report(service)
    agreement = told["agreement"]
    assert agreement["level"] == "interval"
    assert agreement["alpha"] == pytest.approx(1 - 100 / (2 * 1700 / 3))
    assert (agreement["percentage"], agreement["fleiss"]) == (None, None)
    assert (told["selector"], told["rating"], told["weighed_by"]) == (None, "mean", None)
    assert workers(told)["ann"]["reliability"] is None
    assert told["audits"]["answers"] == told["in_sample"]["answers"] == 0
    assert told["topics"][0]["best"] == ["d2", "d1"]


def test_magnitudes_agree_when_only_the_scales_differ(light: InProcess) -> None:
    study(light, 3, design="magnitude", votes=2)
    scale = {"ann": 1.0, "bob": 100.0}

    def answer(asked: Json, worker: str) -> Json:
        return {"magnitude": scale[worker] * int(asked["document"]["id"][1:])}

    answer_all(light, answer, "ann", "bob")
    agreement = report(light)["agreement"]
    assert agreement["level"] == "ratio"
    assert agreement["alpha"] == pytest.approx(1.0)
    assert agreement["pairs"] == []


def test_audits_are_predicted_and_the_interval_is_wilsons(service: InProcess) -> None:
    study(service, 12, selector="merge-tie-random", quality={"audits": 0.5})
    answer_all(service, answer_correctly, "ann", "bob")
    log = service.get(f"{ON_TOPIC}/judgments", limit=1000)["items"]
    audits = sum(one["purpose"] == "audit" for one in log)
    assert audits > 1
    told = report(service)
    assert told["audits"] == {
        "answers": audits,
        "ties": 0,
        "preferring": audits,
        "right": audits,
        "undecided": 0,
        "accuracy": 1.0,
        "interval": [pytest.approx(audits / (audits + WILSON)), 1.0],
        "tie_share": 0.0,
    }
    assert told["in_sample"]["answers"] == len(log) - audits
    assert told["topics"][0]["audits"] == told["audits"]


def test_the_ranking_comes_to_rest_at_the_last_point(service: InProcess) -> None:
    study(service, 8, selector="merge-tie-random")
    answer_all(service, answer_correctly, "ann")
    judgments = service.get(f"{ON_TOPIC}/progress")["judgments"]
    points = report(service)["convergence"]
    assert len(points) == 20
    assert points[-1] == {"judgments": judgments, "tau": pytest.approx(1.0)}
    assert [one["judgments"] for one in points] == [round(judgments * n / 20) for n in range(1, 21)]
    taus = [one["tau"] for one in points if one["tau"] is not None]
    assert taus[0] < 1
    few = report(service, points=4)["convergence"]
    assert few == points[4::5]
    assert report(service, points=0)["convergence"] == []


def test_topics_are_put_together_and_one_can_be_asked_for(service: InProcess) -> None:
    study(service, 3, selector="elo-schedule")
    service.make_topic(4, "tea")
    answer_all(service, answer_correctly, "ann")
    told = report(service)
    assert [one["topic"] for one in told["topics"]] == ["coffee", "tea"]
    assert (told["judgments"], told["documents"], told["topic"]) == (3 + 6, 7, None)
    assert workers(told)["ann"]["judgments"] == 9
    assert workers(told)["ann"]["triads"] == 1 + 4
    assert told["convergence"][-1] == {"judgments": 9, "tau": pytest.approx(1.0)}
    tea = report(service, topic="tea")
    assert (tea["judgments"], tea["topic"], workers(tea)["ann"]["judgments"]) == (6, "tea", 6)
    refusal(service.send("GET", f"{AT}/report?topic=milk"), 404, "unknown-topic")


def test_another_rating_can_be_asked_for(light: InProcess) -> None:
    study(light, 4, selector="uniform")
    answer_all(light, answer_correctly, "ann")
    assert report(light)["rating"] == "order"
    assert report(light, rating="worker-bradley-terry")["rating"] == "worker-bradley-terry"
    refusal(light.send("GET", f"{AT}/report?rating=stars"), 422, "unknown-rating")


def test_nothing_is_said_of_nothing(service: InProcess) -> None:
    service.make_study()
    told = report(service)
    assert (told["topics"], told["workers"], told["convergence"]) == ([], [], [])
    assert (told["rating"], told["weighed_by"], told["judgments"]) == (None, None, 0)
    assert told["audits"]["accuracy"] is None and told["audits"]["interval"] is None
    assert told["agreement"]["alpha"] is None
    service.make_topic(3)
    (topic,) = report(service)["topics"]
    assert (topic["best"], topic["convergence"], topic["workers"]) == ([], [], 0)
    assert topic["progress"]["unknown_pairs"] == 3


@pytest.mark.parametrize("query", ["points=-1", "points=101", "points=x", "colour=red"])
def test_a_report_that_cannot_be_is_refused(light: InProcess, query: str) -> None:
    light.make_study()
    refusal(light.send("GET", f"{AT}/report?{query}"), 422, "invalid")
    refusal(light.send("GET", "/v1/studies/none/report"), 404, "unknown-study")
