"""How long the owner of a large study waits at the dashboard, and whether its pages freeze."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from browsers import Site, launched
from installations import new_key, serving
from playwright.sync_api import Page

from benchmarks.section import Section, main
from nextpair.app.client import Client
from nextpair.app.schemas.topics import DocumentIn, TopicIn

TOPICS, DOCUMENTS = 50, 1_000
FEW, MANY = 10, 300
"""Answers per topic, and of the topic that is looked at."""
WORKERS = 20
WATCH = """window.longest = 0;
new PerformanceObserver(list => {
    for (const one of list.getEntries()) window.longest = Math.max(window.longest, one.duration);
}).observe({ type: 'longtask', buffered: true });"""
"""Notes the longest time in which a page could not have answered to a key."""


def fill(client: Client) -> None:
    """Add the study, and let it be judged a little."""
    client.create_study("large", price=0.1)
    pool = [DocumentIn(id=f"document-{n:04}", title=f"Document {n}") for n in range(DOCUMENTS)]
    for number in range(TOPICS):
        topic = f"t{number:02}"
        client.add_topic("large", TopicIn(id=topic, title=f"Topic {number}", documents=pool))
        for turn in range(MANY if not number else FEW):
            worker = f"w{turn % WORKERS}"
            for one in client.next("large", worker, topic=topic, documents=False).assignments:
                left, right = (int(shown.id[-4:]) % 5 for shown in one.shown)
                client.judge(one, "equal" if left == right else "left" if left > right else "right")


def visit(site: Site, page: Page, path: str, what: str) -> tuple[float, float, int]:
    """Open a page; return seconds until something is drawn, its longest freeze, its elements."""
    began = time.perf_counter()
    page.goto(site.address + path)
    page.locator(what).first.wait_for(timeout=120_000)
    seconds = time.perf_counter() - began
    page.wait_for_timeout(2_000)
    longest, elements = page.evaluate("[window.longest, document.querySelectorAll('*').length]")
    return seconds, longest, elements


def measure(given: argparse.Namespace) -> Section:
    """Measure a local service and browser."""
    section = Section(
        "The dashboard",
        "python -m benchmarks.dashboard",
        f"A study of {TOPICS} topics of {DOCUMENTS:,} documents with the default selector,"
        " `nextpair serve` (SQLite, one process) and headless Chromium on this machine: seconds"
        " until everything on the page is drawn, the longest time in which it could not have"
        " answered to a key (milliseconds), and how many elements it has. The first row is right"
        " after the service was started anew: it reads all topics into memory.",
        ("page", "seconds", "longest freeze", "elements"),
    )
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/nextpair.db"
        key = new_key(url)
        with serving(url) as (address, _), Client(address, key) as client:
            fill(client)
        with (
            serving(url) as (address, _),
            Client(address, key) as client,
            launched() as browser,
        ):
            site = Site(address, client, browser, key=key)
            page = site.page()
            page.add_init_script(WATCH)
            page.goto(f"{address}/studies")
            page.evaluate("key => sessionStorage.setItem('nextpair-key', key)", key)
            for name, path, what in (
                ("study, cold", "/studies/large", ".trust"),
                ("all studies", "/studies", ".track progress"),
                ("study", "/studies/large", ".trust"),
                ("topic", "/studies/large/topics/t00", ".matrix"),
                ("report", "/studies/large/report", ".report .tiles"),
            ):
                seconds, longest, elements = visit(site, page, path, what)
                section.rows.append((name, f"{seconds:.1f}", f"{longest:.0f}", f"{elements:,}"))
    return section


if __name__ == "__main__":
    main(measure)
