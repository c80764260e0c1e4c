"""Selectors are found by their public names, and options are read strictly."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from nextpair.selectors.base import find_selector, make_options, selector_names
from nextpair.selectors.errors import (
    BadInput,
    BadOption,
    NegativeCount,
    NextpairError,
    UnknownOption,
    UnknownSelector,
)
from nextpair.selectors.merge_tie import MergeTie, MergeTieOptions
from nextpair.selectors.quick_sort import QuickSort
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.settings import Settings
from nextpair.selectors.state.topic_state import Topic


def test_every_file_holds_one_selector_with_a_public_name() -> None:
    assert selector_names() == [
        "elo-schedule",
        "groups",
        "information-gain",
        "merge-tie",
        "merge-tie-random",
        "placement",
        "quick-sort",
        "uniform",
    ]
    assert find_selector("quick-sort") is QuickSort
    for name in selector_names():
        assert find_selector(name).__doc__


def test_an_unknown_selector_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownSelector, match="'bubble-sort'; there are elo-schedule, groups"):
        find_selector("bubble-sort")


def test_options_are_read_from_text_and_from_values() -> None:
    assert make_options(MergeTie, {"svm_judgments": "7"}) == MergeTieOptions(svm_judgments=7)
    assert make_options(MergeTie, {"pool": 9}) == MergeTieOptions(pool=9)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"svn": 3}, UnknownOption, "has no option 'svn'; it has svm_judgments, pool"),
        ({"pool": "many"}, BadOption, "'pool' must be a whole number, got 'many'"),
        ({"pool": 2.5}, BadOption, "'pool' must be a whole number, got 2.5"),
        ({"pool": True}, BadOption, "'pool' must be a whole number, got true"),
        ({"pool": 0}, BadOption, "at least one"),
        ({"svm_judgments": -1}, NegativeCount, "-1"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(
    options: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make_options(MergeTie, options)


def test_every_kind_of_option_can_come_from_a_command_line() -> None:
    @dataclass(frozen=True, slots=True)
    class Many:
        flag: bool = False
        share: float = 0.5
        ids: tuple[str, ...] = ()

    class Fancy(QuickSort):
        Options = Many

    assert make_options(Fancy, {"flag": "true", "share": "1", "ids": "a,b"}) == Many(
        True, 1.0, ("a", "b")
    )
    assert make_options(Fancy, {"share": 1, "ids": ["a"]}) == Many(share=1.0, ids=("a",))
    with pytest.raises(BadOption, match="'flag' must be true or false, got 'maybe'"):
        make_options(Fancy, {"flag": "maybe"})


def test_an_error_without_words_says_its_docstring() -> None:
    assert str(UnknownSelector()) == "There is no selector of this name."
    assert issubclass(BadInput, NextpairError)


PLUG_IN = '''
from nextpair.selectors.base import Choice, Selector


class First(Selector):
    """Asks whatever is unknown, first documents first."""

    name = "first"

    def absorb(self, finding, merge) -> None:
        """Remember nothing."""

    def choose(self, open_pairs, worker, rng) -> Choice:
        for first in range(len(self.documents)):
            for second in range(first):
                if open_pairs.is_free(first, second):
                    return first, second
        return self.idle_reason()
'''


def test_another_package_adds_a_selector_by_an_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plugged_in.py").write_text(PLUG_IN)
    info = tmp_path / "plugged_in-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged-in\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[nextpair.selectors]\nfirst = plugged_in:First\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "first" in selector_names()
    topic = Topic([Document("a"), Document("b"), Document("c")], Settings("first"))
    assert topic.select("w", [], np.random.default_rng(0)) == (1, 0)


@pytest.mark.parametrize("name", ["base", "errors", "plugins", "topic", "ratings", "os"])
def test_a_module_that_is_no_selector_is_not_one(name: str) -> None:
    with pytest.raises(UnknownSelector):
        find_selector(name)
