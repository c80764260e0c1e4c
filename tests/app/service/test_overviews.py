"""What a dashboard looks at: pace, spend, the forecast of a study, the matrix of pairs."""

from in_process import AT, ON_TOPIC, InProcess, refusal

from nextpair.app.enums import Scope

HOUR = 3600


def test_the_pace_counts_answers_hour_by_hour(service: InProcess) -> None:
    service.make_study(price=0.25, currency="EUR")
    service.make_topic(6)
    assert service.judge(service.one("ann")).status_code == 201
    service.clock.move(2 * HOUR + 60)
    for worker in ("ben", "cas"):
        assert service.judge(service.one(worker)).status_code == 201
    told = service.get(f"{AT}/pace", hours=4)
    assert [one["judgments"] for one in told["hours"]] == [0, 1, 0, 2]
    assert (told["judgments"], told["last_hour"], told["workers"]) == (3, 2, 2)
    assert (told["topics"], told["documents"]) == (1, 6)
    assert (told["price"], told["spent"], told["currency"]) == (0.25, 0.75, "EUR")
    assert told["latest_at"] is not None


def test_a_study_without_answers_or_price_has_a_pace_of_nothing(service: InProcess) -> None:
    service.make_study()
    told = service.get(f"{AT}/pace")
    assert len(told["hours"]) == 24
    assert (told["judgments"], told["workers"], told["latest_at"]) == (0, 0, None)
    assert (told["price"], told["spent"], told["currency"]) == (None, None, "USD")
    assert told["paid"] is None, "nobody was hired"


def test_retracted_answers_were_paid_too(light: InProcess) -> None:
    light.make_study(price=2)
    light.make_topic(4)
    light.judge_all("ann")
    before = light.get(f"{AT}/pace")["spent"]
    light.post(f"{AT}/retractions", {"worker": "ann"})
    assert light.get(f"{AT}/pace")["spent"] == before


def test_the_price_can_be_changed_while_the_study_runs(light: InProcess) -> None:
    light.make_study()
    light.send("PATCH", AT, {"price": 0.1, "currency": "GBP"})
    told = light.get(AT)
    assert (told["price"], told["currency"]) == (0.1, "GBP")
    refusal(light.send("PATCH", AT, {"price": -1}), 422, "invalid")
    refusal(light.send("PATCH", AT, {"currency": "pounds"}), 422, "invalid")


def test_the_forecast_of_a_study_is_that_of_its_topics_together(light: InProcess) -> None:
    light.make_study(selector="elo-schedule")
    for topic in ("a", "b"):
        light.make_topic(4, topic=topic)
    before = light.get(f"{AT}/progress")
    parts = [one["forecast"]["expected"] for one in before["topics"]]
    assert before["forecast"] == {"expected": sum(parts), "low": sum(parts), "high": sum(parts)}
    light.judge_all("ann", topic="a")
    assert light.get(f"{AT}/progress")["forecast"]["expected"] == parts[1] > 0


def test_a_study_has_no_forecast_where_a_topic_has_none(light: InProcess) -> None:
    light.make_study()
    light.make_topic(4)
    told = light.get(f"{AT}/progress")
    assert told["forecast"] == told["topics"][0]["forecast"]


def test_the_matrix_has_a_cell_for_every_pair_of_a_small_topic(light: InProcess) -> None:
    light.make_study()
    light.make_topic(5)
    light.judge_all("ann")
    told = light.get(f"{ON_TOPIC}/matrix")
    assert [one["first"] for one in told["bins"]] == ["d1", "d2", "d3", "d4", "d5"]
    progress = light.get(f"{ON_TOPIC}/progress")
    assert sum(map(sum, told["judged"])) == 2 * progress["judged_pairs"]
    assert sum(map(sum, told["inferred"])) == 2 * progress["inferred_pairs"]
    assert all(told["pairs"][n][n] == 0 for n in range(5))


def test_the_matrix_of_a_large_topic_has_few_rows(light: InProcess) -> None:
    light.make_study()
    light.make_topic(50)
    told = light.get(f"{ON_TOPIC}/matrix", bins=7)
    assert sum(one["documents"] for one in told["bins"]) == 50
    assert len(told["pairs"]) == 7
    diagonal = sum(told["pairs"][n][n] for n in range(7))
    assert (sum(map(sum, told["pairs"])) - diagonal) // 2 + diagonal == 50 * 49 // 2


def test_single_documents_have_no_matrix(light: InProcess) -> None:
    light.post("/v1/studies", {"id": "answers", "design": "graded"}, status=201)
    light.make_topic(3)
    refusal(light.send("GET", f"{ON_TOPIC}/matrix"), 422, "no-pairs")


def test_conflicts_come_in_pages(light: InProcess) -> None:
    light.make_study(selector="elo-schedule")
    light.make_topic(5)
    while assignments := light.next("ann")["assignments"]:
        left, right = (int(assignments[0][side]["id"][1:]) for side in ("left", "right"))
        # Each is better than the two that follow it on a circle.
        light.judge(assignments[0], "left" if (right - left) % 5 in (1, 2) else "right")
    every = light.get(f"{ON_TOPIC}/conflicts")["items"]
    assert len(every) > 1
    first = light.get(f"{ON_TOPIC}/conflicts", limit=1)
    second = light.get(f"{ON_TOPIC}/conflicts", limit=1, after=first["next"])
    assert [*first["items"], *second["items"]] == every[:2]


def test_documents_can_be_listed_without_their_texts(light: InProcess) -> None:
    light.make_study()
    light.make_topic(3)
    told = light.get(f"{ON_TOPIC}/documents", texts="false")["items"]
    assert [(one["id"], one["text"]) for one in told] == [("d1", ""), ("d2", ""), ("d3", "")]


def test_a_key_is_told_what_it_opens(light: InProcess) -> None:
    assert light.get("/v1/keys/current")["scope"] == "admin"
    reader = light.make_key(Scope.READ)
    told = light.get("/v1/keys/current", bearer=reader)
    assert told["scope"] == "read"
    assert "key" not in told
    refusal(light.http.get("/v1/keys/current"), 401, "unauthorized")


def test_selectors_are_listed_with_their_options(light: InProcess) -> None:
    found = {one["selector"]: one for one in light.get("/v1/selectors")["items"]}
    assert found["placement"]["default"] is True
    assert found["placement"]["options"]["risk"] > 0
    assert all(one["description"] for one in found.values())
