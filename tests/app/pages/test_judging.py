"""A worker at the judging page: a whole study by keyboard, by mouse, beside others, and again."""

from browsers import Site, Worker
from crowds import until
from playwright.sync_api import expect


def ranking(site: Site, study: str) -> list[list[str]]:
    return site.client.ranking(study, "t").classes


def test_a_worker_judges_a_whole_study_by_keyboard(site: Site) -> None:
    site.make_study("keys", 5)
    worker = site.seat("keys", "ann")
    assert worker.judge_all() >= 4
    assert worker.title == "All done"
    assert ranking(site, "keys") == [["d1"], ["d2"], ["d3"], ["d4"], ["d5"]]


def test_a_worker_judges_a_whole_study_by_mouse(site: Site) -> None:
    site.make_study("mouse", 3)
    worker = site.seat("mouse", "ann")
    while worker.waits():
        left, right = worker.documents
        label = "The left one" if left < right else "The right one"
        worker.frame.get_by_text(label).click()
        worker.frame.get_by_role("button", name="Submit").click()
        worker.counted()
    assert ranking(site, "mouse") == [["d1"], ["d2"], ["d3"]]


def test_digits_and_the_down_arrow_say_that_two_are_alike(site: Site) -> None:
    site.make_study("ties", 3)
    worker = site.seat("ties", "ann")
    keys = iter(("ArrowDown", "4", "3", "4"))
    while worker.waits():
        worker.page.keyboard.press(next(keys))
        worker.submit()
    said = [one.answer["preference"] for one in site.client.judgments("ties", "t")]
    assert said[:2] == ["equally_good", "equally_bad"]
    assert ranking(site, "ties") == [["d1", "d2", "d3"]]


def test_pressing_down_again_goes_to_the_other_tie(site: Site) -> None:
    site.make_study("downs", 2)
    worker = site.seat("downs", "ann")
    assert worker.waits()
    worker.page.keyboard.press("ArrowDown")
    worker.page.keyboard.press("ArrowDown")
    worker.submit()
    (said,) = site.client.judgments("downs", "t")
    assert said.answer == {"preference": "equally_bad"}


def test_a_study_without_ties_offers_none(site: Site) -> None:
    site.make_study("strict", 2, ties=False)
    worker = site.seat("strict", "ann")
    assert worker.waits()
    assert worker.frame.locator(".option").count() == 2
    worker.page.keyboard.press("ArrowDown")
    worker.page.keyboard.press("Enter")
    expect(worker.frame.locator("#wrong")).to_contain_text("Which is better?")
    assert not list(site.client.judgments("strict", "t"))


def test_two_workers_judge_at_once_and_hold_different_pairs(site: Site) -> None:
    site.make_study("crowd", 6)
    ann, ben = site.seat("crowd", "ann"), site.seat("crowd", "ben")
    assert ann.waits()
    assert ben.waits()
    assert set(ann.documents) != set(ben.documents)
    busy = [ann, ben]

    def all_is_judged() -> bool:
        for worker in list(busy):
            if worker.waits():
                worker.prefer_smaller()
            elif worker.title == "All done":
                # Otherwise what is left depends on the other, whose turn it is.
                busy.remove(worker)
        return not busy

    until(all_is_judged, "both workers have finished")
    assert ranking(site, "crowd") == [[f"d{n}"] for n in range(1, 7)]
    workers = {one.worker for one in site.client.judgments("crowd", "t")}
    assert workers == {"ann", "ben"}


def test_focus_is_in_the_answer_after_each_one(site: Site) -> None:
    site.make_study("focus", 4)
    worker = site.seat("focus", "ann")
    while worker.waits():
        inside = "document.getElementById('answer').contains(document.activeElement)"
        assert worker.frame.evaluate(inside)
        worker.prefer_smaller()
    assert worker.frame.evaluate("document.activeElement.id") == "message-title"


def sides(worker: Worker) -> tuple[list[int], list[bool]]:
    fresh = [one.is_visible() for one in worker.frame.locator(".pane:visible .badge").all()]
    return worker.documents, fresh


