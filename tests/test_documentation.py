"""What exists is documented, and what is documented exists."""

import re
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path

import pytest

from nextpair.app.cli import _parser
from nextpair.selectors.base import find_selector, selector_names
from nextpair.selectors.ratings import rating_names

ROOT = Path(__file__).resolve().parent.parent


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", selector_names())
def test_every_selector_has_a_section_and_its_options_a_row(name: str) -> None:
    text = page("docs/selectors.md")
    assert f"\n## {name}\n" in text
    for option in fields(find_selector(name).Options):
        assert f"`{option.name}`" in text


def test_every_rating_is_described() -> None:
    text = page("docs/selectors.md")
    assert all(f"`{name}`" in text for name in rating_names())


def test_every_word_of_simulate_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        _parser().parse_args(["simulate", "--help"])
    words = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out)) - {"--help"}
    assert words
    described = set(re.findall(r"--[a-z][a-z-]*", page("docs/simulate.md")))
    assert words <= described
    assert described <= words


def test_the_changelog_opens_with_this_version() -> None:
    newest = re.search(r"^## (\S+)", page("CHANGELOG.md"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == version("nextpair")


def test_the_example_of_the_readme_runs_and_prints_what_it_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    example = re.search(r"```python\n(.*?)```", page("README.md"), re.DOTALL)
    assert example is not None
    exec(example[1], {})
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "[('a', 'c'), ('d',), ('b',)]"
    assert "Outcome.BETTER" in printed[1]
