"""What pages say is true: who judges, why there is no question, and why nothing is left to ask."""

from browsers import Site
from playwright.sync_api import expect


def judge(site: Site, study: str, worker: str) -> None:
    """Answer until there is no question, smaller numbers better."""
    while found := site.client.next(study, worker).assignments:
        for one in found:
            left, right = (int(shown.id[1:]) for shown in one.shown)
            site.client.judge(one, "left" if left < right else "right")


def test_a_study_says_on_the_page_who_judges_it(site: Site) -> None:
    page = site.sign_in()
    page.get_by_role("button", name="New study").click()
    page.get_by_label("Name", exact=True).fill("for-one")
    judges = page.get_by_label("Who judges")
    expect(page.locator("#new-judges-hint")).to_contain_text("how reliable each person is")
    judges.select_option("one careful person")
    expect(page.locator("#new-judges-hint")).to_contain_text("No pair is asked twice")
    page.get_by_role("button", name="Create the study").click()
    expect(page.get_by_role("heading", name="for-one")).to_be_visible()
    settings = page.get_by_role("region", name="Settings")
    expect(settings).to_contain_text("Judged by one careful person.")
    expect(settings).to_contain_text("risk 0")
    assert site.client.study("for-one").judges == "one"


def test_who_has_seen_everything_is_not_told_that_others_are_answering(site: Site) -> None:
    site.make_study("all-seen", size=2, selector="placement")
    worker = site.seat("all-seen", "ann")
    assert worker.judge_all() == 1
    message = worker.frame.locator("#message")
    assert worker.title == "You have seen everything"
    expect(message).to_contain_text("have to be judged by somebody else")
    expect(message).not_to_contain_text("Other people")


def test_that_others_hold_questions_is_said_only_while_they_do(site: Site) -> None:
    site.make_study("in-hand", size=2, selector="uniform")
    (held,) = site.client.next("in-hand", "bob").assignments
    worker = site.seat("in-hand", "ann")
    assert not worker.waits()
    message = worker.frame.locator("#message")
    expect(message).to_contain_text("Other people are answering questions right now")
    site.client.judge(held, "left")
    expect(worker.frame.locator("#message-title")).to_have_text("All done")


def test_one_persons_study_ends_and_says_so(site: Site) -> None:
    site.make_study("ends", size=4, selector="placement", judges="one")
    worker = site.seat("ends", "ann")
    worker.judge_all()
    assert worker.title == "All done"
    page = site.sign_in("/studies/ends/topics/t")
    expect(page.locator(".tiles")).to_contain_text("every document is settled")


def test_a_topic_that_a_budget_stopped_is_not_called_known(site: Site) -> None:
    site.make_study("spent", size=20, selector="placement", options={"budget": 0.3})
    judge(site, "spent", "ann")
    page = site.sign_in("/studies/spent/topics/t")
    tiles = page.locator(".tiles")
    expect(tiles).to_contain_text("stopped by the budget")
    expect(tiles).not_to_contain_text("100 %")
    expect(tiles).to_contain_text("= 190 pairs")
    expect(page.locator(".matrix-part")).to_contain_text("open = 190 pairs.")
    page.goto(f"{site.address}/studies/spent")
    expect(page.locator(".tiles")).to_contain_text("stopped by the budget")
    expect(page.get_by_role("row", name="A topic")).to_contain_text("= 190 pairs")
    page.goto(f"{site.address}/studies")
    card = page.locator("article").filter(has_text="spent").first
    expect(card).to_contain_text("nothing: stopped by the budget")
