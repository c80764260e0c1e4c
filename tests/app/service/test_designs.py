"""Studies of every design over HTTP: asked, answered, scored, exported."""

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest
from in_process import AT, ON_TOPIC, STUDY, InProcess, Json, refusal

TEXT = "It is short. It has five words here."


def study(service: InProcess, design: str, size: int, **settings: object) -> None:
    """Add a study of a design and a topic whose documents say that they do."""
    body = {"id": STUDY, "design": design, **settings}
    service.post("/v1/studies", body, status=201)
    documents = [{"id": f"d{n}", "text": f"This is number {n}. {TEXT}"} for n in range(1, size + 1)]
    service.post(f"{AT}/topics", {"id": "coffee", "documents": documents}, status=201)


def answer_all(
    service: InProcess, answer: Callable[[Json, str], Json], *workers: str
) -> list[Json]:
    """Let workers answer by turns until nobody gets a question."""
    given: list[Json] = []
    while True:
        before = len(given)
        for worker in workers:
            for asked in service.next(worker)["assignments"]:
                told = service.judge(asked, answer(asked, worker), seconds=5)
                assert told.status_code == 201, told.text
                given.append(told.json())
        if len(given) == before:
            return given


def number(asked: Json, side: str = "document") -> int:
    return int(asked[side]["id"][1:])


def scores(service: InProcess, rating: str | None = None) -> dict[str, float]:
    query = {} if rating is None else {"rating": rating}
    ranking = service.get(f"{ON_TOPIC}/ranking", **query)
    return {one["document"]: one["score"] for one in ranking["documents"]}


def test_a_slider_is_asked_of_single_documents_and_scored_by_the_mean(service: InProcess) -> None:
    study(service, "s100", 3, votes=2)
    asked = service.one("ann")
    assert (asked["kind"], asked["design"]) == ("single", "s100")
    assert asked["left"] is None and asked["right"] is None
    assert asked["document"]["text"].startswith("This is number")
    given = answer_all(
        service, lambda one, who: {"score": 10 * number(one) + (who == "bob")}, "ann", "bob"
    )
    assert len(given) == 5
    assert service.judge(asked, {"score": 10 * number(asked)}).status_code == 201
    assert scores(service) == {"d1": 10.5, "d2": 20.5, "d3": 30.5}
    assert scores(service, "median") == {"d1": 10.5, "d2": 20.5, "d3": 30.5}
    progress = service.get(f"{ON_TOPIC}/progress")
    assert (progress["judgments"], progress["settled"], progress["finished"]) == (6, 3, True)
    assert (progress["forecast"], progress["ended"]) == (None, "plan")
    assert service.next("eve") == {"assignments": [], "reason": "done"}
    assert service.get(f"{ON_TOPIC}/ranking")["classes"] == [["d3"], ["d2"], ["d1"]]


def test_what_nobody_has_judged_has_no_score_and_comes_last(light: InProcess) -> None:
    study(light, "s100", 3)
    asked = light.one("ann")
    light.judge(asked, {"score": 70})
    ranking = light.get(f"{ON_TOPIC}/ranking")
    assert ranking["documents"][0]["document"] == asked["document"]["id"]
    assert [one["score"] for one in ranking["documents"]] == [70.0, None, None]
    assert ranking["classes"] == [[asked["document"]["id"]]]
    assert not ranking["complete"]
    run = light.send("GET", f"{AT}/export/run").text.splitlines()
    assert len(run) == 1


def test_magnitudes_are_normalised_by_worker_before_they_are_averaged(light: InProcess) -> None:
    study(light, "magnitude", 3, votes=2)
    scale = {"ann": 1.0, "bob": 1000.0}
    answer_all(light, lambda one, who: {"magnitude": scale[who] * number(one)}, "ann", "bob")
    found = scores(light)
    assert found["d2"] / found["d1"] == pytest.approx(2)
    assert found["d3"] / found["d1"] == pytest.approx(3)


def test_grades_are_counted_and_exported_as_qrels(service: InProcess) -> None:
    levels = ["bad", "fair", "good"]
    study(service, "graded", 3, votes=3, design_options={"levels": levels})

    def answer(asked: Json, worker: str) -> Json:
        truth = number(asked) - 1
        return {"grade": levels[0 if worker == "eve" else truth]}

    answer_all(service, answer, "ann", "bob", "eve")
    assert scores(service) == {"d1": 0, "d2": 1, "d3": 2}
    assert scores(service, "mean") == pytest.approx({"d1": 0, "d2": 2 / 3, "d3": 4 / 3})
    assert list(scores(service, "dawid-skene")) == ["d3", "d2", "d1"]
    qrels = service.send("GET", f"{AT}/export/qrels").text.splitlines()
    assert [line.split()[2:] for line in qrels] == [["d1", "0"], ["d2", "1"], ["d3", "2"]]
    refused = service.send("GET", f"{ON_TOPIC}/ranking", params={"rating": "combined"})
    assert "majority, dawid-skene, mean" in refusal(refused, 422, "unknown-aggregation")["detail"]