def test_a_document_that_stays_stays_on_its_side_and_the_log_tells_what_was_seen(
    site: Site,
) -> None:
    # Comparing one with all others keeps a document through many questions.
    site.make_study("stays", 9, selector="quick-sort", seed=3)
    worker = site.seat("stays", "ann")
    before: list[int] = []
    seen: list[list[int]] = []
    stayed = 0
    while worker.waits():
        now, fresh = sides(worker)
        common = set(before) & set(now)
        if len(common) == 1:
            (kept,) = common
            assert now.index(kept) == before.index(kept)
            assert fresh == [one != kept for one in now]
            stayed += 1
        else:
            assert fresh == [False, False]
        seen.append(now)
        before = now
        worker.prefer_smaller()
    assert stayed > 3
    logged = list(site.client.judgments("stays", "t"))
    assert len(logged) == len(seen)
    for one, (left, right) in zip(logged, seen, strict=True):
        shown = site.client.assignment(one.assignment).shown
        assert [document.id for document in shown] == [f"d{left}", f"d{right}"]
        assert one.answer["preference"] == ("left" if left < right else "right")
    assert ranking(site, "stays") == [[f"d{n}"] for n in range(1, 10)]


def test_an_answer_is_taken_back_with_u_and_given_otherwise(site: Site) -> None:
    site.make_study("undo", 3)
    worker = site.seat("undo", "ann")
    assert worker.waits()
    first, shown = worker.question, worker.documents
    worker.page.keyboard.press("1")
    worker.submit()
    assert worker.waits()
    worker.page.keyboard.press("u")
    expect(worker.frame.locator("#progress-text")).to_have_text("0 answered")
    expect(worker.frame.locator("#question")).to_have_attribute(
        "data-assignment", first.split()[0] + " 2"
    )
    assert worker.documents == shown
    worker.answered = 0
    worker.page.keyboard.press("2")
    worker.submit()
    said = [(one.answer["preference"], one.retracted) for one in site.client.judgments("undo", "t")]
    assert said == [("left", "undo"), ("right", None)]


def test_the_last_answer_of_all_can_be_taken_back(site: Site) -> None:
    site.make_study("last", 2)
    worker = site.seat("last", "ann")
    assert worker.judge_all() == 1
    worker.frame.get_by_role("button", name="Undo my last answer").click()
    expect(worker.frame.locator("#question")).to_be_visible()
    worker.answered = 0
    worker.page.keyboard.press("3")
    worker.submit()
    assert ranking(site, "last") == [["d1", "d2"]]


def test_what_cannot_be_judged_is_skipped_with_its_reason(site: Site) -> None:
    site.make_study("skip", 3)
    worker = site.seat("skip", "ann")
    assert worker.waits()
    number = worker.question.split()[0]
    worker.page.keyboard.press("s")
    worker.frame.get_by_label("Why can you not judge this?").fill("It is in Finnish <b>")
    with worker.page.expect_response("**/skip"):
        worker.frame.get_by_role("button", name="Skip this question").click()
    expect(worker.frame.locator("#question")).not_to_have_attribute(
        "data-assignment", f"{number} 1"
    )
    (row,) = (one for one in site.client.workers("skip") if one.id == "ann")
    assert (row.skipped, row.answered) == (1, 0)
    told = site.client.assignment(number)
    assert (told.state, told.reason) == ("skipped", "It is in Finnish <b>")


def test_a_page_opened_again_has_the_same_question_and_no_lease_is_wasted(site: Site) -> None:
    site.make_study("again", 5)
    worker = site.seat("again", "ann")
    assert worker.waits()
    first = worker.question
    for _ in range(3):
        worker.page.reload()
        assert worker.waits()
        assert worker.question == first
    (row,) = site.client.workers("again")
    assert row.open == 2


def test_a_session_ends_after_its_count(site: Site) -> None:
    site.make_study("count", 8)
    worker = site.seat("count", "ann", count=3)
    assert worker.judge_all() == 3
    assert worker.title == "That was the last one"
    assert len(list(site.client.judgments("count", "t"))) == 3


def test_pausing_hides_the_question_and_stops_the_clock(site: Site) -> None:
    site.make_study("pause", 2)
    page = site.page()
    page.clock.install()
    worker = site.seat("pause", "ann", page)
    assert worker.waits()
    worker.frame.get_by_role("button", name="Pause").click()
    expect(worker.frame.locator("#topic-title")).not_to_be_visible()
    page.clock.fast_forward("30:00")
    worker.page.keyboard.press("Enter")
    expect(worker.frame.locator("#topic-title")).to_be_visible()
    worker.page.keyboard.press("1")
    worker.submit()
    (said,) = site.client.judgments("pause", "t")
    assert said.seconds is not None
    assert said.seconds < 1800
