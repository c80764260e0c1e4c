"""The pages' files and headers: what may frame them, what they may run, who may read them."""

import pytest
from in_process import STUDY, InProcess, installed, refusal


def test_a_report_has_a_policy_of_its_own_and_is_shown_in_no_frame(light: InProcess) -> None:
    light.make_study()
    light.make_topic(3)
    headers = light.send("GET", f"/v1/studies/{STUDY}/report.html").headers
    assert headers["x-frame-options"] == "DENY"
    assert headers.get_list("x-content-type-options") == ["nosniff"]
    assert len(headers.get_list("content-security-policy")) == 1


@pytest.mark.parametrize("path", ["/healthz", "/v1/studies", "/nothing", "/static/judge/main.js"])
def test_nothing_but_the_judging_page_is_shown_in_frames(light: InProcess, path: str) -> None:
    headers = light.send("GET", path).headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_the_judging_page_runs_only_its_own_scripts_and_is_framed_as_configured(
    light: InProcess, sqlite_url: str
) -> None:
    light.make_study()
    page = light.http.get(f"/judge/{STUDY}?assignmentId=x&preview=1")
    policy = page.headers["content-security-policy"]
    assert page.status_code == 200
    assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "img-src 'self' data:;" in policy
    assert "geolocation=()" in page.headers["permissions-policy"]
    sites = ("https://workersandbox.mturk.com", "https://*.example.org:8443")
    with installed(sqlite_url + "2", frame_ancestors=sites, remote_images=True) as service:
        page = service.http.get(f"/judge/{STUDY}")
        policy = page.headers["content-security-policy"]
        assert f"frame-ancestors {' '.join(sites)};" in policy
        assert "img-src 'self' data: http: https:;" in policy
        assert "x-frame-options" not in page.headers


def test_a_frame_ancestor_cannot_smuggle_in_another_directive(sqlite_url: str) -> None:
    with pytest.raises(ValueError, match="frame_ancestors"):
        with installed(sqlite_url, frame_ancestors=("x; script-src *",)):
            pass


def test_anyone_may_preview_a_study_and_nobody_learns_more(light: InProcess) -> None:
    light.make_study(title="Answers", instructions="Choose.")
    light.make_topic(3)
    told = light.http.get(f"/judge/{STUDY}/preview").json()
    assert told.keys() == {"study", "title", "design"}
    assert told["design"]["instructions"] == "Choose."
    refusal(light.http.get("/judge/none/preview"), 404, "unknown-study")


def test_every_file_the_page_names_is_served(light: InProcess) -> None:
    page = light.http.get(f"/judge/{STUDY}").text
    named = {part.split('"')[0] for part in page.split('"/static/')[1:]}
    assert {"judge/main.js", "judge/controller.js", "shared/base.css"} <= named
    for name in named:
        told = light.http.get(f"/static/{name}")
        assert told.status_code == 200
        assert told.headers["cache-control"] == "no-cache"
        again = light.http.get(f"/static/{name}", headers={"If-None-Match": told.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    for name in (
        "judge/judge.html",
        "judge/..%2Fshared%2Ficon.svg",
        "judge/none.js",
        "none.js",
        "files.py",
    ):
        refusal(light.http.get(f"/static/{name}"), 404)
