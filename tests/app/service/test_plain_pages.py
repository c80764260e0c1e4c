"""What a person reads who types an address: a page, never JSON; programs get problem documents."""

from pathlib import Path

import pytest
from in_process import STUDY, InProcess, refusal

from nextpair.app.formats import fields
from nextpair.app.formats.documents import read_documents

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
WRONG = {
    "/nothing": (404, "no page at this address"),
    "/judge/unknown/enter?worker=eve": (404, "no study"),
    f"/judge/{STUDY}/enter?worker=eve": (403, "judging link"),
    "/judge/a%0Ab": (422, "U+000A"),
    "/judge/a%0Ab/enter": (422, "U+000A"),
    "/studies/%20": (422, "begin or end with a space"),
    "/studies/a/topics/b%2Fc": (404, "no page"),
    "/static/judge/none.js": (404, "no page"),
    "/metrics": (401, "key"),
}


@pytest.mark.parametrize(("path", "expected"), WRONG.items())
def test_a_person_reads_a_sentence_and_a_program_a_problem(
    light: InProcess, path: str, expected: tuple[int, str]
) -> None:
    light.make_study()
    status, words = expected
    told = light.http.get(path, headers=BROWSER)
    assert told.status_code == status
    assert told.headers["content-type"].startswith("text/html")
    assert "script-src 'self'" in told.headers["content-security-policy"]
    assert words in told.text and "<h1>" in told.text
    assert "urn:nextpair" not in told.text and "<script" not in told.text
    refusal(light.http.get(path), status)


def test_the_api_speaks_json_whoever_asks(light: InProcess) -> None:
    refusal(light.http.get("/v1/studies", headers=BROWSER), 401, "unauthorized")
    refusal(light.http.get("/v1/nothing", headers=BROWSER), 404, "not-found")


def test_what_stood_in_an_address_cannot_become_markup(light: InProcess) -> None:
    told = light.http.get("/judge/%3Cimg%20src=x%3E/enter", headers=BROWSER)
    assert "<img" not in told.text and "&lt;img src=x&gt;" in told.text


def test_the_front_page_leads_on(light: InProcess) -> None:
    told = light.http.get("/")
    assert told.status_code == 200
    for address in ("/studies", "/help/files"):
        assert f'href="{address}"' in told.text
        assert light.http.get(address).status_code == 200


def test_a_person_who_opens_the_preview_for_programs_gets_the_page(light: InProcess) -> None:
    light.make_study("déjà vu")
    told = light.http.get("/judge/déjà vu/preview", headers=BROWSER, follow_redirects=False)
    assert told.status_code == 303
    page = light.http.get(told.headers["location"])
    assert page.headers["content-type"].startswith("text/html")
    assert light.http.get("/judge/déjà vu/preview").json()["study"] == "déjà vu"


def test_the_page_of_files_lists_every_field_and_its_examples_can_be_read(
    light: InProcess, tmp_path: Path
) -> None:
    page = light.http.get("/help/files").text
    for field in fields.FIELDS:
        assert f"<code>{field.name}</code>" in page
    used = set[str]()
    for name, example in (("a.jsonl", fields.JSON_EXAMPLE), ("a.csv", fields.CSV_EXAMPLE)):
        for line in example.splitlines():
            assert line.replace("&", "&amp;").replace('"', "&quot;") in page
        path = tmp_path / name
        path.write_text(example, encoding="utf-8")
        found = [(topic, document.id) for _, topic, document in read_documents(path)]
        assert found == [("coffee", "scales"), ("coffee", "cups"), ("tea", "steep")]
        used |= {name for name in fields.JSON_FIELDS if f'"{name}"' in example}
    assert {"id", "topic", "title", "text", "features", "prior"} <= used
