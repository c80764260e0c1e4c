"""A page whose network comes and goes, in a frame of another site, and in preview."""

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from browsers import LAUNCH, Site, Worker, chromium, patient
from playwright.sync_api import Page, Route, expect

BLOCKED = {"profile": {"cookie_controls_mode": 1, "block_third_party_cookies": True}}
"""The browser's own setting: a frame of another site gets no cookies and no storage."""
TRY_STORAGE = """() => {
    try { sessionStorage.length; return 'allowed'; } catch (error) { return error.name; }
}"""


def test_answers_given_without_a_network_are_sent_once_when_it_is_back(site: Site) -> None:
    site.make_study("offline", 6)
    worker = site.seat("offline", "ann")
    assert worker.waits()
    with worker.page.expect_response(lambda told: told.url.endswith("/session/next")) as told:
        worker.prefer_smaller()
    told.value.finished()
    # One question is on screen and one is ready; the network goes.
    worker.page.context.set_offline(True)
    question = worker.frame.locator("#question")
    for is_ready in (True, False):
        left, right = worker.documents
        before = worker.question
        worker.page.keyboard.press("1" if left < right else "2")
        worker.page.keyboard.press("Enter")
        expect(worker.frame.locator("#banner")).to_contain_text("No connection")
        if is_ready:
            expect(question).not_to_have_attribute("data-assignment", before)
        else:
            expect(question).to_have_attribute("aria-busy", "true")
    expect(worker.frame.locator("#banner")).to_contain_text("2 answers are kept")
    assert len(list(site.client.judgments("offline", "t"))) == 1
    worker.page.context.set_offline(False)
    expect(worker.frame.locator("#banner")).to_be_hidden()
    worker.answered = 3
    expect(worker.frame.locator("#progress-text")).to_have_text("3 answered")
    worker.judge_all()
    logged = list(site.client.judgments("offline", "t"))
    assert len({one.assignment for one in logged}) == len(logged) == worker.answered
    assert site.client.ranking("offline", "t").classes == [[f"d{n}"] for n in range(1, 7)]


def test_an_answer_whose_receipt_got_lost_is_sent_again_and_counts_once(site: Site) -> None:
    site.make_study("receipt", 3)
    page = site.page()
    lost: list[str] = []

    def drop(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.request.url)
        route.fetch()
        route.abort()

    page.route("**/judgment", drop)
    worker = site.seat("receipt", "ann", page)
    worker.judge_all()
    assert lost
    logged = list(site.client.judgments("receipt", "t"))
    assert len(logged) == worker.answered
    assert not [one for one in logged if one.retracted]


def test_an_answer_survives_that_the_page_is_loaded_anew(site: Site) -> None:
    site.make_study("reload", 4)
    worker = site.seat("reload", "ann")
    assert worker.waits()
    blocked = "**/judgment"
    worker.page.route(blocked, lambda route: route.abort())
    worker.page.keyboard.press("1")
    worker.page.keyboard.press("Enter")
    expect(worker.frame.locator("#banner")).to_contain_text("No connection")
    worker.page.unroute(blocked)
    worker.page.on("dialog", lambda dialog: dialog.accept())
    worker.page.reload()
    expect(worker.frame.locator("#progress-text")).to_have_text("1 answered")
    assert len(list(site.client.judgments("reload", "t"))) == 1


@contextmanager
def elsewhere(folder: Path) -> Iterator[str]:
    """Serve a folder from another site."""
    handler = partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://localhost:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *said: object) -> None:
        """Say nothing."""


@contextmanager
def storing_nothing(site: Site, folder: Path) -> Iterator[Page]:
    """Open a page in a browser that blocks what other sites' frames would store."""
    profile = folder / "profile"
    (profile / "Default").mkdir(parents=True)
    (profile / "Default" / "Preferences").write_text(json.dumps(BLOCKED))
    context = site.browser.browser_type.launch_persistent_context(
        profile, executable_path=chromium(), **LAUNCH
    )
    try:
        yield patient(context).new_page()
    finally:
        context.close()


def test_a_worker_judges_in_a_frame_of_another_site_that_may_store_nothing(
    site: Site, tmp_path: Path
) -> None:
    site.make_study("framed", 3)
    address = site.address + site.url("framed", "ann")
    frame = f'<!doctype html><iframe src="{address}" width="1100" height="650"></iframe>'
    (tmp_path / "task.html").write_text(frame)
    with elsewhere(tmp_path) as other, storing_nothing(site, tmp_path) as page:
        page.goto(f"{other}/task.html")
        inner = page.frames[1]
        inner.wait_for_selector("#question:not([hidden])")
        assert inner.evaluate(TRY_STORAGE) == "SecurityError"
        inner.locator("#answer").click(position={"x": 5, "y": 5})
        worker = Worker(page, inner)
        worker.judge_all()
        assert not page.context.cookies()
    assert site.client.ranking("framed", "t").classes == [["d1"], ["d2"], ["d3"]]


def test_sites_that_are_not_named_may_not_frame_the_page(site: Site, tmp_path: Path) -> None:
    site.make_study("unframed", 2)
    page = site.page()
    address = site.address + site.url("unframed", "ann")
    (tmp_path / "task.html").write_text(f'<!doctype html><iframe src="{address}"></iframe>')
    with elsewhere(tmp_path) as other:
        # It has loaded when its frame has, or has been refused.
        page.goto(other.replace("localhost", "127.0.0.1") + "/task.html")
        assert page.frames[1].locator("#question").count() == 0
    assert not list(site.client.workers("unframed"))


def test_a_preview_shows_instructions_and_an_example_and_takes_no_lease(site: Site) -> None:
    site.make_study("look", 3, title="Look", instructions="Read both.\n\nThen choose.")
    page = site.page()
    calls: list[str] = []
    page.on("request", lambda request: calls.append(request.url))
    page.goto(f"{site.address}/judge/look?preview=1")
    expect(page.locator("#message-body")).to_contain_text("Then choose.")
    page.get_by_role("button", name="See an example").click()
    expect(page.locator("#question")).to_be_visible()
    expect(page.locator("#banner")).to_contain_text("nothing you do here is stored")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator("#wrong")).to_contain_text("only a preview")
    assert not [url for url in calls if "/v1/" in url]
    assert not list(site.client.workers("look"))


def test_a_page_without_a_session_or_with_a_broken_one_says_what_to_do(site: Site) -> None:
    site.make_study("lost", 2)
    page = site.page()
    page.goto(f"{site.address}/judge/lost")
    expect(page.locator("#message-title")).to_have_text("This page needs its own link")
    page.goto("about:blank")
    page.goto(f"{site.address}/judge/lost#nps_broken")
    expect(page.locator("#message-title")).to_have_text("This link does not work")
