"""The owner's pages in a real browser: a study from files, from its creation to its results."""

import json
import re
from itertools import combinations
from pathlib import Path

import pytest
from browsers import Site
from playwright.sync_api import Page, expect

from nextpair.app.enums import Scope

DOCUMENTS = [
    {"id": f"d{n}", "topic": topic, "title": f"Document {n}", "text": f"Text {n} of {topic}."}
    for topic in ("tea", "coffee")
    for n in range(1, 7)
]
TOPICS = "<top><num>tea</num><title>Better tea</title></top>\n"


def lines(folder: Path) -> Path:
    path = folder / "documents.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in DOCUMENTS), encoding="utf-8")
    return path


def judge(site: Site, study: str, worker: str, count: int, topic: str | None = None) -> None:
    """Let a worker answer, smaller numbers better."""
    for _ in range(count):
        for one in site.client.next(study, worker, topic=topic).assignments:
            left, right = (int(shown.id[1:]) for shown in one.shown)
            site.client.judge(one, "left" if left < right else "right")


def tile(page: Page, what: str) -> str:
    """Return the figure that stands above some words."""
    found = page.locator(".tiles div").filter(has_text=what).locator("strong")
    return found.inner_text()


def test_an_owner_makes_a_study_of_files_watches_it_and_downloads_its_results(
    site: Site, tmp_path: Path
) -> None:
    page = site.sign_in()
    page.get_by_role("button", name="New study").click()
    page.get_by_label("Name", exact=True).fill("from-files")
    page.get_by_label("Title", exact=True).fill("Hot drinks")
    expect(
        page.get_by_label("Selector of the next pair").locator("option[value=uniform]")
    ).to_be_attached()
    page.get_by_label("Selector of the next pair").select_option("merge-tie-random")
    page.get_by_label("Price of an answer").fill("0.5")
    topics = tmp_path / "topics.txt"
    topics.write_text(TOPICS, encoding="utf-8")
    page.get_by_label("Documents", exact=True).set_input_files(lines(tmp_path))
    page.get_by_label("Topics", exact=True).set_input_files(topics)
    page.get_by_role("button", name="Create the study").click()
    expect(page.get_by_role("heading", name="Hot drinks")).to_be_visible()
    expect(page.get_by_role("link", name="Better tea")).to_be_visible()
    expect(page.locator("#state")).to_have_text("live")

    judge(site, "from-files", "ann", 4, "coffee")
    expect(page.locator(".tiles div").first.locator("strong")).to_have_text("4")
    expect(page.locator(".tiles")).to_contain_text("$2.00")
    expect(page.get_by_role("row", name=re.compile("^ann"))).to_be_visible()

    page.get_by_role("link", name="coffee").click()
    expect(page.get_by_role("heading", name="Classes")).to_be_visible()
    expect(page.locator(".box").first).to_be_visible()
    before = page.locator(".classes").inner_text()
    judge(site, "from-files", "ben", 20, "coffee")
    expect(page.locator(".box")).to_have_count(6)
    expect(page.locator(".classes")).not_to_have_text(before, use_inner_text=True)
    expect(page.locator(".box .chip")).to_have_text(["d1", "d2", "d3", "d4", "d5", "d6"])
    expect(page.locator(".tiles")).to_contain_text("every document is settled")

    page.get_by_role("link", name="Hot drinks").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".head .status")).to_have_text("paused")
    assert site.client.next("from-files", "cho").reason == "paused"
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download").click()
    content = saved.value.path().read_text(encoding="utf-8")
    assert saved.value.suggested_filename == "from-files.qrels"
    assert "coffee 0 d1 5\n" in content
    assert content.count("\n") == 6
    left_out = page.get_by_text("6 unjudged documents are not in the file.")
    expect(left_out).to_be_visible()
    page.get_by_label("Include unjudged documents, with the lowest grade").check()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download").click()
    assert saved.value.path().read_text(encoding="utf-8").count("\n") == 12


