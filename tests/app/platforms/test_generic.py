"""Any other platform, by settings alone."""

import pytest

from nextpair.app.errors import BadArrival
from nextpair.app.platforms.base import Access
from nextpair.app.platforms.messages import (
    CompletionAction,
    CompletionCode,
    FormPost,
    NoAction,
    Receipt,
    Redirect,
)
from nextpair.app.platforms.registry import make_platform
from nextpair.selectors.errors import BadOption

RECEIPT = Receipt("sig.ned", "ABC123", 10)
QUERY = {"pid": "p1", "sid": "s1", "back": "https://work.example.org/"}
NAMES = {"worker": "pid", "session": "sid"}


def _finish(query: dict[str, str], **options: object) -> CompletionAction:
    platform = make_platform("generic", {**NAMES, **options})
    return platform.finish(platform.identify(query, Access()), RECEIPT, Access())


def test_each_worker_has_a_code_of_their_own_unless_all_have_one() -> None:
    assert _finish(QUERY) == CompletionCode("ABC123")
    assert _finish(QUERY, code="C0DE") == CompletionCode("C0DE")


def test_a_redirect_is_filled_in_so_that_nothing_in_it_can_lead_elsewhere() -> None:
    url = "https://work.example.org/done?cc={code}&who={worker}&s={session}"
    query = {**QUERY, "pid": "p=1|2+3"}
    expected = "https://work.example.org/done?cc=ABC123&who=p%3D1%7C2%2B3&s=s1"
    assert _finish(query, ending="redirect", url=url) == Redirect(expected)


def test_a_form_goes_back_to_the_site_they_came_from_if_it_is_a_known_one() -> None:
    options = {
        "ending": "form",
        "back": "back",
        "path": "/submit",
        "fields": ["id={session}", "receipt={receipt}"],
        "sites": ["https://work.example.org"],
    }
    form = FormPost("https://work.example.org/submit", {"id": "s1", "receipt": "sig.ned"})
    assert _finish(QUERY, **options) == form
    platform = make_platform("generic", {**NAMES, **options})
    assert list(platform.form_targets(Access())) == ["https://work.example.org"]
    for elsewhere in (
        "https://evil.example.org",
        "http://work.example.org",
        "https://work.example.org@evil.example.org",
        "javascript:alert(1)",
        "",
    ):
        with pytest.raises(BadArrival):
            platform.identify({**QUERY, "back": elsewhere}, Access())


def test_only_a_form_may_be_posted() -> None:
    platform = make_platform("generic", {"ending": "redirect", "url": "https://a.example.org/x"})
    assert not platform.form_targets(Access())
    platform = make_platform("generic", {"ending": "form", "url": "https://a.example.org/x"})
    assert list(platform.form_targets(Access())) == ["https://a.example.org"]


def test_a_preview_is_known_by_its_parameter() -> None:
    platform = make_platform("generic", {"preview": "assignment=NONE"})
    assert platform.is_preview({"assignment": "NONE"})
    assert not platform.is_preview({"assignment": "A1"})
    assert not make_platform("generic", {}).is_preview({"": ""})


def test_an_ending_can_be_nothing() -> None:
    assert _finish(QUERY, ending="nothing") == NoAction()


@pytest.mark.parametrize(
    "options",
    [
        {"ending": "redirect"},
        {"ending": "form", "back": "b"},
        {"ending": "form", "url": "https://a", "back": "b", "sites": ["https://a"]},
        {"ending": "redirect", "url": "javascript:alert(1)"},
        {"fields": ["novalue"]},
        {"frames": ["https://a;script-src *"]},
    ],
)
def test_options_that_lead_nowhere_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(BadOption):
        make_platform("generic", options)