def test_three_questions_are_answered_together_and_scored_each_and_all(
    service: InProcess,
) -> None:
    study(service, "three-questions", 3, selector="uniform", votes=2)

    def answer(asked: Json, worker: str) -> Json:
        left, right = 4 - number(asked, "left"), 4 - number(asked, "right")
        relevant = {(True, True): "both", (True, False): "left", (False, True): "right"}
        return {
            "preference": "left" if left > right else "right",
            "relevant": relevant.get((left > 1, right > 1), "none"),
            "left_score": left if left > 1 else 0,
            "right_score": right if right > 1 else 0,
        }

    answer_all(service, answer, "ann", "bob")
    assert scores(service, "preference-frequency") == {"d1": 1.0, "d2": 0.5, "d3": 0.0}
    assert scores(service, "relevance-frequency") == {"d1": 1.0, "d2": 1.0, "d3": 0.0}
    ratios = scores(service, "log-ratio")
    assert ratios == pytest.approx({"d1": 1.0, "d2": 3 / 4, "d3": 1 / 4})
    assert scores(service, "combined") == pytest.approx(
        {"d1": 1.0, "d2": (0.5 * 1 * 0.75) ** (1 / 3), "d3": 0.0}
    )
    assert list(scores(service, "worker-bradley-terry")) == ["d1", "d2", "d3"]


def test_numbers_against_the_preference_are_refused_and_nothing_is_stored(
    light: InProcess,
) -> None:
    study(light, "three-questions", 2, selector="uniform")
    asked = light.one("ann")
    wrong = {"preference": "left", "relevant": "both", "left_score": 1, "right_score": 2}
    told = refusal(light.judge(asked, wrong), 422, "bad-answer")
    assert "say otherwise than the preference" in told["detail"]
    assert light.get(f"{ON_TOPIC}/judgments")["items"] == []
    assert light.get(f"/v1/assignments/{asked['id']}")["state"] == "open"
    assert light.judge(asked, wrong | {"left_score": 3}).status_code == 201


def test_a_rationale_is_looked_for_in_the_document(service: InProcess) -> None:
    study(service, "rationale", 2)
    asked = service.one("ann")
    grade = {"grade": "Probably relevant"}
    made_up = service.judge(asked, {**grade, "excerpt": "Nothing of the kind is said."})
    assert "does not say that" in refusal(made_up, 422, "bad-answer")["detail"]
    refusal(service.judge(asked, {**grade, "excerpt": " "}), 422, "bad-answer")
    refusal(service.judge(asked, grade), 422, "bad-answer")
    assert service.get(f"{ON_TOPIC}/judgments")["items"] == []
    quoted = service.judge(asked, {**grade, "excerpt": "it has FIVE words here"})
    assert quoted.status_code == 201
    again = service.one("ann")
    assert service.judge(again, {**grade, "excerpt": "no text supports it"}).status_code == 201


def test_a_preference_can_have_a_rationale_and_the_order_is_inferred(light: InProcess) -> None:
    study(
        light,
        "rationale",
        4,
        design_options={"on": "preference"},
        selector="merge-tie-random",
    )

    def answer(asked: Json, worker: str) -> Json:
        left, right = number(asked, "left"), number(asked, "right")
        better = min(left, right)
        return {
            "preference": "left" if left < right else "right",
            "excerpt": f"This is number {better}.",
        }

    given = answer_all(light, answer, "ann")
    assert len(given) < 7
    assert light.get(f"{ON_TOPIC}/ranking")["classes"] == [["d1"], ["d2"], ["d3"], ["d4"]]


def test_a_rationales_majority_can_leave_out_those_that_point_elsewhere(light: InProcess) -> None:
    study(light, "rationale", 1, votes=4)
    said = {
        "ann": ("Definitely relevant", "It is short."),
        "bob": ("Definitely relevant", "It is short."),
        "cat": ("Definitely not relevant", "This is number 1."),
        "dan": ("Definitely not relevant", "five words here"),
    }
    answer_all(light, lambda one, who: {"grade": said[who][0], "excerpt": said[who][1]}, *said)
    assert scores(light) == {"d1": 1.5}
    assert scores(light, "threshold-majority") == {"d1": 3.0}
    assert scores(light, "top-majority") == {"d1": 3.0}


