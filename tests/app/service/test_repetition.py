"""Calls that arrive twice, the second time late: a network may do that to any of them."""

from collections.abc import Iterator

import pytest
from crowds import Place, pool
from installations import new_key, serving

from nextpair.app.client import Client, Refused
from nextpair.app.enums import Scope


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A study with a topic."""
    url = f"sqlite:///{tmp_path_factory.mktemp('repetition') / 'nextpair.db'}"
    key = new_key(url)
    with serving(url) as (address, _):
        with Client(address, key) as client:
            client.create_study("study")
            client.add_topic("study", pool("topic", 8))
        yield Place(address, key, "study", "topic")


def _counting(client: Client, assignment: str) -> list[int]:
    log = client.judgments("study", "topic")
    return [one.attempt for one in log if one.assignment == assignment and not one.retracted]


def test_an_undo_that_arrives_again_later_takes_nothing_more_back(place: Place) -> None:
    with Client(place.address, place.key) as client:
        (first,) = client.next("study", "ann").assignments
        client.judge(first, "left")
        second = client.undo(first)
        client.judge(second, "right")

        again = client.undo(first)

        assert (again.id, again.attempt) == (second.id, second.attempt)
        assert _counting(client, first.id) == [2]


def test_an_answer_that_arrives_again_after_it_was_undone_changes_nothing(place: Place) -> None:
    with Client(place.address, place.key) as client:
        (first,) = client.next("study", "ann").assignments
        told = client.judge(first, "left")
        client.undo(first)

        again = client.judge(first, "left")

        assert again.number == told.number
        assert _counting(client, first.id) == []


def test_a_client_can_read_what_it_has_set_up_and_manage_keys(place: Place) -> None:
    with Client(place.address, place.key) as client:
        assert client.topic("study", "topic").documents == 8
        names = [one.id for one in client.documents("study", "topic")]
        assert names == [one.id for one in pool("topic", 8).documents]
        assert list(client.conflicts("study", "topic")) == []
        made = client.create_key(Scope.READ, "for a look")
        assert made.key is not None
        with Client(place.address, made.key, retries=0) as reader:
            assert reader.study("study").id == "study"
            with pytest.raises(Refused):
                list(reader.keys())
        client.revoke_key(made.id)
        (found,) = (one for one in client.keys() if one.id == made.id)
        assert found.revoked_at is not None and found.label == "for a look"
