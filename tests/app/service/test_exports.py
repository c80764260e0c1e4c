"""Exports: levels, real-valued qrels, preference pairs, and logs that do not say who judged."""

import csv
import io
import json
from pathlib import Path

import pytest
from in_process import AT, ON_TOPIC, InProcess, Json, by_number, refusal

from nextpair.app.formats.files import read_rows

SIZE = 5


@pytest.fixture
def judged(service: InProcess) -> InProcess:
    """A service with a topic of five documents in strict order, judged by two workers."""
    service.make_study()
    service.make_topic(SIZE)
    service.judge_all("ann", "bob")
    return service


def qrels(service: InProcess, form: str = "qrels", **query: object) -> dict[str, str]:
    response = service.send("GET", f"{AT}/export/{form}", params=query)
    assert response.status_code == 200, response.text
    lines = [line.split() for line in response.text.splitlines()]
    assert all(line[:2] == ["coffee", "0"] for line in lines)
    return {line[2]: line[3] for line in lines}


def pairs(service: InProcess, **query: object) -> list[Json]:
    response = service.send("GET", f"{AT}/export/pairs", params=query)
    assert response.headers["content-type"] == "application/jsonl"
    return [json.loads(line) for line in response.text.splitlines()]


def log(service: InProcess, form: str, **query: object) -> str:
    return str(service.send("GET", f"{AT}/export/{form}", params=query).text)


def single(service: InProcess, design: str, *scores: object) -> None:
    """Add a study of single documents d1, d2 ..., each answered once."""
    service.post("/v1/studies", {"id": "answers", "design": design}, status=201)
    service.make_topic(len(scores))
    field = {"s100": "score", "graded": "grade"}[design]
    for asked in service.next("ann", count=len(scores))["assignments"]:
        answer = {field: scores[int(asked["document"]["id"][1:]) - 1]}
        assert service.judge(asked, answer).status_code == 201


def test_levels_are_equally_wide_between_the_topics_ends(judged: InProcess) -> None:
    # The order's scores are 4, 3, 2, 1 and 0: the number of classes that are worse.
    assert qrels(judged, levels=2) == {"d1": "1", "d2": "1", "d3": "1", "d4": "0", "d5": "0"}
    assert qrels(judged, levels=5) == {f"d{n}": str(5 - n) for n in range(1, 6)}
    assert qrels(judged, levels=4) == {"d1": "3", "d2": "3", "d3": "2", "d4": "1", "d5": "0"}
    assert qrels(judged, levels=2, rating="elo")["d1"] == "1"


def test_real_valued_qrels_have_the_scores_of_the_ranking(judged: InProcess) -> None:
    exact = {"d1": 4.0, "d2": 3.0, "d3": 2.0, "d4": 1.0, "d5": 0.0}
    assert {name: float(value) for name, value in qrels(judged, "qrels-real").items()} == exact
    ranking = judged.get(f"{ON_TOPIC}/ranking", rating="elo")
    elo = qrels(judged, "qrels-real", rating="elo")
    assert {one["document"]: one["score"] for one in ranking["documents"]} == {
        name: float(value) for name, value in elo.items()
    }


def test_a_slider_is_cut_between_0_and_100_and_not_between_what_a_topic_has(
    light: InProcess,
) -> None:
    single(light, "s100", 10, 20, 30)
    assert qrels(light, levels=4) == {"d1": "0", "d2": "0", "d3": "1"}
    assert qrels(light, "qrels-real") == {"d1": "10.0", "d2": "20.0", "d3": "30.0"}


def test_grades_with_as_many_levels_stay_as_they_are(light: InProcess) -> None:
    single(light, "graded", "Probably relevant", "Probably not relevant")
    assert qrels(light, levels=4) == {"d1": "2", "d2": "1"}
    assert qrels(light) == {"d1": "2", "d2": "1"}


def test_pairs_are_what_was_said_and_what_follows(judged: InProcess) -> None:
    found = pairs(judged)
    wanted = {(f"d{a}", f"d{b}") for a in range(1, 6) for b in range(a + 1, 6)}
    assert {(one["better"], one["worse"]) for one in found} == wanted
    assert len(found) == len(wanted)
    progress = judged.get(f"{ON_TOPIC}/progress")
    said = [one for one in found if one["source"] == "judged"]
    assert len(said) == progress["judged_pairs"]
    assert len(found) - len(said) == progress["inferred_pairs"] > 0
    assert all((one["weight"], one["votes"]) == (1.0, 1) for one in said)
    assert pairs(judged, inferred=False) == said


