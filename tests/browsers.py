"""A real browser and a real service, for the tests of pages people use."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Frame, Page, expect, sync_playwright

from nextpair.app.client import Client
from nextpair.app.schemas.topics import DocumentIn, TopicIn

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 120_000
"""Milliseconds to wait for what must come: a busy machine is not a failure."""
LAUNCH: dict[str, Any] = {"args": list(FLAGS), "timeout": PATIENCE}
"""How a browser is started."""
expect.set_options(timeout=PATIENCE)
READY = """() => {
    const question = document.getElementById('question');
    const shown = !question.hidden && question.getAttribute('aria-busy') !== 'true';
    return shown || !document.getElementById('message').hidden;
}"""


def chromium() -> str | None:
    """Return where Chromium is, if it is anywhere."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def launched() -> Iterator[Browser]:
    """Run a browser without a screen."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), **LAUNCH)
        try:
            yield browser
        finally:
            browser.close()


def patient(context: BrowserContext) -> BrowserContext:
    """Let the pages of a browser profile wait long for what must come."""
    context.set_default_timeout(PATIENCE)
    return context


def all_has_happened(page: Page) -> None:
    """Wait until a page has handled what was on its way when this was called.

    A request is answered, and two frames are drawn: what a payload could do comes before that.
    """
    page.evaluate(
        """async () => {
            await fetch('/healthz');
            for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
            await new Promise((done) => setTimeout(done));
        }"""
    )


@dataclass
class Site:
    """A service with a browser beside it."""

    address: str
    client: Client
    browser: Browser
    contexts: list[BrowserContext] = field(default_factory=list)
    key: str = ""

    def make_study(self, study: str, size: int = 4, topic: str = "t", **settings: Any) -> None:
        """Add a study with a topic of documents d1, d2 and so on, smaller numbers better."""
        if settings.get("design", "preference") in ("preference", "three-questions"):
            settings = {"selector": "merge-tie-random", **settings}
        self.client.create_study(study, **settings)
        self.add_topic(study, topic, size)

    def add_topic(self, study: str, topic: str, size: int) -> None:
        """Add a topic of documents d1, d2 and so on."""
        documents = [
            DocumentIn(id=f"d{n}", title=f"Document {n}", text=f"Text {n}. It says something.")
            for n in range(1, size + 1)
        ]
        self.client.add_topic(study, TopicIn(id=topic, title="A topic", documents=documents))

    def page(self, **options: Any) -> Page:
        """Open an empty page in a browser profile of its own."""
        context = self.browser.new_context(**options)
        self.contexts.append(context)
        return patient(context).new_page()

    def seat(self, study: str, worker: str, page: Page | None = None, **session: Any) -> "Worker":
        """Let a worker open the judging page."""
        page = page or self.page()
        page.goto(self.address + self.url(study, worker, **session))
        return Worker(page, page.main_frame)

    def seat_at(self, address: str) -> "Worker":
        """Let a worker open a judging link."""
        page = self.page()
        page.goto(address)
        return Worker(page, page.main_frame)

    def url(self, study: str, worker: str, **session: Any) -> str:
        """Open a session."""
        return self.client.open_session(study, worker, **session).url

    def sign_in(self, path: str = "/studies", page: Page | None = None, key: str = "") -> Page:
        """Let an owner open a page of the dashboard."""
        page = page or self.page()
        page.goto(self.address + path)
        page.get_by_label("Key").fill(key or self.key)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("button", name="Sign out").wait_for()
        return page

    def close(self) -> None:
        """Close all pages."""
        while self.contexts:
            self.contexts.pop().close()


class Worker:
    """Someone at the judging page, which may be in a frame."""

    def __init__(self, page: Page, frame: Frame) -> None:
        self.page = page
        self.frame = frame
        self.answered = 0

    def waits(self) -> bool:
        """Wait until the page waits for the worker; False if there is no question."""
        self.frame.wait_for_function(READY)
        return self.frame.locator("#question").is_visible()

    @property
    def question(self) -> str:
        """Which assignment is on screen."""
        return self.frame.locator("#question").get_attribute("data-assignment") or ""

    @property
    def title(self) -> str:
        """What the message on screen is about."""
        return self.frame.locator("#message-title").inner_text()

    @property
    def documents(self) -> list[int]:
        """The numbers of the documents on screen, from left to right."""
        titles: Sequence[str] = self.frame.locator(".pane:visible h2").all_inner_texts()
        return [int(title.rsplit(" ", 1)[1]) for title in titles]

    def submit(self) -> None:
        """Submit by keyboard, and wait until the service has the answer."""
        self.page.keyboard.press("Enter")
        self.counted()

    def counted(self) -> None:
        """Wait until one more answer is counted, and the next question is there."""
        self.answered += 1
        words = "1 " if self.answered == 1 else f"{self.answered} "
        expect(self.frame.locator("#progress-text")).to_contain_text(words)

    def prefer_smaller(self) -> None:
        """Answer truly, by keyboard."""
        left, right = self.documents
        self.page.keyboard.press("ArrowLeft" if left < right else "ArrowRight")
        self.submit()

    def judge_all(self) -> int:
        """Answer truly until there is nothing left."""
        while self.waits():
            self.prefer_smaller()
        return self.answered