def test_an_owner_sees_what_a_retraction_would_change_and_does_it(site: Site) -> None:
    site.make_study("retracted", 6)
    judge(site, "retracted", "ann", 3)
    judge(site, "retracted", "zed", 3)
    page = site.sign_in("/studies/retracted")
    page.get_by_role("button", name="Retract zed").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("3 answers would no longer count")
    expect(dialog.get_by_role("row", name=re.compile("^t "))).to_contain_text("6 → 3")
    page.get_by_role("button", name="Cancel").click()
    assert site.client.progress("retracted", "t").judgments == 6
    page.get_by_role("button", name="Retract zed").click()
    page.get_by_label("Reason").fill("answers at random")
    page.get_by_role("button", name="Retract 3 answers").click()
    row = page.get_by_role("row", name=re.compile("^zed"))
    expect(row).to_contain_text("blocked")
    assert site.client.progress("retracted", "t").judgments == 3
    taken = [one for one in site.client.judgments("retracted", "t") if one.worker == "zed"]
    assert {one.retracted for one in taken} == {"answers at random"}
    row.get_by_role("button", name="Unblock").click()
    expect(row).to_contain_text("active")


def test_files_are_checked_before_they_are_added(site: Site, tmp_path: Path) -> None:
    site.client.create_study("later", selector="quick-sort")
    page = site.sign_in("/studies/later")
    page.get_by_text("Add topics and documents from files").click()
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"id": "a", "topic": "t"}\nnothing\n', encoding="utf-8")
    page.get_by_label("Documents", exact=True).set_input_files(bad)
    page.get_by_role("button", name="Check the files").click()
    expect(page.locator("form .wrong:visible")).to_contain_text("bad.jsonl:2: not a JSON object")
    page.get_by_label("Documents", exact=True).set_input_files(lines(tmp_path))
    page.get_by_role("button", name="Check the files").click()
    expect(page.locator(".found")).to_contain_text("2 topics with 12 documents, 2 of them new")
    assert list(site.client.topics("later")) == []
    page.get_by_role("button", name="Add them to the study").click()
    expect(page.get_by_role("link", name="tea")).to_be_visible()
    assert [one.id for one in site.client.topics("later")] == ["coffee", "tea"]


HIDDEN = '{"id": "a", "topic": "t", "html": "<p>See <img src=\'https://example.org/a.png\'></p>"}\n'


def test_the_check_of_files_says_what_no_worker_will_see(site: Site, tmp_path: Path) -> None:
    site.client.create_study("hidden", selector="quick-sort")
    page = site.sign_in("/studies/hidden")
    page.get_by_text("Add topics and documents from files").click()
    files = tmp_path / "d.jsonl"
    files.write_text(HIDDEN, encoding="utf-8")
    page.get_by_label("Documents", exact=True).set_input_files(files)
    page.get_by_role("button", name="Check the files").click()
    expect(page.locator(".found")).to_contain_text("not shown: images at web addresses, 1 in 1")
    assert list(site.client.topics("hidden")) == []


def test_a_new_study_says_what_no_worker_will_see_before_its_files_are_stored(
    site: Site, tmp_path: Path
) -> None:
    page = site.sign_in()
    page.get_by_role("button", name="New study").click()
    page.get_by_label("Name", exact=True).fill("warned")
    files = tmp_path / "d.jsonl"
    files.write_text(HIDDEN, encoding="utf-8")
    page.get_by_label("Documents", exact=True).set_input_files(files)
    page.get_by_role("button", name="Create the study").click()
    expect(page.locator(".found")).to_contain_text("not shown: images at web addresses")
    assert list(site.client.topics("warned")) == []
    page.get_by_role("button", name="Add the files to the study").click()
    page.wait_for_url("**/studies/warned")
    assert [one.id for one in site.client.topics("warned")] == ["t"]


def test_a_judging_link_opens_the_page_for_one_worker(site: Site) -> None:
    site.make_study("linked", 3)
    page = site.sign_in("/studies/linked")
    page.get_by_role("button", name="Judging link").click()
    page.get_by_label("Who judges").fill("eve")
    page.get_by_label("Questions at most").fill("2")
    page.get_by_role("button", name="Make a link").click()
    address = page.get_by_label("The link", exact=True).input_value()
    other = site.page()
    other.goto(address)
    expect(other.locator("#progress-text")).to_have_text("0 of 2 answered")