def test_the_weight_of_a_judged_pair_is_its_share_of_the_votes(service: InProcess) -> None:
    service.make_study(selector="uniform", votes=4)
    service.make_topic(2)
    # Of four votes two are for d1, one is against it, and one is a tie, which counts half.
    for worker, answer in zip("abcd", ("right", "wrong", "right", "equal"), strict=True):
        asked = service.one(worker)
        right = by_number(asked)
        wrong = "left" if right == "right" else "right"
        service.judge(asked, {"right": right, "wrong": wrong}.get(answer, answer))
    (only,) = pairs(service)
    assert only == {
        "topic": "coffee",
        "better": "d1",
        "worse": "d2",
        "weight": 0.625,
        "votes": 4,
        "source": "judged",
    }


def test_a_tie_is_no_preference(light: InProcess) -> None:
    light.make_study()
    light.make_topic(3)
    while asked := light.next("ann")["assignments"]:
        light.judge(asked[0], "equal")
    assert pairs(light) == []


def test_pairs_of_single_documents_all_follow_from_their_scores(light: InProcess) -> None:
    single(light, "s100", 10, 30, 30)
    found = [(one["better"], one["worse"], one["source"]) for one in pairs(light)]
    assert found == [("d2", "d1", "inferred"), ("d3", "d1", "inferred")]
    assert pairs(light, inferred=False) == []


def test_an_inferred_pair_of_a_believer_weighs_as_much_as_it_is_certain(light: InProcess) -> None:
    light.make_study(selector="placement")
    light.make_topic(6)
    light.judge_all("ann", "bob", "eve")
    certain = {
        one["document"]: one["certainty"] for one in light.get(f"{ON_TOPIC}/ranking")["documents"]
    }
    inferred = [one for one in pairs(light) if one["source"] == "inferred"]
    assert inferred
    for one in inferred:
        weight = certain[one["better"]] * certain[one["worse"]]
        assert one["weight"] == pytest.approx(weight, abs=1e-6)


def test_ids_of_any_kind_are_json(light: InProcess) -> None:
    light.make_study()
    ids = ['a "b"', "</script>", "日本"]
    body = {"id": "t", "documents": [{"id": one} for one in ids]}
    light.post(f"{AT}/topics", body, status=201)
    while asked := light.next("ann")["assignments"]:
        light.judge(asked[0], "left")
    found = pairs(light)
    assert {name for one in found for name in (one["better"], one["worse"])} == set(ids)


def test_pseudonyms_tell_workers_apart_and_not_who_they_are(judged: InProcess) -> None:
    judged.post(f"{AT}/retractions", {"worker": "bob", "reason": "bob is a robot"})
    open_log = [json.loads(line) for line in log(judged, "jsonl").splitlines()]
    hidden = [json.loads(line) for line in log(judged, "jsonl", pseudonyms=True).splitlines()]
    names = {(one["worker"], other["worker"]) for one, other in zip(open_log, hidden, strict=True)}
    assert len(names) == 2
    assert {name for name, _ in names} == {"ann", "bob"}
    assert "bob" not in log(judged, "jsonl", pseudonyms=True)
    assert {one["retracted"] for one in hidden} == {None, "retracted"}
    table = list(csv.DictReader(io.StringIO(log(judged, "csv", pseudonyms=True))))
    assert [row["worker"] for row in table] == [one["worker"] for one in hidden]
    keep = ("worker", "retracted")
    assert [{k: v for k, v in one.items() if k not in keep} for one in open_log] == [
        {k: v for k, v in one.items() if k not in keep} for one in hidden
    ]


def test_a_pseudonym_is_another_in_every_study_and_installation(
    light: InProcess, postgresql_url: str
) -> None:
    from in_process import installed

    def names(service: InProcess, study: str) -> set[str]:
        service.make_study(study)
        service.make_topic(2, study=study)
        service.judge_all("ann", study=study)
        told = service.send("GET", f"/v1/studies/{study}/export/jsonl", params={"pseudonyms": True})
        return {json.loads(line)["worker"] for line in told.text.splitlines()}

    with installed(postgresql_url) as other:
        found = names(light, "one") | names(light, "two") | names(other, "one")
    assert len(found) == 3


