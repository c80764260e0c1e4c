"""Results: ranking, progress, why, conflicts, the log and its exports, workers."""

import csv
import io
import json

import pytest
from in_process import AT, ON_TOPIC, STUDY, InProcess, by_number, pair_of, refusal

BEST_FIRST = [[f"d{number}"] for number in range(1, 6)]


@pytest.fixture
def judged(service: InProcess) -> InProcess:
    """A service with a topic of five documents, judged to the end by two workers."""
    service.make_study()
    service.make_topic(5)
    service.judge_all("ann", "bob")
    return service


def test_the_ranking_has_classes_in_order_and_a_score_for_each_document(judged: InProcess) -> None:
    ranking = judged.get(f"{ON_TOPIC}/ranking")
    assert ranking["classes"] == BEST_FIRST
    assert ranking["complete"] is True
    assert ranking["position"] == judged.get(ON_TOPIC)["position"]
    assert [one["document"] for one in ranking["documents"]] == ["d1", "d2", "d3", "d4", "d5"]
    assert [one["level"] for one in ranking["documents"]] == [1, 2, 3, 4, 5]
    assert [one["ranks"] for one in ranking["documents"]] == [[n, n] for n in range(1, 6)]
    scores = [one["score"] for one in ranking["documents"]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("rating", ["order", "elo", "elo-variance", "win-share"])
def test_every_rating_can_be_asked_for(judged: InProcess, rating: str) -> None:
    ranking = judged.get(f"{ON_TOPIC}/ranking", rating=rating)
    assert ranking["rating"] == rating
    uncertain = [one["uncertainty"] is not None for one in ranking["documents"]]
    assert all(uncertain) if rating == "elo-variance" else True


def test_an_unknown_rating_is_refused(judged: InProcess) -> None:
    refusal(judged.send("GET", f"{ON_TOPIC}/ranking?rating=x"), 422, "unknown-rating")
    refusal(judged.send("GET", f"{AT}/export/run?rating=x"), 422, "unknown-rating")


def test_progress_counts_what_is_judged_inferred_open_and_left(service: InProcess) -> None:
    service.make_study()
    service.make_topic(5)
    fresh = service.get(f"{ON_TOPIC}/progress")
    assert (fresh["unknown_pairs"], fresh["judged_pairs"], fresh["finished"]) == (10, 0, False)
    service.one("zoe")
    assert service.get(f"{ON_TOPIC}/progress")["open"] == 1
    answers = service.judge_all("ann", "bob")
    service.clock.move(601)
    answers += service.judge_all("ann", "bob")
    done = service.get(f"{ON_TOPIC}/progress")
    assert (done["judgments"], done["judged_pairs"]) == (answers, answers)
    assert done["judged_pairs"] + done["inferred_pairs"] + done["unknown_pairs"] == 10
    assert (done["open"], done["finished"], done["settled"], done["classes"]) == (0, True, 5, 5)
    study = service.get(f"{AT}/progress")
    assert study["topics"] == [done]
    assert (study["documents"], study["judgments"], study["finished"]) == (5, answers, 1)


def test_every_known_pair_is_explained_by_judgments_that_are_in_the_log(
    judged: InProcess,
) -> None:
    log = {one["number"]: one for one in judged.get(f"{ON_TOPIC}/judgments")["items"]}
    told = judged.get(f"{ON_TOPIC}/explain", first="d5", second="d1")
    assert told["relation"] == "worse"
    ends = [told["because"][0]["first"], told["because"][-1]["second"]]
    assert set(ends) == {"d1", "d5"} or len(told["because"]) > 1
    for reason in told["because"]:
        for number in reason["judgments"]:
            assert {log[number]["first"], log[number]["second"]} == {
                reason["first"],
                reason["second"],
            }


def test_what_is_not_known_is_not_explained(service: InProcess) -> None:
    service.make_study()
    service.make_topic(3)
    told = service.get(f"{ON_TOPIC}/explain", first="d1", second="d2")
    assert (told["relation"], told["because"]) == (None, [])
    for query in ("first=d1&second=x", "first=x&second=d1"):
        refusal(service.send("GET", f"{ON_TOPIC}/explain?{query}"), 404, "unknown-document")
    refusal(service.send("GET", f"{ON_TOPIC}/explain?first=d1"), 422, "invalid")
    same = service.send("GET", f"{ON_TOPIC}/explain?first=d1&second=d1")
    assert same.status_code in (200, 422)


def test_a_contradiction_is_listed_with_what_it_contradicts(service: InProcess) -> None:
    service.make_study(lease_seconds=10)
    service.make_topic(3)
    late = service.one("zoe")
    service.clock.move(11)
    service.judge_all("ann")
    wrong = "right" if by_number(late) == "left" else "left"
    assert service.judge(late, wrong).json()["late"] is True
    (conflict,) = service.get(f"{ON_TOPIC}/conflicts")["items"]
    assert {conflict["finding"]["first"], conflict["finding"]["second"]} == pair_of(late)
    assert conflict["known"] != conflict["finding"]["outcome"]
    assert conflict["because"]
    assert service.get(f"{ON_TOPIC}/progress")["conflicts"] == 1


def test_the_log_comes_by_pages(judged: InProcess) -> None:
    whole = judged.get(f"{ON_TOPIC}/judgments")["items"]
    assert [one["number"] for one in whole] == list(range(1, len(whole) + 1))
    found, after = [], "0"
    while after is not None:
        page = judged.get(f"{ON_TOPIC}/judgments", limit=2, after=after)
        found += page["items"]
        after = page["next"]
    assert found == whole


def export(service: InProcess, name: str, media: str) -> str:
    response = service.send("GET", f"{AT}/export/{name}")
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].partition(";")[0] == media
    assert response.headers["content-disposition"] == f'attachment; filename="{STUDY}.{name}"'
    return response.text


