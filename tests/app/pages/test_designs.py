"""Every design's page can be answered, and says what is wrong with an answer."""

from browsers import Site, Worker
from playwright.sync_api import expect

from nextpair.app.designs.base import design_names

NO_TEXT = "no text in the document supports this"


def answer_preference(worker: Worker) -> None:
    worker.page.keyboard.press("ArrowLeft")


def answer_three(worker: Worker) -> None:
    worker.page.keyboard.press("1")
    worker.frame.get_by_text("Only the left one").click()
    worker.frame.get_by_label("How relevant is the left one?").fill("2.5")
    worker.frame.get_by_label("And the right one?").fill("0")


def answer_slider(worker: Worker) -> None:
    worker.frame.get_by_label("How good is it?").focus()
    worker.page.keyboard.press("ArrowRight")


def answer_magnitude(worker: Worker) -> None:
    worker.frame.get_by_label("How good is it?").fill("12.5")


def answer_grade(worker: Worker) -> None:
    worker.page.keyboard.press("3")


def answer_rationale(worker: Worker) -> None:
    worker.page.keyboard.press("3")
    select_text(worker, "It says something.")
    worker.frame.get_by_role("button", name="Use as reason").click()
    expect(worker.frame.locator("textarea")).to_have_value("It says something.")
    # Enter would begin a new line here.
    worker.frame.locator("#answer").focus()


def select_text(worker: Worker, words: str) -> None:
    found = worker.frame.evaluate(
        """words => {
            const walker = document.createTreeWalker(
                document.querySelector('.body'), NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                const at = walker.currentNode.data.indexOf(words);
                if (at < 0) continue;
                getSelection().setBaseAndExtent(
                    walker.currentNode, at, walker.currentNode, at + words.length);
                return true;
            }
            return false;
        }""",
        words,
    )
    assert found


ANSWERS = {
    "preference": answer_preference,
    "three-questions": answer_three,
    "s100": answer_slider,
    "magnitude": answer_magnitude,
    "graded": answer_grade,
    "rationale": answer_rationale,
    "review": answer_rationale,
}
SAID = {
    "preference": {"preference": "left"},
    "three-questions": {
        "preference": "left",
        "relevant": "left",
        "left_score": 2.5,
        "right_score": 0,
    },
    "s100": {"score": 51, "moved": True},
    "magnitude": {"magnitude": 12.5},
    "graded": {"grade": "Probably relevant"},
    "rationale": {
        "grade": "Probably relevant",
        "preference": None,
        "excerpt": "It says something.",
    },
    "review": {"grade": "Probably relevant", "excerpt": "It says something."},
}


def test_every_design_has_a_page_that_can_be_answered(site: Site) -> None:
    assert sorted(ANSWERS) == design_names()
    for design, answer in ANSWERS.items():
        site.make_study(f"design-{design}", 2, design=design)
        worker = site.seat(f"design-{design}", "ann")
        assert worker.waits()
        answer(worker)
        worker.submit()
        said = next(site.client.judgments(f"design-{design}", "t"))
        assert said.answer == SAID[design], design
        site.close()


def test_a_slider_that_was_not_moved_says_so(site: Site) -> None:
    site.make_study("unmoved", 1, design="s100")
    worker = site.seat("unmoved", "ann")
    assert worker.waits()
    worker.submit()
    (said,) = site.client.judgments("unmoved", "t")
    assert said.answer == {"score": 50, "moved": False}


def test_an_answer_that_contradicts_itself_is_refused_with_the_reason(site: Site) -> None:
    site.make_study("contradiction", 2, design="three-questions")
    worker = site.seat("contradiction", "ann")
    assert worker.waits()
    answer_three(worker)
    worker.frame.get_by_label("And the right one?").fill("9")
    worker.page.keyboard.press("Enter")
    expect(worker.frame.locator("#wrong")).to_contain_text("say otherwise")
    worker.frame.get_by_label("And the right one?").fill("0")
    worker.submit()
    assert len(list(site.client.judgments("contradiction", "t"))) == 1


def test_a_rationale_that_the_document_does_not_have_is_refused(site: Site) -> None:
    site.make_study("invented", 1, design="rationale")
    worker = site.seat("invented", "ann")
    assert worker.waits()
    worker.page.keyboard.press("1")
    worker.frame.locator("textarea").fill("Nothing like this is written there at all.")
    worker.page.keyboard.press("Control+Enter")
    expect(worker.frame.locator("#wrong")).to_contain_text("the document does not say that")
    worker.frame.locator(".excerpt button").click()
    worker.page.keyboard.press("Control+Enter")
    worker.counted()


def test_a_reviewer_sees_the_first_answer_and_says_why(site: Site) -> None:
    site.make_study("second", 1, design="review")
    ann = site.seat("second", "ann")
    assert ann.waits()
    answer_rationale(ann)
    ann.submit()
    ben = site.seat("second", "ben")
    assert ben.waits()
    expect(ben.frame.locator("#reviewed")).to_contain_text("Probably relevant")
    expect(ben.frame.locator("#reviewed")).to_contain_text("It says something.")
    ben.page.keyboard.press("4")
    ben.frame.get_by_label("Why?").fill("It does.")
    ben.page.keyboard.press("Control+Enter")
    ben.counted()
    first, second = site.client.judgments("second", "t")
    assert (second.reviews, second.answer) == (
        first.number,
        {"grade": "Definitely relevant", "why": "It does."},
    )