@pytest.mark.parametrize(
    ("form", "query", "name"),
    [
        ("csv", {"levels": 3}, "levels"),
        ("csv", {"unjudged": True}, "unjudged"),
        ("qrels-real", {"levels": 3}, "levels"),
        ("run", {"pseudonyms": True}, "pseudonyms"),
        ("jsonl", {"inferred": False}, "inferred"),
        ("pairs", {"rating": "elo"}, "rating"),
    ],
)
def test_an_option_without_effect_is_refused(
    light: InProcess, form: str, query: dict[str, object], name: str
) -> None:
    light.make_study()
    told = refusal(light.send("GET", f"{AT}/export/{form}", params=query), 422, "bad-option")
    assert f"'{name}' has no effect with the format '{form}'" in told["detail"]


@pytest.mark.parametrize("levels", [1, 0, -3, 1001, "many", 2.5])
def test_impossible_levels_are_refused(light: InProcess, levels: object) -> None:
    light.make_study()
    refusal(light.send("GET", f"{AT}/export/qrels", params={"levels": levels}), 422, "invalid")


def test_nothing_is_exported_of_nothing(light: InProcess) -> None:
    light.make_study()
    for form in ("qrels", "qrels-real", "run", "pairs", "jsonl"):
        assert log(light, form) == ""
    light.make_topic(2)
    assert qrels(light, levels=3) == qrels(light) == qrels(light, "qrels-real") == {}
    assert pairs(light) == []
    assert log(light, "run") == ""


def test_documents_nobody_has_judged_are_left_out_unless_they_are_asked_for(
    light: InProcess,
) -> None:
    light.make_study()
    light.make_topic(6)
    for _ in range(2):
        asked = light.one("ann")
        assert light.judge(asked, by_number(asked)).status_code == 201
    seen = {
        one[side]
        for one in light.get(f"{ON_TOPIC}/judgments")["items"]
        for side in ("first", "second")
    }
    for form in ("qrels", "qrels-real"):
        told = light.send("GET", f"{AT}/export/{form}")
        assert told.headers["nextpair-unjudged"] == str(6 - len(seen))
        graded = qrels(light, form)
        assert set(graded) == seen
        every = qrels(light, form, unjudged=True)
        assert len(every) == 6
        lowest = min(map(float, graded.values()))
        assert {float(every[name]) for name in set(every) - seen} == {lowest} == {0.0}
    run = log(light, "run").splitlines()
    assert {line.split()[2] for line in run} == seen
    every_run = log(light, "run", unjudged=True).splitlines()
    assert every_run[: len(run)] == run and len(every_run) == 6


ODD = ["=1+1", "+cmd", "-x", "@SUM(1)", "'=1", "'tis", "-1.5", "+7", "a=b"]
"""Ids, of which the first five are formulas to a spreadsheet, or would be once they are read."""


def test_no_cell_of_a_table_is_a_formula_and_each_is_read_back(
    light: InProcess, tmp_path: Path
) -> None:
    light.make_study()
    for topic in ("=cmd|' C'!A0", "-2.5"):
        documents = [{"id": one} for one in ODD]
        light.post(f"{AT}/topics", {"id": topic, "documents": documents}, status=201)
    while asked := light.next("@ann")["assignments"]:
        assert light.judge(asked[0]).status_code == 201
    light.post(f"{AT}/retractions", {"worker": "@ann", "reason": "=\tx"})
    whole = [json.loads(line) for line in log(light, "jsonl").splitlines()]
    table = log(light, "csv")
    for row in csv.reader(io.StringIO(table)):
        for cell in row:
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r")) or float(cell)
    path = tmp_path / "log.csv"
    path.write_text(table, encoding="utf-8", newline="")
    read = [row for _, row in read_rows(path, ("topic",))]
    texts = ("topic", "worker", "first", "second", "retracted")
    assert [{name: one[name] for name in texts} for one in read] == [
        {name: one[name] for name in texts} for one in whole
    ]
    assert {one["first"] for one in read} | {one["second"] for one in read} == set(ODD)
    assert {one["topic"] for one in read} == {"=cmd|' C'!A0", "-2.5"}
