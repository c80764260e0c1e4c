"""Names of studies, topics and workers: any person's, in any script, through every address."""

import unicodedata
from urllib.parse import quote

import pytest
from in_process import InProcess, refusal

NAMES = {
    "Latin": "Zoë O\N{RIGHT SINGLE QUOTATION MARK}Brien-Łukaszewicz",
    "Greek": "Αλέξης Παπαδόπουλος",
    "Cyrillic": "Наталья Ёлкина",
    "Arabic": "محمد عبد الله",
    "Hebrew": "נועה בן-דוד",
    "Devanagari": "श्रीमती क्षमा शर्मा",
    "Han": "山田\N{IDEOGRAPHIC SPACE}太郎",
    "Hangul": "김 민준",
    "Thai": "สมชาย ใจดี",
    "Persian": "می\N{ZERO WIDTH NON-JOINER}ترا کاظمی",
}
AWKWARD = ["100 %", "C#", "why? how?", "a+b&c=d", "a;b,c", "back\\slash", '"quoted"', "…"]
REFUSED = {
    "": "empty",
    " ann": "begin or end with a space",
    "ann\N{NO-BREAK SPACE}": "begin or end with a space",
    "AC/DC": "slash",
    "..": "mean folders",
    "a\nb": "U+000A",
    "a\x7fb": "U+007F",
    "a\N{RIGHT-TO-LEFT OVERRIDE}b": "U+202E",
    "a\N{ZERO WIDTH SPACE}b": "U+200B",
    "a\N{LINE SEPARATOR}b": "U+2028",
    "x" * 201: "at most 200",
}


@pytest.mark.parametrize("name", [*NAMES.values(), *AWKWARD])
def test_a_name_works_in_every_place(light: InProcess, name: str) -> None:
    at = f"/v1/studies/{quote(name, safe='')}"
    light.make_study(name)
    light.post(f"{at}/topics", _topic(name), status=201)
    assert light.get(at)["id"] == name
    on_topic = f"{at}/topics/{quote(name, safe='')}"
    assert light.get(on_topic)["id"] == name
    opened = light.post(f"{at}/sessions", {"worker": name, "topic": name}, status=201)
    page, _, token = opened["url"].partition("#")
    assert light.http.get(page).status_code == 200
    about = light.get("/v1/session", bearer=token)
    assert (about["study"], about["worker"], about["topic"]) == (name, name, name)
    (asked,) = light.post("/v1/session/next", {}, bearer=token)["assignments"]
    assert light.judge(asked, bearer=asked["token"]).status_code == 201
    assert [one["id"] for one in light.get(f"{at}/workers")["items"]] == [name]
    assert light.get(f"{on_topic}/progress")["topic"] == name
    blocked = f"{at}/workers/{quote(name, safe='')}"
    assert light.send("PATCH", blocked, {"status": "blocked"}).json()["status"] == "blocked"
    exported = light.send("GET", f"{at}/export/jsonl", params={"topic": name})
    assert exported.json()["topic"] == name
    disposition = exported.headers["content-disposition"]
    assert disposition.isascii() and disposition.count('"') == 2
    assert light.send("GET", f"{at}/report.html").status_code == 200


@pytest.mark.parametrize(("name", "why"), REFUSED.items())
def test_what_is_no_name_is_refused_with_what_is_wrong(
    light: InProcess, name: str, why: str
) -> None:
    light.make_study("s")
    light.post("/v1/studies/s/topics", _topic("t"), status=201)
    calls = [
        ("/v1/studies", {"id": name}),
        ("/v1/studies/s/topics", _topic(name)),
        ("/v1/studies/s/next", {"worker": name}),
        ("/v1/studies/s/sessions", {"worker": name}),
    ]
    for path, body in calls:
        problem = refusal(light.send("POST", path, body), 422, "invalid")
        assert why in problem["detail"]
        assert "Value error" not in problem["detail"] and "^" not in problem["detail"]
    assert light.get("/v1/studies/s/workers")["items"] == []


def test_the_same_name_typed_on_two_machines_is_one_person(light: InProcess) -> None:
    light.make_study("s")
    light.post("/v1/studies/s/topics", _topic("thé"), status=201)
    for form in ("NFC", "NFD"):
        worker, topic = (unicodedata.normalize(form, one) for one in ("Zoë Ångström", "thé"))
        light.next(worker, "s", topic=topic)
        found = light.get(f"/v1/studies/s/topics/{quote(topic, safe='')}")
        assert found["id"] == unicodedata.normalize("NFC", topic)
    assert [one["id"] for one in light.get("/v1/studies/s/workers")["items"]] == ["Zoë Ångström"]


def test_an_id_with_white_space_is_exported_or_refused_precisely(light: InProcess) -> None:
    light.make_study("two words")
    light.post("/v1/studies/two%20words/topics", _topic("plain"), status=201)
    light.judge_all("Zoë Müller", study="two%20words")
    run = light.send("GET", "/v1/studies/two%20words/export/run").text
    assert {line.split()[-1] for line in run.splitlines()} == {"two_words"}
    light.post("/v1/studies/two%20words/topics", _topic("Kaffee kochen"), status=201)
    light.judge_all("Zoë Müller", study="two%20words")
    for form in ("qrels", "qrels-real", "run"):
        told = light.send("GET", f"/v1/studies/two%20words/export/{form}")
        problem = refusal(told, 422, "unwritable")
        assert "'Kaffee kochen'" in problem["detail"] and "csv" in problem["detail"]
    for form in ("pairs", "csv", "jsonl"):
        assert "Kaffee kochen" in light.send("GET", f"/v1/studies/two%20words/export/{form}").text


def _topic(name: str) -> dict[str, object]:
    return {"id": name, "documents": [{"id": f"d{n}", "text": "x"} for n in (1, 2, 3)]}