def test_a_review_shows_the_first_answer_to_someone_else_whose_word_counts(
    service: InProcess,
) -> None:
    study(service, "review", 1)
    first = {"grade": "Definitely relevant", "excerpt": "It is short."}
    asked = service.one("ann")
    assert service.judge(asked, first).status_code == 201
    assert service.next("ann") == {"assignments": [], "reason": "seen"}
    review = service.one("bob")
    assert (review["kind"], review["reviewed"]) == ("review", first)
    refusal(service.judge(review, first), 422, "bad-answer")
    refusal(service.judge(review, {"grade": "Probably relevant", "why": ""}), 422, "bad-answer")
    told = {"grade": "Probably relevant", "why": "it is short, but that is not the question"}
    assert service.judge(review, told).status_code == 201
    assert service.next("eve") == {"assignments": [], "reason": "done"}
    assert scores(service) == {"d1": 2.0}
    log = service.get(f"{ON_TOPIC}/judgments")["items"]
    assert [one["reviews"] for one in log] == [None, log[0]["number"]]


def test_a_review_of_ones_own_answer_is_refused_even_with_a_token_of_another(
    light: InProcess,
) -> None:
    study(light, "review", 1)
    asked = light.one("ann")
    light.judge(asked, {"grade": "Definitely relevant", "excerpt": "It is short."})
    review = light.one("bob")
    mine = {"grade": "Definitely relevant", "why": "I said so"}
    refusal(light.judge(review, mine, worker="ann"), 403, "not-yours")
    assert len(light.get(f"{ON_TOPIC}/judgments")["items"]) == 1


def test_a_retracted_first_answer_takes_its_review_along(light: InProcess) -> None:
    study(light, "review", 1)
    light.judge(light.one("ann"), {"grade": "Definitely relevant", "excerpt": "It is short."})
    light.judge(light.one("bob"), {"grade": "Probably relevant", "why": "hm"})
    told = light.post(f"{AT}/retractions", {"worker": "ann", "reason": "test"})
    assert told["judgments"] == 1
    assert scores(light) == {"d1": None}
    assert light.one("eve")["kind"] == "single"


def test_undo_and_skip_work_on_single_documents(service: InProcess) -> None:
    study(service, "s100", 2)
    asked = service.one("ann")
    service.judge(asked, {"score": 10})
    again = service.undo(asked).json()
    assert again["document"]["id"] == asked["document"]["id"]
    assert service.judge(again, {"score": 90}).status_code == 201
    assert scores(service)[asked["document"]["id"]] == 90.0
    other = service.one("ann")
    assert service.skip(other).status_code == 200
    assert service.next("ann") == {"assignments": [], "reason": "seen"}
    assert service.one("bob")["document"]["id"] == other["document"]["id"]


def test_a_repeated_answer_is_one_whatever_the_design(service: InProcess) -> None:
    study(service, "graded", 1)
    asked = service.one("ann")
    answer = {"grade": "Probably relevant"}
    assert service.judge(asked, answer).status_code == 201
    assert service.judge(asked, answer).status_code == 200
    refusal(service.judge(asked, {"grade": "Definitely relevant"}), 409, "answer-conflict")


@pytest.mark.parametrize(
    ("path", "query"),
    [("explain", {"first": "d1", "second": "d2"}), ("conflicts", {}), ("reliability", {})],
)
def test_what_compares_documents_is_not_told_of_single_ones(
    light: InProcess, path: str, query: dict[str, Any]
) -> None:
    study(light, "s100", 2)
    refusal(light.send("GET", f"{ON_TOPIC}/{path}", params=query), 422, "no-pairs")


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"design": "s200"}, "there is no design 's200'"),
        ({"design": "s100", "selector": "quick-sort"}, "'selector' is for pairs"),
        ({"design": "graded", "design_options": {"levels": ["one"]}}, "levels"),
        ({"design": "s100", "quality": {"audits": 0.1}}, "no pairs"),
        ({"design": "preference", "design_options": {"x": 1}}, "'x'"),
    ],
)
def test_a_design_that_cannot_be_is_refused(light: InProcess, settings: Json, why: str) -> None:
    told = refusal(light.send("POST", "/v1/studies", {"id": STUDY, **settings}), 422)
    assert why in told["detail"]


def test_the_designs_tell_what_they_ask_for(light: InProcess) -> None:
    listed = {one["design"]: one for one in light.get("/v1/designs")["items"]}
    assert set(listed) == {
        "preference",
        "three-questions",
        "s100",
        "magnitude",
        "graded",
        "rationale",
        "review",
    }
    assert len(listed["review"]["answers"]) == 2
    study(light, "graded", 1, design_options={"levels": ["no", "yes"]})
    told = light.get(f"{AT}/design")
    assert (told["design"], told["shape"]) == ("graded", "single")
    assert told["parts"][0]["choices"] == ["no", "yes"]


def test_every_answer_is_exported_whole(light: InProcess) -> None:
    study(light, "s100", 2)
    answer_all(light, lambda one, who: {"score": number(one)}, "ann")
    rows = list(csv.DictReader(io.StringIO(light.send("GET", f"{AT}/export/csv").text)))
    assert [row["purpose"] for row in rows] == ["work", "work"]
    assert {row["answer"] for row in rows} == {
        '{"score": 1, "moved": null}',
        '{"score": 2, "moved": null}',
    }