def test_conflicts_come_with_the_chain_that_explains_them(site: Site) -> None:
    site.client.create_study("circle", selector="elo-schedule")
    site.add_topic("circle", "t", 5)
    while asked := site.client.next("circle", "ann").assignments:
        left, right = (int(one.id[1:]) for one in asked[0].shown)
        site.client.judge(asked[0], "left" if (right - left) % 5 in (1, 2) else "right")
    page = site.sign_in("/studies/circle/topics/t")
    first = page.locator(".conflicts > li").first
    expect(first).to_contain_text("A worker answered:")
    first.get_by_text("Explanation:").click()
    expect(first.locator(".chain li").first).to_contain_text("judgment #")
    # Of a circle some answers agree with the order that is reported, and some do not.
    pairs = list(combinations([f"d{number}" for number in range(1, 6)], 2))
    known = {pair: site.client.explain("circle", "t", *pair).relation for pair in pairs}
    agreeing = next(pair for pair, relation in known.items() if relation)
    against = next(pair for pair, relation in known.items() if not relation)
    for pair, shown in (
        (agreeing, page.locator("form .finding").first),
        (against, page.get_by_text(f"The probability that {against[0]} is better is")),
    ):
        page.get_by_label("First document").fill(pair[0])
        page.get_by_label("Second document").fill(pair[1])
        page.get_by_role("button", name="Explain").click()
        expect(shown).to_be_visible()
    page.locator(".box .chip").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("It says something.")


def test_a_key_is_needed_and_is_kept_in_the_tab_alone(site: Site) -> None:
    site.make_study("private", 2)
    page = site.page()
    page.goto(f"{site.address}/studies/private")
    page.get_by_label("Key").fill("np_nonsense")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert").filter(has_text="does not know this key")).to_be_visible()
    page.get_by_label("Key").fill(site.key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="private")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="private")).to_be_visible()
    assert site.key not in page.url
    assert page.context.cookies() == []
    assert page.evaluate("localStorage.length") == 0
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Key")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0


def test_a_key_that_only_reads_sees_no_buttons_that_it_may_not_press(site: Site) -> None:
    site.make_study("read-only", 3)
    judge(site, "read-only", "ann", 1)
    made = site.client._connection.send("POST", "/v1/keys", json={"scope": Scope.READ.value})
    page = site.sign_in("/studies/read-only", key=made.json()["key"])
    expect(page.get_by_role("row", name=re.compile("^ann"))).to_be_visible()
    for name in ("Pause", "Close", "Judging link", "Retract", "Block"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)


def test_what_is_not_there_is_said(site: Site) -> None:
    page = site.sign_in("/studies/nowhere")
    expect(page.get_by_role("heading", name="This does not work")).to_be_visible()
    expect(page.locator("main")).to_contain_text("there is no study 'nowhere'")


@pytest.mark.parametrize("design", ["graded", "s100"])
def test_single_documents_have_classes_by_their_scores(site: Site, design: str) -> None:
    study = f"owner-{design}"
    site.make_study(study, 3, design=design)
    page = site.sign_in(f"/studies/{study}/topics/t")
    expect(page.locator(".lane")).to_contain_text("d1")
    expect(page.get_by_role("heading", name="Pairs")).to_have_count(0)


def test_a_topic_of_a_thousand_documents_can_be_used(site: Site) -> None:
    site.make_study("large", 1000, selector="uniform")
    judge(site, "large", "ann", 3)
    page = site.sign_in("/studies/large/topics/t")
    expect(page.locator(".matrix")).to_be_visible()
    expect(page.locator(".ratings tbody tr")).to_have_count(25)
    assert page.locator("*").count() < 5000
    page.locator("#s-ranking ~ div").get_by_role("button", name="Show more").click()
    expect(page.locator(".ratings tbody tr")).to_have_count(125)
    # Drawn again after an answer, the table is as long as before.
    page.locator(".ratings").evaluate("table => { table.dataset.before = 'yes'; }")
    judge(site, "large", "ann", 1)
    expect(page.locator(".ratings:not([data-before])")).to_be_visible()
    expect(page.locator(".ratings tbody tr")).to_have_count(125)
