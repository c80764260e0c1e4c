"""The report as a page: whole by itself, and safe whatever titles, ids and texts say."""

from html.parser import HTMLParser

import pytest
from in_process import AT, STUDY, InProcess, refusal

from nextpair.app.reports.page import render
from nextpair.app.reports.reference import compare_with
from nextpair.app.reports.systems import compare_runs
from nextpair.app.schemas.reports import FullReportOut

OURS = {
    *("html", "head", "meta", "title", "style", "body", "main", "section", "h1", "h2", "p", "div"),
    *("strong", "small", "table", "thead", "tbody", "tr", "th", "td"),
    *("svg", "g", "line", "text", "circle", "polyline"),
}
HOSTILE = """<script>alert(1)</script><img src=x onerror="alert(2)">'"></style></title>&lt;b&gt;"""


class Read(HTMLParser):
    """What a browser would find in a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.texts)


def is_harmless(page: str) -> Read:
    """Check that a page has no tag, and no attribute that does anything, but ours."""
    found = Read(page)
    assert found.tags <= OURS
    for name, value in found.attributes:
        assert not name.startswith("on") and name not in ("src", "href", "style")
        assert "http:" not in (value or "") and "https:" not in (value or "")
    for outside in ("<script", "<img", "@import", "url("):
        assert outside not in page
    return found


@pytest.fixture
def hostile(light: InProcess) -> InProcess:
    """A judged study whose every text wants to be a tag."""
    settings = {"title": HOSTILE, "instructions": HOSTILE, "selector": "elo-schedule"}
    light.post("/v1/studies", {"id": STUDY, "votes": 2, **settings}, status=201)
    for topic in ("coffee", "tea"):
        documents = [{"id": f"{HOSTILE}{n}", "title": HOSTILE, "text": HOSTILE} for n in range(5)]
        body = {"id": topic, "title": HOSTILE, "description": HOSTILE, "documents": documents}
        light.post(f"{AT}/topics", body, status=201)
    while any([answer(light, worker) for worker in ("ann", "bob")]):
        pass
    return light


def answer(service: InProcess, worker: str) -> int:
    asked = service.next(worker, count=10)["assignments"]
    for one in asked:
        left, right = one["left"]["id"][-1], one["right"]["id"][-1]
        assert service.judge(one, "left" if left < right else "right").status_code == 201
    return len(asked)


def test_a_page_has_no_tag_but_its_own_whatever_it_tells_of(hostile: InProcess) -> None:
    response = hostile.send("GET", f"{AT}/report.html")
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["content-security-policy"].startswith("default-src 'none'")
    found = is_harmless(response.text)
    assert HOSTILE in found.texts
    assert f"{HOSTILE}0, {HOSTILE}1, {HOSTILE}2" in found.texts


def test_what_the_readers_files_say_is_no_tag_either(hostile: InProcess) -> None:
    told = FullReportOut.model_validate(hostile.get(f"{AT}/report"))
    scores = {
        topic: {f"{HOSTILE}{n}": 5.0 - n for n in range(5)} for topic in ("coffee", "tea", HOSTILE)
    }
    grades = {topic: {f"{HOSTILE}{n}": n % 2 for n in range(5)} for topic in scores}
    told.reference = compare_with(grades | {HOSTILE * 2: {}}, scores, "reference")
    runs = {f"{HOSTILE}{n}": {"tea": [f"{HOSTILE}{n}"]} for n in range(3)}
    told.systems = compare_runs(runs, grades, scores)
    found = is_harmless(render(told))
    assert f"{HOSTILE}2" in found.texts
    assert HOSTILE in found.texts


def test_the_page_tells_the_numbers_of_the_report(service: InProcess) -> None:
    quality = {"audits": 0.5}
    service.post(
        "/v1/studies", {"id": STUDY, "selector": "merge-tie", "quality": quality}, status=201
    )
    service.make_topic(10)
    service.judge_all("ann", "bob")
    report = service.get(f"{AT}/report")
    found = is_harmless(service.send("GET", f"{AT}/report.html").text)
    assert f"{report['judgments']:,}" in found.texts
    assert f"{report['audits']['accuracy']:.1%}" in found.texts
    assert "ann" in found.texts and "bob" in found.texts
    assert "svg" in found.tags
    hidden = service.send("GET", f"{AT}/report.html", params={"pseudonyms": True}).text
    assert "ann" not in Read(hidden).texts and "bob" not in Read(hidden).texts
    one = Read(service.send("GET", f"{AT}/report.html", params={"topic": "coffee"}).text)
    assert "topic coffee only" in one.text


def test_a_page_of_nothing_says_so(light: InProcess) -> None:
    light.make_study()
    found = is_harmless(light.send("GET", f"{AT}/report.html").text)
    assert "Nobody has answered yet." in found.texts
    assert "The study has no topics yet." in found.texts
    assert "Nothing has been compared yet, so there is nothing to foretell." in found.texts
    assert "None" not in found.text and "nan" not in found.text


def test_a_page_of_single_documents_has_nothing_of_pairs(light: InProcess) -> None:
    light.post("/v1/studies", {"id": STUDY, "design": "s100", "votes": 2}, status=201)
    light.make_topic(3)
    for worker in ("ann", "bob"):
        for asked in light.next(worker, count=3)["assignments"]:
            light.judge(asked, {"score": 20 * int(asked["document"]["id"][1:])}, seconds=3)
    found = is_harmless(light.send("GET", f"{AT}/report.html").text)
    assert "alpha (interval) is 1.00" in found.text
    assert "None" not in found.text and "nan" not in found.text


def test_a_page_needs_a_key_and_a_study(light: InProcess) -> None:
    light.make_study()
    assert light.http.get(f"{AT}/report.html").status_code == 401
    refusal(light.send("GET", "/v1/studies/none/report.html"), 404, "unknown-study")
    refusal(light.send("GET", f"{AT}/report.html?points=x"), 422, "invalid")
