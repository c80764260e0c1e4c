"""Platforms are found by their names, and refuse what they do not know."""

import pytest
from pydantic import SecretStr

from nextpair.app.errors import BadArrival, BadNotice, NotOffered
from nextpair.app.platforms.base import Access, Account, Platform
from nextpair.app.platforms.messages import (
    CommandAttempt,
    NoAction,
    Receipt,
    Stage,
    Submission,
    Webhook,
)
from nextpair.app.platforms.registry import (
    find_platform,
    make_platform,
    platform_names,
    read_access,
)
from nextpair.selectors.errors import BadOption

RECEIPT = Receipt("signed", "ABC123", 10)


@pytest.mark.parametrize("name", platform_names())
def test_every_platform_is_one_class_with_a_word_about_itself(name: str) -> None:
    kind = find_platform(name)
    assert issubclass(kind, Platform)
    assert kind.__doc__
    assert issubclass(kind.Access, Access)


def test_a_platform_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(BadOption, match=r"no platform 'turk'; there are .*generic, .*link"):
        find_platform("turk")


def test_an_option_that_is_not_there_is_refused() -> None:
    with pytest.raises(BadOption, match="platform 'link', option 'colour'"):
        make_platform("link", {"colour": "red"})


def test_what_the_installation_says_is_refused_without_repeating_it() -> None:
    given = {"link": {"password": SecretStr("hunter2")}}
    with pytest.raises(BadOption) as caught:
        read_access("link", given)
    assert "password" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_link_names_its_worker_and_ends_with_thanks() -> None:
    link = make_platform("link", {})
    arrival = link.identify({"worker": " ann "}, Access())
    assert (arrival.worker, arrival.session) == ("ann", "ann")
    assert link.finish(arrival, RECEIPT, Access()) == NoAction()
    assert not link.is_preview({})


@pytest.mark.parametrize("query", [{}, {"worker": ""}, {"worker": "a" * 201}, {"worker": "a\nb"}])
def test_a_link_without_a_name_lets_nobody_in(query: dict[str, str]) -> None:
    with pytest.raises(BadArrival):
        make_platform("link", {}).identify(query, Access())


def test_what_a_platform_does_not_do_it_says() -> None:
    link, account = make_platform("link", {}), Account()
    submission, attempt = Submission("s", "w", Stage.SUBMITTED), CommandAttempt("t", 0.0)
    with pytest.raises(NotOffered):
        link.open(Access())
    with pytest.raises(BadNotice):
        link.read_webhook(Webhook({}, b""), Access())
    for call in (
        lambda: account.expire("o", attempt),
        lambda: account.poll(["o"], {}),
        lambda: account.accept(submission, attempt),
        lambda: account.reject(submission, "why", attempt),
        lambda: account.bonus(submission, 5, "thanks", attempt),
        lambda: account.keep_away("w", attempt),
    ):
        with pytest.raises(NotOffered):
            call()
