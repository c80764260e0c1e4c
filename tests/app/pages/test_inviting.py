"""Judging links in a real browser: made, copied, opened, renewed; and names in any script."""

import pytest
from browsers import Site
from playwright.sync_api import Page, expect

NAMES = {
    "Latin": "Zoë O\N{RIGHT SINGLE QUOTATION MARK}Brien-Łukaszewicz",
    "Greek": "Αλέξης Παπαδόπουλος",
    "Cyrillic": "Наталья Ёлкина",
    "Arabic": "محمد عبد الله",
    "Hebrew": "נועה בן-דוד",
    "Devanagari": "श्रीमती क्षमा शर्मा",
    "Han": "山田\N{IDEOGRAPHIC SPACE}太郎",
    "Hangul": "김 민준",
    "address": "50%25 & C# or a\\b? …",
}


def make_link(page: Page, worker: str, most: int | None = None) -> str:
    page.get_by_label("Who judges").fill(worker)
    if most is not None:
        page.get_by_label("Questions at most").fill(str(most))
    page.get_by_role("button", name="Make a link").click()
    return page.get_by_label("The link", exact=True).input_value()


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_anybody_is_invited_by_their_own_name_to_a_study_of_any_name(site: Site, name: str) -> None:
    site.make_study(name, 3, name)
    page = site.sign_in()
    page.get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
    page.get_by_role("link", name="A topic").click()
    expect(page.get_by_role("heading", name="A topic", level=1)).to_be_visible()
    page.get_by_role("button", name="Judging link…").click()
    link = make_link(page, name)
    judge = site.seat_at(link)
    assert judge.waits()
    judge.prefer_smaller()
    (worker,) = site.client.workers(name)
    assert (worker.id, worker.answered) == (name, 1)
    page.get_by_role("button", name="Close").last.click()
    with page.expect_download() as saved:
        page.get_by_label("As", exact=True).select_option("jsonl")
        page.get_by_role("button", name="Download").click()
    assert f'"worker":"{name}"' in saved.value.path().read_text(encoding="utf-8").replace(
        "\\\\", "\\"
    )


def test_a_link_is_copied_also_where_the_clipboard_is_denied(site: Site) -> None:
    site.make_study("copied", 3)
    page = site.page()
    # What a browser does with pages that it gives no access to the clipboard.
    page.add_init_script(
        "navigator.clipboard.writeText = () => Promise.reject(new DOMException('denied'))"
    )
    site.sign_in("/studies/copied", page)
    page.get_by_role("button", name="Judging link…").click()
    link = make_link(page, "ann")
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    page.context.grant_permissions(["clipboard-read"])
    assert page.evaluate("navigator.clipboard.readText()") == link


def test_a_link_says_when_it_ends_and_opens_the_page_for_its_owner(site: Site) -> None:
    site.make_study("timed", 3)
    page = site.sign_in("/studies/timed", site.page(locale="de-DE", timezone_id="Asia/Tokyo"))
    page.get_by_role("button", name="Judging link…").click()
    make_link(page, "ann")
    ends = page.locator(".made time")
    written = ends.evaluate(
        "time => new Intl.DateTimeFormat('de-DE', {dateStyle: 'full', timeStyle: 'short',"
        " timeZone: 'Asia/Tokyo'}).format(new Date(time.dateTime))"
    )
    expect(ends).to_have_text(written)
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Judge now").click()
    expect(opened.value.locator("#progress-text")).to_have_text("0 answered")


def test_a_renewed_link_goes_on_where_the_person_was(site: Site) -> None:
    site.make_study("renewed", 5)
    page = site.sign_in("/studies/renewed")
    page.get_by_role("button", name="Judging link…").click()
    first = make_link(page, "ann", 3)
    judge = site.seat_at(first)
    for _ in range(2):
        assert judge.waits()
        judge.prefer_smaller()
    assert judge.waits()
    held = judge.question
    page.get_by_role("button", name="Renew the link").click()
    expect(page.get_by_label("The link", exact=True)).not_to_have_value(first)
    again = site.seat_at(page.get_by_label("The link", exact=True).input_value())
    assert again.waits()
    assert again.question == held
    expect(again.frame.locator("#progress-text")).to_have_text("2 of 3 answered")
    page.get_by_role("button", name="Close").last.click()
    page.reload()
    page.get_by_role("button", name="New link for ann").click()
    expect(page.get_by_label("Who judges")).to_have_value("ann")


def test_a_link_of_another_name_is_not_shown_as_the_last_ones(site: Site) -> None:
    site.make_study("renamed", 3)
    page = site.sign_in("/studies/renamed")
    page.get_by_role("button", name="Judging link…").click()
    make_link(page, "ann")
    page.get_by_label("Who judges").fill("ben")
    expect(page.get_by_label("The link", exact=True)).to_have_count(0)
    page.get_by_label("Who judges").fill("AC/DC")
    page.get_by_role("button", name="Make a link").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("slash")
