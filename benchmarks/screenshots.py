"""Pictures of the pages for the documentation: `python -m benchmarks.screenshots`."""

import sys
import tempfile
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from browsers import Site, Worker, launched
from installations import new_key, serving
from playwright.sync_api import Page

from benchmarks.dashboard_scenes import STUDY, TOPIC, judge_for_a_day
from nextpair.app.client import Client
from nextpair.app.demo.example_study import INSTRUCTIONS
from nextpair.app.formats.documents import read_documents
from nextpair.app.formats.trec_topics import read_topics
from nextpair.app.schemas.topics import DocumentIn, TopicIn

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
WIDE: dict[str, Any] = {"viewport": {"width": 1200, "height": 760}, "reduced_motion": "reduce"}
TALL: dict[str, Any] = {"viewport": {"width": 1200, "height": 900}, "reduced_motion": "reduce"}
NARROW: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
    "reduced_motion": "reduce",
}


def add_studies(client: Client) -> None:
    """Add the example's topic under several designs."""
    topic = _example()
    told = {"title": "Everyday questions", "instructions": INSTRUCTIONS}
    client.create_study("preference", selector="quick-sort", **told)
    for design in ("three-questions", "s100", "rationale", "review"):
        client.create_study(design, design=design, **told)
    quality: dict[str, object] = {"batch": 2, "seconds_per_document": 60, "seconds_pass": 1}
    client.create_study(
        "checked", quality=quality | {"on_failure": "ask_again", "attempts": 3}, **told
    )
    for study in ("preference", "three-questions", "s100", "rationale", "review", "checked"):
        client.add_topic(study, topic)


def shoot(page: Page, name: str, *, whole: bool = False) -> None:
    """Take a picture of what is on screen, or of the whole page."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=IMAGES / f"{name}.png", full_page=whole)
    print(IMAGES / f"{name}.png")


def begin(site: Site, study: str, **look: Any) -> Worker:
    """Let a worker read the instructions and begin."""
    worker = site.seat(study, f"w{len(site.contexts)}", site.page(**look), count=20)
    worker.frame.get_by_role("button", name="Begin").click()
    worker.frame.locator("#question").wait_for()
    return worker


def answer(worker: Worker, keys: Iterable[str]) -> None:
    """Answer by keys, and wait for the next question."""
    for key in keys:
        worker.waits()
        worker.page.keyboard.press(key)
        worker.submit()
    worker.waits()


def preferences(site: Site) -> None:
    """Show the page of pairs: light, dark and narrow."""
    worker = begin(site, "preference", **WIDE)
    answer(worker, "1212")
    worker.page.keyboard.press("1")
    shoot(worker.page, "judging")
    worker.page.emulate_media(color_scheme="dark")
    shoot(worker.page, "judging-dark")
    small = begin(site, "preference", **NARROW)
    answer(small, "11")
    small.frame.get_by_text("The right one").tap()
    shoot(small.page, "judging-narrow")


def designs(site: Site) -> None:
    """Show the pages of other designs."""
    for study, name in (("three-questions", "three-questions"), ("s100", "slider")):
        shoot(begin(site, study, **WIDE).page, name)
    worker = begin(site, "rationale", **WIDE)
    worker.page.keyboard.press("3")
    worker.frame.locator(".body .verbatim").first.click(click_count=3)
    worker.frame.locator("#use").wait_for()
    shoot(worker.page, "rationale")


def messages(site: Site) -> None:
    """Show what a worker reads before, in between, and in preview."""
    page = site.page(**WIDE)
    page.goto(site.address + site.url("preference", "reader"))
    page.get_by_role("button", name="Begin").wait_for()
    shoot(page, "instructions")
    worker = begin(site, "checked", **WIDE)
    for _ in range(2):
        worker.waits()
        worker.page.keyboard.press("1")
        worker.submit()
    worker.frame.get_by_role("button", name="Continue").wait_for()
    shoot(worker.page, "verdict")


def dashboard(site: Site) -> None:
    """Show the owner's pages."""
    at = f"/studies/{STUDY}"
    page = site.page(**TALL)
    page.goto(f"{site.address}/studies")
    page.get_by_label("Key").wait_for()
    shoot(page, "sign-in")
    page = site.sign_in(page=page)
    page.locator(".track progress").nth(1).wait_for()
    page.wait_for_timeout(1500)
    shoot(page, "studies")
    page.get_by_role("button", name="New study").click()
    page.get_by_text("find every document").wait_for()
    shoot(page, "new-study")
    _open(page, site, at, "Retract")
    shoot(page, "study", whole=True)
    page.get_by_role("button", name="Retract zed").click()
    page.get_by_text("would no longer count").wait_for()
    shoot(page, "retraction")
    _open(page, site, f"{at}/topics/{TOPIC}", "Class 1")
    shoot(page, "topic", whole=True)
    page.emulate_media(color_scheme="dark")
    shoot(page, "topic-dark")
    _open(page, site, f"{at}/report", "Save as a file")
    shoot(page, "report", whole=True)
    small = site.sign_in(at, site.page(**NARROW))
    small.locator(".with-bar").first.wait_for()
    shoot(small, "study-narrow")
    _open(small, site, f"{at}/topics/{TOPIC}", "Class 1")
    small.locator("#s-classes").evaluate("heading => heading.scrollIntoView()")
    shoot(small, "topic-narrow")


def _open(page: Page, site: Site, path: str, what: str) -> None:
    page.goto(site.address + path)
    page.wait_for_function(
        "what => document.body.textContent.includes(what)"
        " || document.querySelector(`[aria-label^='${what}']`)",
        arg=what,
    )
    page.wait_for_timeout(1500)


def _example() -> TopicIn:
    folder = Path(str(files("nextpair.app.examples")))
    found = next(one for one in read_topics(folder / "topics.xml") if one.topic == "coffee")
    documents = [
        DocumentIn(id=one.id, title=one.title, text=one.text)
        for _, topic, one in read_documents(folder / "answers.jsonl")
        if topic == "coffee"
    ]
    return TopicIn(
        id="coffee",
        title=found.title,
        description=found.description,
        narrative=found.narrative,
        documents=documents,
    )


def main() -> None:
    """Make every picture anew."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/nextpair.db"
        key = new_key(url)
        with (
            serving(url) as (address, _),
            Client(address, key) as client,
            launched() as browser,
        ):
            add_studies(client)
            site = Site(address, client, browser)
            for show in (preferences, designs, messages):
                show(site)
                site.close()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/nextpair.db"
        key = new_key(url)
        judge_for_a_day(url, key)
        with (
            serving(url) as (address, _),
            Client(address, key) as client,
            launched() as browser,
        ):
            site = Site(address, client, browser, key=key)
            dashboard(site)
            site.close()


if __name__ == "__main__":
    main()
