"""How long a worker waits at the judging page: for the first pair, and for each pair after it."""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from browsers import Site, launched
from installations import new_key, serving

from benchmarks.section import Section, main, met
from nextpair.app.client import Client
from nextpair.app.schemas.topics import DocumentIn, TopicIn

FIRST_BAR, NEXT_BAR = 300, 100
VISITS, ANSWERS = 12, 40
WORDS = 1_000
WATCH = """window.waits = [];
let from = 0;
addEventListener('keydown', event => {
    if (event.key === 'Enter') from = event.timeStamp;
}, { capture: true });
new MutationObserver(() => requestAnimationFrame(() => {
    window.waits.push(performance.now() - from);
})).observe(document, { subtree: true, attributeFilter: ['data-assignment'] });"""
"""Notes when each question is on screen: milliseconds after the page was opened, or after Enter."""


def waits(site: Site, visits: int) -> tuple[list[float], list[float]]:
    """Open the page often, and answer some questions each time."""
    first: list[float] = []
    following: list[float] = []
    for visit in range(visits):
        page = site.page()
        page.add_init_script(WATCH)
        worker = site.seat("study", f"w{visit}", page)
        for _ in range(ANSWERS // VISITS + 1):
            worker.waits()
            page.keyboard.press("1")
            worker.submit()
            # Nobody answers before having read: the page has the time it takes.
            page.wait_for_timeout(400)
        begun, *others = page.evaluate("window.waits")
        first.append(begun)
        following += others
        site.close()
    return first, following


def measure(given: argparse.Namespace) -> Section:
    """Measure a local service and browser."""
    section = Section(
        "The judging page",
        "python -m benchmarks.pages",
        f"Milliseconds until a pair of documents of {WORDS:,} words is on screen, headless Chromium"
        " and `nextpair serve` (SQLite, one process, the default selector) on this machine. First:"
        " from opening the page, nothing cached. Next: from the key that submits an answer.",
        ("", "times", "median", "95 %", "bar"),
    )
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/nextpair.db"
        key = new_key(url)
        with (
            serving(url) as (address, _),
            Client(address, key) as client,
            launched() as browser,
        ):
            client.create_study("study")
            text = " ".join(f"word{n}" for n in range(WORDS))
            pool = [DocumentIn(id=f"d{n}", title=f"Document {n}", text=text) for n in range(100)]
            client.add_topic("study", TopicIn(id="t", title="word1 word2", documents=pool))
            first, following = waits(Site(address, client, browser), VISITS)
    for name, times, bar in (("first", first, FIRST_BAR), ("next", following, NEXT_BAR)):
        middle, high = statistics.median(times), statistics.quantiles(times, n=20)[-1]
        verdict = f"{bar}: {met(middle, bar)}"
        section.rows.append((name, str(len(times)), f"{middle:.0f}", f"{high:.0f}", verdict))
    return section


if __name__ == "__main__":
    main(measure)
