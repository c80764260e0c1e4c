"""Pages that everyone can use: what axe-core finds, narrow screens, keys, little motion."""

import shutil
import subprocess
from pathlib import Path

import pytest
from browsers import Site
from crowds import PATIENCE
from playwright.sync_api import Page, expect

AXE = "axe-core@4.14.0"
RUN = """async () => {
    const found = await axe.run(document, { resultTypes: ['violations'] });
    return found.violations.map(one => [one.impact, one.id, one.nodes.map(node => node.html)]);
}"""


@pytest.fixture(scope="package")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of axe-core, from npm."""
    npm, folder = shutil.which("npm"), tmp_path_factory.mktemp("axe")
    if npm is None:
        pytest.skip("there is no npm here: accessibility was NOT tested")
    words = [npm, "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(folder), AXE]
    try:
        subprocess.run(words, check=True, timeout=PATIENCE)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        pytest.skip("axe-core could not be installed: accessibility was NOT tested")
    return Path(folder, "node_modules", "axe-core", "axe.min.js").read_text(encoding="utf-8")


def violations(page: Page, axe: str) -> list[object]:
    page.evaluate(axe)
    found: list[object] = page.evaluate(RUN)
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_state_of_the_page(site: Site, axe: str, scheme: str) -> None:
    study = f"axe-{scheme}"
    site.make_study(study, 3, title="Everyday answers", instructions="Read both.")
    page = site.page(color_scheme=scheme, reduced_motion="reduce")
    worker = site.seat(study, "ann", page, count=9)
    expect(page.locator("#message")).to_be_visible()
    assert violations(page, axe) == []
    page.keyboard.press("Enter")
    expect(page.locator("#question")).to_be_visible()
    assert violations(page, axe) == []
    page.keyboard.press("Enter")
    expect(page.locator("#wrong")).to_be_visible()
    page.keyboard.press("1")
    assert violations(page, axe) == []
    page.keyboard.press("s")
    assert violations(page, axe) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Pause").click()
    assert violations(page, axe) == []
    page.keyboard.press("Enter")
    worker.judge_all()
    assert violations(page, axe) == []


@pytest.mark.parametrize("design", ["three-questions", "s100", "magnitude", "graded", "rationale"])
def test_axe_finds_nothing_on_the_page_of_any_design(site: Site, axe: str, design: str) -> None:
    site.make_study(f"axe-{design}", 2, design=design)
    worker = site.seat(f"axe-{design}", "ann")
    assert worker.waits()
    assert violations(worker.page, axe) == []


def settle(page: Page, what: str) -> None:
    """Wait until a page of the dashboard has been drawn."""
    expect(page.locator(what).first).to_be_visible()
    expect(page.get_by_text("Loading…")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page_of_the_owner(site: Site, axe: str, scheme: str) -> None:
    study = f"owner-axe-{scheme}"
    site.client.create_study(study, title="Everyday answers", price=0.1)
    site.add_topic(study, "t", 6)
    for worker in ("ann", "ben", "ann", "ben", "ann", "ben", "cho"):
        (asked,) = site.client.next(study, worker).assignments
        site.client.judge(asked, "left")
    page = site.page(color_scheme=scheme, reduced_motion="reduce")
    page.goto(f"{site.address}/studies")
    settle(page, "#key")
    assert violations(page, axe) == []
    site.sign_in("/studies", page)
    settle(page, ".track progress")
    assert violations(page, axe) == []
    page.get_by_role("button", name="New study").click()
    expect(page.get_by_text("find the class of every document")).to_be_visible()
    assert violations(page, axe) == []
    page.goto(f"{site.address}/studies/{study}")
    settle(page, ".trust")
    for summary in page.locator("main summary").all():
        summary.click()
    assert violations(page, axe) == []
    page.get_by_role("button", name="Retract ann").click()
    settle(page, "dialog table")
    assert violations(page, axe) == []
    page.goto(f"{site.address}/studies/{study}/topics/t")
    settle(page, ".matrix")
    assert violations(page, axe) == []
    page.goto(f"{site.address}/studies/{study}/report")
    settle(page, ".report .tiles")
    assert violations(page, axe) == []


def test_the_pages_of_the_owner_fit_a_narrow_screen(site: Site) -> None:
    site.client.create_study("owner-narrow", title="A study with a title that is rather long")
    site.add_topic("owner-narrow", "t", 6)
    for worker in ("ann", "ben", "cho", "dee"):
        (asked,) = site.client.next("owner-narrow", worker).assignments
        site.client.judge(asked, "left")
    page = site.page(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    site.sign_in("/studies", page)
    for path, what in (
        ("/studies", ".track progress"),
        ("/studies/owner-narrow", ".trust"),
        ("/studies/owner-narrow/topics/t", ".matrix"),
        ("/studies/owner-narrow/report", ".report .tiles"),
    ):
        page.goto(site.address + path)
        settle(page, what)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path


def test_the_page_fits_a_narrow_screen(site: Site) -> None:
    site.make_study("narrow", 3, title="A study with a title that is rather long")
    page = site.page(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    worker = site.seat("narrow", "ann", page, count=9)
    assert worker.waits()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    left, right = (one.bounding_box() for one in page.locator(".pane:visible").all())
    assert left is not None
    assert right is not None
    assert right["y"] >= left["y"] + left["height"]
    while worker.waits():
        first, second = worker.documents
        page.get_by_text("The left one" if first < second else "The right one").tap()
        page.get_by_role("button", name="Submit").tap()
        worker.counted()


def test_arrows_scroll_the_document_that_has_the_focus(site: Site) -> None:
    site.make_study("scroll", 2)
    worker = site.seat("scroll", "ann")
    assert worker.waits()
    worker.frame.locator(".body:visible").first.focus()
    worker.page.keyboard.press("ArrowDown")
    assert worker.frame.locator("input:checked").count() == 0
    worker.page.keyboard.press("ArrowRight")
    expect(worker.frame.locator("input:checked")).to_have_value("right")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_plain_pages_and_a_judging_link(
    site: Site, axe: str, scheme: str
) -> None:
    study = f"axe-plain-{scheme}"
    site.make_study(study, 3)
    page = site.page(color_scheme=scheme, reduced_motion="reduce")
    for path in ("/", "/help/files", "/nothing", f"/judge/{study}/enter?worker=eve"):
        page.goto(site.address + path)
        # A page without scripts still has the policy: what axe needs is given by the browser.
        assert violations(page, axe) == [], path
    site.sign_in(f"/studies/{study}", page)
    page.get_by_role("button", name="Judging link…").click()
    page.get_by_label("Who judges").fill("Zoë")
    page.get_by_role("button", name="Make a link").click()
    page.get_by_role("link", name="Judge now").wait_for()
    assert violations(page, axe) == []


@pytest.mark.parametrize("path", ["/", "/help/files", "/nothing"])
def test_plain_pages_fit_a_narrow_screen(site: Site, path: str) -> None:
    page = site.page(viewport={"width": 320, "height": 640})
    page.goto(site.address + path)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 320
