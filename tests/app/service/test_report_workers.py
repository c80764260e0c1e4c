"""The worker table over HTTP: known answers, repeats, reliability, and who it is."""

import pytest
from in_process import AT, ON_TOPIC, InProcess, Json, by_number
from reported import answer_all, answer_correctly, answer_wrongly, numbers, report, study, workers


def test_the_traps_of_a_batch_that_failed_are_remembered(service: InProcess) -> None:
    quality = {"batch": 4, "traps": 2, "traps_pass": 1, "on_failure": "ignore"}
    study(service, 12, selector="uniform", quality=quality)
    documents = [{"id": f"t{n}", "text": str(n)} for n in range(1, 5)]
    golds = [
        {"documents": [f"t{n}", f"t{n + 1}"], "answer": {"preference": "left"}} for n in (1, 3)
    ]
    service.post(f"{ON_TOPIC}/golds", {"documents": documents, "golds": golds})
    for worker in ("ann", "bob"):
        for _ in range(4):
            asked = service.one(worker)
            trap = asked["left"]["id"].startswith("t")
            wrong = worker == "bob" and trap
            service.judge(asked, answer_wrongly(asked) if wrong else by_number(asked))
    found = workers(report(service))
    assert (found["ann"]["gold"], found["ann"]["gold_accuracy"]) == (2, 1.0)
    assert (found["bob"]["gold"], found["bob"]["gold_accuracy"]) == (2, 0.0)
    assert [found[who]["judgments"] for who in ("ann", "bob")] == [2, 0]
    assert [found[who]["retracted"] for who in ("ann", "bob")] == [0, 4]
    assert [found[who]["checks"] for who in ("ann", "bob")] == [2, 0]
    assert [(found[who]["passed"], found[who]["failed"]) for who in ("ann", "bob")] == [
        (1, 0),
        (0, 1),
    ]


def test_an_answer_taken_back_by_its_worker_is_not_held_against_them(light: InProcess) -> None:
    # More than there are questions: what has its verdict cannot be taken back.
    study(light, 3, selector="uniform", quality={"batch": 5, "traps": 1})
    gold = {"documents": ["d1", "d2"], "answer": {"preference": "left"}}
    light.post(f"{ON_TOPIC}/golds", {"golds": [gold]})
    for _ in range(4):
        asked = light.one("ann")
        light.judge(asked, answer_wrongly(asked))
        if light.get(f"{ON_TOPIC}/judgments")["items"][-1]["purpose"] == "trap":
            asked = light.undo(asked).json()
            light.judge(asked, by_number(asked))
    found = workers(report(light))["ann"]
    assert (found["gold"], found["gold_accuracy"], found["retracted"]) == (1, 1.0, 1)


def test_repeats_tell_how_far_a_worker_agrees_with_themselves(light: InProcess) -> None:
    study(light, 30, selector="uniform", quality={"batch": 4, "repeats": 1})
    for worker in ("ann", "bob"):
        met: set[frozenset[int]] = set()
        for _ in range(12):
            asked = light.one(worker)
            again = frozenset(numbers(asked)) in met
            met.add(frozenset(numbers(asked)))
            light.judge(
                asked, answer_wrongly(asked) if again and worker == "bob" else by_number(asked)
            )
    found = workers(report(light))
    assert found["ann"]["repeated"] > 0 and found["bob"]["repeated"] > 0
    assert found["ann"]["self_consistency"] == 1.0
    assert found["bob"]["self_consistency"] == 0.0


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"selector": "placement", "votes": 3}, "selector"),
        ({"selector": "uniform", "votes": 3}, "bradley-terry"),
    ],
)
def test_who_answers_against_all_others_is_the_least_reliable(
    light: InProcess, settings: Json, kind: str
) -> None:
    study(light, 8, **settings)

    def answer(asked: Json, worker: str) -> str:
        return answer_wrongly(asked) if worker == "eve" else by_number(asked)

    answer_all(light, answer, "ann", "bob", "cat", "eve")
    told = report(light)
    assert told["weighed_by"] == kind
    found = {who: one["reliability"] for who, one in workers(told).items()}
    assert min(found, key=lambda who: found[who]) == "eve"


def test_reliability_of_grades_is_dawid_and_skenes(light: InProcess) -> None:
    study(light, 12, design="graded", votes=3, design_options={"levels": ["no", "yes"]})

    def answer(asked: Json, worker: str) -> Json:
        even = int(asked["document"]["id"][1:]) % 2 == 0
        return {"grade": "yes" if even and worker != "eve" else "no"}

    answer_all(light, answer, "ann", "bob", "eve")
    told = report(light)
    assert (told["weighed_by"], told["agreement"]["votes"]) == ("dawid-skene", 3)
    found = {who: one["reliability"] for who, one in workers(told).items()}
    assert found["eve"] < found["ann"] == pytest.approx(found["bob"])
    assert told["agreement"]["percentage"] == pytest.approx((6 * 1 + 6 / 3) / 12)


def test_pseudonyms_stand_for_the_workers(light: InProcess) -> None:
    study(light, 5, selector="elo-schedule", votes=2)
    answer_all(light, answer_correctly, "annabel", "robert")
    response = light.send("GET", f"{AT}/report", params={"pseudonyms": True})
    assert "annabel" not in response.text and "robert" not in response.text
    told = response.json()
    (pair,) = told["agreement"]["pairs"]
    assert {pair["one"], pair["other"]} == set(workers(told))
    log = light.send("GET", f"{AT}/export/csv", params={"pseudonyms": True}).text
    assert all(name in log for name in workers(told))
