"""Gates and checks as a worker meets them: told before, told after, never rejected in silence."""

from browsers import Site, Worker
from playwright.sync_api import expect

from nextpair.app.schemas.topics import DocumentIn, GoldIn, GoldsIn, TopicIn, UnderstandingRule
from nextpair.storage.rows import StudyStatus


def add_golds(site: Site, study: str, count: int, *, quiz: bool) -> None:
    """Add questions with known answers: of Document 101 and Document 102 the first is better."""
    numbers = range(101, 101 + 2 * count)
    documents = [DocumentIn(id=f"g{n}", title=f"Document {n}", text=f"Text {n}.") for n in numbers]
    golds = [
        GoldIn(documents=[f"g{n}", f"g{n + 1}"], answer={"preference": "left"}, quiz=quiz)
        for n in numbers[::2]
    ]
    site.client.add_golds(study, "t", GoldsIn(documents=documents, golds=golds))


def prefer_larger(worker: Worker) -> None:
    left, right = worker.documents
    worker.page.keyboard.press("ArrowLeft" if left > right else "ArrowRight")
    worker.submit()


def test_instructions_come_before_work_and_can_be_read_again(site: Site) -> None:
    site.make_study("told", 3, instructions="Read both.\n\nThen choose.")
    worker = site.seat("told", "ann")
    expect(worker.frame.locator("#message-body")).to_contain_text("Then choose.")
    assert not list(site.client.workers("told"))
    worker.page.keyboard.press("Enter")
    expect(worker.frame.locator("#question")).to_be_visible()
    worker.frame.get_by_role("button", name="Instructions").click()
    expect(worker.frame.locator("#dialog")).to_contain_text("Then choose.")
    worker.page.keyboard.press("Escape")
    worker.judge_all()


def test_the_understanding_question_is_asked_until_it_is_answered_right(site: Site) -> None:
    site.client.create_study("understood", selector="merge-tie-random", quality={"attempts": 2})
    rule = UnderstandingRule(
        question="What is it about?", choices=["Tea", "Coffee"], right="Coffee"
    )
    documents = [DocumentIn(id=f"d{n}", title=f"Document {n}", text="x") for n in (1, 2)]
    topic = TopicIn(id="t", title="T", understanding=rule, documents=documents)
    site.client.add_topic("understood", topic)
    worker = site.seat("understood", "ann")
    worker.frame.get_by_role("button", name="Tea").click()
    expect(worker.frame.locator("#message-title")).to_contain_text("did not pass")
    worker.frame.get_by_role("button", name="Continue").click()
    worker.frame.get_by_role("button", name="Coffee").click()
    expect(worker.frame.locator("#question")).to_be_visible()
    assert worker.judge_all() == 1


def test_a_quiz_comes_first_and_its_verdict_is_told(site: Site) -> None:
    quality = {"quiz": 3, "quiz_pass": 1, "attempts": 2}
    site.make_study("quiz", 3, quality=quality)
    add_golds(site, "quiz", 3, quiz=True)
    worker = site.seat("quiz", "ann")
    for _ in range(2):
        assert worker.waits()
        assert min(worker.documents) > 100
        prefer_larger(worker)
    assert worker.waits()
    left, right = worker.documents
    worker.page.keyboard.press("ArrowLeft" if left > right else "ArrowRight")
    # The third answer fails the quiz, so that none counts any more: there is no third to wait for.
    worker.page.keyboard.press("Enter")
    expect(worker.frame.locator("#message-title")).to_contain_text("did not pass")
    expect(worker.frame.locator("#message-body")).to_contain_text("0 of 3 quiz questions")
    worker.page.keyboard.press("Enter")
    expect(worker.frame.locator("#question")).to_be_visible()
    worker.answered = 0
    for _ in range(3):
        assert worker.waits()
        worker.prefer_smaller()
    worker.judge_all()
    assert site.client.ranking("quiz", "t").classes == [["d1"], ["d2"], ["d3"]]


def test_who_falls_for_traps_is_stopped_and_told_why(site: Site) -> None:
    quality = {"batch": 3, "traps": 2, "traps_pass": 1}
    site.make_study("traps", 6, selector="uniform", quality=quality)
    add_golds(site, "traps", 4, quiz=False)
    worker = site.seat("traps", "ann")
    for _ in range(3):
        assert worker.waits()
        prefer_larger(worker)
    expect(worker.frame.locator("#message-title")).to_contain_text("did not pass")
    expect(worker.frame.locator("#message-body")).to_contain_text("0 of 2")
    worker.page.reload()
    expect(worker.frame.locator("#message-title")).to_have_text("No more questions for you here")
    expect(worker.frame.locator("#message-body")).to_contain_text("0 of 2")


def test_a_paused_study_says_so_and_goes_on_by_itself(site: Site) -> None:
    site.make_study("halted", 3)
    site.client.change_study("halted", status="paused")
    page = site.page()
    page.clock.install()
    worker = site.seat("halted", "ann", page)
    expect(worker.frame.locator("#message-title")).to_have_text("The study is paused")
    site.client.change_study("halted", status="open")
    page.clock.run_for(16_000)
    expect(worker.frame.locator("#question")).to_be_visible()


def test_who_must_wait_for_others_goes_on_when_they_have_answered(site: Site) -> None:
    site.make_study("turns", 2, votes=1)
    (asked,) = site.client.next("turns", "ben").assignments
    page = site.page()
    page.clock.install()
    worker = site.seat("turns", "ann", page)
    expect(worker.frame.locator("#message-title")).to_have_text("One moment")
    site.client.judge(asked, "left")
    page.clock.run_for(4_000)
    expect(worker.frame.locator("#message-title")).to_have_text("All done")


def test_a_study_that_is_closed_meanwhile_says_so(site: Site) -> None:
    site.make_study("over", 4)
    worker = site.seat("over", "ann")
    assert worker.waits()
    site.client.change_study("over", status=StudyStatus.CLOSED)
    worker.page.keyboard.press("1")
    worker.page.keyboard.press("Enter")
    expect(worker.frame.locator("#message-title")).to_have_text("The study is over")
