"""Plug-ins are found by the names they give themselves; a mistake is told with its file."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from uuid import uuid4

import pytest

from nextpair.selectors.errors import NextpairError
from nextpair.selectors.plugins import Plugins

HEAD = "from nextpair.selectors.ratings.base import Rating\n"
GOOD = HEAD + "class Good(Rating):\n    name = 'good-one'\n"
NAMELESS = HEAD + "class Bad(Rating):\n    pass\n"
OTHER = HEAD + "class Other(Rating):\n    name = 'other'\nclass Heir(Other):\n    pass\n"
Write = Callable[..., Plugins[object]]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a package of plug-ins, one file for each word, and another package's entry points."""
    package = f"plugged_{uuid4().hex}"
    monkeypatch.syspath_prepend(tmp_path)

    def written(entries: str = "", **files: str) -> Plugins[object]:
        (tmp_path / package).mkdir()
        for name, text in files.items():
            (tmp_path / package / f"{name}.py").write_text(text)
        (tmp_path / f"{package}_outside.py").write_text(OTHER)
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        points = entries.replace("outside", f"{package}_outside")
        (info / "entry_points.txt").write_text(f"[{package}]\n{points}\n")
        base = import_module("nextpair.selectors.ratings.base").Rating
        return Plugins(base, package, package, ("shared",))

    return written


def test_a_class_is_found_by_the_name_it_gives_itself(write: Write) -> None:
    plugins = write(another_file=GOOD, shared="1 / 0  # It is not imported.")
    assert plugins.names() == ["good-one"]
    found = plugins.find("good-one")
    assert found is not None and found.__name__ == "Good"
    assert plugins.find("another-file") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must define one subclass of Rating; it defines none"),
        (HEAD, "must define one subclass of Rating; it defines none"),
        (GOOD + GOOD.replace("Good", "Other"), "it defines Good and Other"),
        (NAMELESS, "class Bad needs a public name"),
        (NAMELESS.replace("pass", "name = 3"), "class Bad needs a public name"),
        (GOOD, r"the name 'good-one' is taken by .*first\.py"),
    ],
)
def test_a_file_that_is_there_by_mistake_is_named(write: Write, text: str, message: str) -> None:
    plugins = write(first=GOOD, mistaken=text)
    for use in (plugins.names, plugins.load, lambda: plugins.find("good-one")):
        with pytest.raises(NextpairError, match=rf"mistaken\.py.*{message}"):
            use()


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("else = outside:Other", "listed as 'else', but its name is 'other'"),
        ("else = outside:Heir", "class Heir needs a public name"),
        ("else = outside:__name__", "must be a subclass of Rating"),
    ],
)
def test_an_entry_point_must_lead_to_a_class_of_its_name(
    write: Write, entry: str, message: str
) -> None:
    plugins = write(f"{entry}\nother = outside:Other", first=GOOD)
    assert plugins.names() == ["else", "good-one", "other"]
    found = plugins.find("other")
    assert found is not None and found.__name__ == "Other"
    with pytest.raises(NextpairError, match=f"entry point .*_outside:.*{message}"):
        plugins.find("else")


def test_an_entry_point_cannot_take_a_name(write: Write) -> None:
    plugins = write("good-one = outside:Other", first=GOOD)
    with pytest.raises(NextpairError, match=r"entry point .*_outside:Other: 'good-one' is taken"):
        plugins.names()