def test_qrels_grade_documents_by_how_many_classes_are_worse(judged: InProcess) -> None:
    lines = [line.split() for line in export(judged, "qrels", "text/plain").splitlines()]
    assert all(line[:2] == ["coffee", "0"] for line in lines)
    assert {line[2]: line[3] for line in lines} == {f"d{n}": str(5 - n) for n in range(1, 6)}


def test_a_run_ranks_documents_by_their_scores(judged: InProcess) -> None:
    lines = [line.split() for line in export(judged, "run", "text/plain").splitlines()]
    assert [(line[2], line[3]) for line in lines] == [(f"d{n}", str(n)) for n in range(1, 6)]
    assert {(line[0], line[1], line[5]) for line in lines} == {("coffee", "Q0", STUDY)}


def test_csv_and_json_lines_hold_the_whole_log(judged: InProcess) -> None:
    judged.post(f"{AT}/retractions", {"worker": "bob", "reason": 'a "robot",\nreally'})
    log = judged.get(f"{ON_TOPIC}/judgments")["items"]
    rows = [json.loads(line) for line in export(judged, "jsonl", "application/jsonl").splitlines()]
    assert rows == log
    table = list(csv.DictReader(io.StringIO(export(judged, "csv", "text/csv"))))
    assert len(table) == len(log)
    for row, entry in zip(table, log, strict=True):
        assert int(row["number"]) == entry["number"]
        assert row["preference"] == entry["answer"]["preference"]
        assert row["retracted"] == (entry["retracted"] or "")
        assert (row["first"], row["second"], row["worker"]) == (
            entry["first"],
            entry["second"],
            entry["worker"],
        )


def test_an_export_can_be_of_one_topic_and_only_in_a_known_format(judged: InProcess) -> None:
    judged.make_topic(2, "tea")
    judged.judge_all("ann", topic="tea")
    only = judged.send("GET", f"{AT}/export/qrels?topic=tea").text
    assert {line.split()[0] for line in only.splitlines()} == {"tea"}
    both = export(judged, "qrels", "text/plain")
    assert {line.split()[0] for line in both.splitlines()} == {"tea", "coffee"}
    refusal(judged.send("GET", f"{AT}/export/qrels?topic=milk"), 404, "unknown-topic")
    refusal(judged.send("GET", f"{AT}/export/xml"), 422, "invalid")


def test_a_document_that_trec_cannot_name_is_refused_not_written_wrong(light: InProcess) -> None:
    light.make_study()
    body = {"id": "t", "documents": [{"id": "a b"}, {"id": "c"}]}
    light.post(f"{AT}/topics", body, status=201)
    light.judge(light.one("ann"), "left")
    for name in ("qrels", "run"):
        refusal(light.send("GET", f"{AT}/export/{name}"), 422, "unwritable")


def test_workers_are_listed_with_what_became_of_their_questions(judged: InProcess) -> None:
    judged.make_topic(6, "tea")
    judged.skip(judged.one("ann"))
    judged.one("bob")
    ann, bob = judged.get(f"{AT}/workers")["items"]
    assert (ann["id"], ann["status"], ann["skipped"], ann["open"]) == ("ann", "active", 1, 0)
    assert (bob["id"], bob["skipped"], bob["open"]) == ("bob", 0, 1)
    log = judged.get(f"{ON_TOPIC}/judgments")["items"]
    assert ann["answered"] + bob["answered"] == len(log)
    first = judged.get(f"{AT}/workers", limit=1)
    assert first["items"] == [ann]
    assert judged.get(f"{AT}/workers", limit=1, after=first["next"])["items"] == [bob]


def test_every_process_knows_the_same(judged: InProcess) -> None:
    views = [f"{ON_TOPIC}/{view}" for view in ("ranking", "progress", "conflicts", "judgments")]
    warm = [judged.get(view) for view in views]
    judged.app.state.service.topics._slots.clear()
    assert [judged.get(view) for view in views] == warm


def test_any_two_documents_have_a_chance_and_scores_with_errors_an_interval(
    judged: InProcess,
) -> None:
    told = judged.get(f"{ON_TOPIC}/explain", first="d1", second="d5")
    turned = judged.get(f"{ON_TOPIC}/explain", first="d5", second="d1")
    assert told["chance"] > 0.5
    assert told["chance"] + turned["chance"] == pytest.approx(1)
    by_order = judged.get(f"{ON_TOPIC}/ranking")["documents"]
    assert all(one["interval"] is None for one in by_order)
    rated = judged.get(f"{ON_TOPIC}/ranking", rating="bradley-terry")["documents"]
    for one in rated:
        low, high = one["interval"]
        assert low < one["score"] < high
        assert high - low == pytest.approx(2 * 1.6449 * one["uncertainty"])
