"""Plain text is shown with its white space, and wrapped where it is too long."""

from typing import Any

import pytest
from browsers import Site
from playwright.sync_api import Locator, Page

from nextpair.app.schemas.topics import DocumentIn, TopicIn

CODE = """\
def area(shapes):
    total = 0
    for shape in shapes:
\tif shape.width > 0:
            total += shape.width * shape.height

            # the blank line above stays
    return total


print(area([]))
"""
LONG = f"x = [{', '.join(str(number) for number in range(90))}]  # {'y' * 300}\n"
PROSE = "A dog ran over the hill. It was late, and nobody saw it.\n\nThen it came home.  Twice."
NARROW = {"width": 360, "height": 800}


def judged(site: Site, study: str, *texts: str, page: Page | None = None) -> Page:
    site.client.create_study(study, options={"risk": 0})
    documents = [DocumentIn(id=f"d{place}", text=text) for place, text in enumerate(texts)]
    site.client.add_topic(study, TopicIn(id="t", documents=documents))
    worker = site.seat(study, "ann", page)
    assert worker.waits()
    return worker.page


def shown(page: Page, words: str) -> Locator:
    """Find the whole text of the document in which these words are."""
    return page.locator(".chunk").filter(has_text=words)


def left_of(text: Locator, words: str) -> float:
    """Return how far from the left edge of a document some words begin."""
    found: float = text.evaluate(
        """(root, words) => {
            const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
            for (let node; (node = walker.nextNode()); ) {
                const from = node.data.indexOf(words);
                if (from < 0) continue;
                const range = document.createRange();
                range.setStart(node, from);
                range.setEnd(node, from + words.length);
                return range.getBoundingClientRect().left - root.getBoundingClientRect().left;
            }
            throw new Error(`not there: ${words}`);
        }""",
        words,
    )
    return found


def scrolls_sideways(page: Page) -> bool:
    found: bool = page.evaluate(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    )
    return found


def test_code_keeps_its_indents_and_blank_lines(site: Site) -> None:
    page = judged(site, "code", CODE, PROSE)
    text = shown(page, "def area")
    assert text.inner_text().rstrip() == CODE.rstrip()
    indents = [left_of(text, words) for words in ("def area", "total = 0", "total +=")]
    assert indents[0] == 0
    assert indents[1] > 20
    assert indents[2] == pytest.approx(3 * indents[1], rel=0.02)
    # One width for every letter: what stands below each other in the file does so here.
    assert "monospace" in text.locator(".verbatim").evaluate("e => getComputedStyle(e).fontFamily")
    assert left_of(text, "if shape") == pytest.approx(indents[1], rel=0.02)  # a tab is four wide


def test_prose_is_set_as_prose(site: Site) -> None:
    page = judged(site, "prose", PROSE, CODE)
    text = shown(page, "A dog")
    assert text.inner_text() == PROSE
    family = "e => getComputedStyle(e).fontFamily"
    assert text.locator(".verbatim").evaluate(family) == page.locator("body").evaluate(family)


def test_long_lines_are_wrapped_on_a_narrow_screen(site: Site) -> None:
    page = judged(site, "long-lines", CODE + LONG, LONG, page=site.page(viewport=NARROW))
    assert not scrolls_sideways(page)
    for body in page.locator(".body").all():
        assert body.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert shown(page, "def area").inner_text().rstrip() == (CODE + LONG).rstrip()


def test_nothing_is_lost_between_the_parts_of_a_long_text(site: Site) -> None:
    lines = "".join(f"{' ' * (place % 9)}line {place}\n\n\n" for place in range(900))
    page = judged(site, "parts", lines, PROSE)
    body = page.locator(".body").filter(has_text="line 1")
    body.evaluate(
        """async (body) => {
            while (body.querySelector(".end")) {
                body.scrollTop = body.scrollHeight;
                await new Promise((done) => requestAnimationFrame(done));
            }
        }"""
    )
    texts = body.locator(".verbatim").evaluate_all("all => all.map((e) => e.textContent)")
    assert len(texts) > 3
    assert "".join(texts) == lines
    # Every line is as far from the next as any other, the last of a part from the next one's first.
    step: list[Any] = body.evaluate(
        """(body) => {
            const tops = [];
            for (const part of body.querySelectorAll(".verbatim")) {
                const text = part.firstChild;
                for (const found of part.textContent.matchAll(/line/g)) {
                    const range = document.createRange();
                    range.setStart(text, found.index);
                    range.setEnd(text, found.index + 4);
                    tops.push(range.getBoundingClientRect().top);
                }
            }
            return [...new Set(tops.slice(1).map((top, i) => Math.round(top - tops[i])))];
        }"""
    )
    assert max(step) - min(step) <= 1


def test_the_dashboard_reads_a_document_as_it_is(site: Site) -> None:
    judged(site, "reader", CODE + LONG, PROSE)
    page = site.sign_in("/studies/reader/topics/t", site.page(viewport=NARROW))
    page.locator(".chip", has_text="d0").first.click()
    reading = page.locator(".reading")
    assert reading.inner_text().rstrip() == (CODE + LONG).rstrip()
    assert left_of(reading, "total = 0") > left_of(reading, "def area") + 20
    assert reading.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert not scrolls_sideways(page)


def test_a_question_may_hold_code(site: Site) -> None:
    site.client.create_study("asked", options={"risk": 0}, instructions=f"Read:\n\n{CODE}")
    documents = [DocumentIn(id=name, text=name) for name in "ab"]
    topic = TopicIn(id="t", title="Which?", description=CODE, documents=documents)
    site.client.add_topic("asked", topic)
    worker = site.seat("asked", "ann")
    assert not worker.waits()  # the instructions come first
    assert "\n    total = 0\n" in worker.page.locator("#message-body").inner_text()
    worker.page.keyboard.press("Enter")
    worker.page.locator("#question").wait_for()
    assert worker.page.locator("#topic-description").inner_text().rstrip() == CODE.rstrip()
