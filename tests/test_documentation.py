"""What exists is documented, and what is documented exists."""

import argparse
import re
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from nextpair.app.cli import parser_for
from nextpair.app.designs.base import design_names, find_design
from nextpair.app.errors import STATUS, problem_of
from nextpair.app.main import ROUTERS
from nextpair.app.platforms.registry import find_platform, platform_names
from nextpair.app.settings import ServiceSettings, has_password
from nextpair.app.studies.pay_rules import HiringRules
from nextpair.app.studies.quality_rules import QualityRules
from nextpair.selectors.base import find_selector, selector_names
from nextpair.selectors.errors import NextpairError
from nextpair.selectors.ratings import rating_names

ROOT = Path(__file__).resolve().parent.parent


def _parse(words: list[str]) -> argparse.Namespace:
    return parser_for(words).parse_args(words)


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
        _parse(["simulate", "--help"])
    words = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out)) - {"--help"}
    assert words
    described = set(re.findall(r"--[a-z][a-z-]*", page("docs/simulate.md")))
    assert words <= described
    assert described <= words


@pytest.mark.parametrize("word", ["import", "export", "report"])
def test_every_word_of_the_files_commands_is_described(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        _parse([word, "--help"])
    words = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out)) - {"--help"}
    assert words
    assert words <= set(re.findall(r"--[a-z][a-z-]*", page("docs/service.md")))


def test_every_setting_is_in_the_table_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `NEXTPAIR_(\w+)` \| `(.*?)` \|", page("docs/service.md"), re.M))
    assert rows.keys() == {name.upper() for name in ServiceSettings.model_fields}
    for name, field in ServiceSettings.model_fields.items():
        default = field.default
        told = default.get_secret_value() if name == "database" else default
        assert rows[name.upper()] == ("[]" if told == () else str(told))


def test_every_address_is_described() -> None:
    text = page("docs/service.md")
    for router in ROUTERS:
        for route in router.routes:
            for method in route.methods:  # type: ignore[attr-defined]
                assert f"`{method} {route.path}`" in text  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", STATUS, ids=lambda kind: kind.__name__)
def test_every_problem_is_in_the_table_beside_its_status(kind: type[NextpairError]) -> None:
    found = problem_of(kind())
    name = found.type.removeprefix("urn:nextpair:")
    rows = [line for line in page("docs/service.md").splitlines() if f"`{name}`" in line]
    assert any(row.startswith(f"| {found.status} |") for row in rows)


def test_every_design_and_every_check_is_described() -> None:
    text = page("docs/designs.md")
    for name in design_names():
        assert f"| `{name}` |" in text
        for option in find_design(name).model_fields:
            assert f"`{option}`" in text
        for rating in find_design(name).aggregations:
            assert f"`{rating}`" in text
    for name in QualityRules.model_fields:
        assert re.search(rf"^\| .*`{name}`", text, re.M), name


def test_every_platform_and_its_options_are_described() -> None:
    text = page("docs/platforms.md")
    for name in platform_names():
        assert f"| `{name}` |" in text
        section = text.split(f"\n### {name}\n")[-1]
        for option in find_platform(name).model_fields:
            assert f"`{option}`" in section, option
        for field in find_platform(name).Access.model_fields:
            assert f"`{field.upper()}`" in text, field
    for name in HiringRules.model_fields:
        assert re.search(rf"^\| .*`{name}`", text, re.M), name


@pytest.mark.parametrize("word", ["publish", "activity", "runner"])
def test_every_word_of_the_hiring_commands_is_described(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        _parse([word, "--help"])
    words = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out)) - {"--help"}
    known = {"--url", "--key", "--study", "--database"}
    assert words - known <= set(re.findall(r"--[a-z][a-z-]*", page("docs/platforms.md")))


def test_the_compose_file_has_no_password_and_says_so() -> None:
    compose = yaml.safe_load(page("compose.yaml"))
    services, (secret,) = compose["services"], compose["secrets"]
    given = {name: services[name]["environment"] for name in ("service", "database")}
    path = f"/run/secrets/{secret}"
    assert given["service"]["NEXTPAIR_DATABASE_PASSWORD_FILE"] == path
    assert given["database"]["POSTGRES_PASSWORD_FILE"] == path
    assert all(services[name]["secrets"] == [secret] for name in given)
    assert not has_password(given["service"]["NEXTPAIR_DATABASE"])
    assert "PASSWORD" not in str({*given["database"]} - {"POSTGRES_PASSWORD_FILE"})
    file = re.fullmatch(r"\$\{(\w+):-\./(.+)\}", compose["secrets"][secret]["file"])
    assert file and f"`{file[1]}`" in page("docs/service.md")
    assert f"`{file[2]}`" in page("docs/service.md")
    confined = services["service"]
    assert confined["read_only"] is True and confined["cap_drop"] == ["ALL"]
    assert confined["tmpfs"][0].startswith("/tmp:")
    assert services["service"]["depends_on"]["database"]["condition"] == "service_healthy"
    assert "healthcheck" in services["database"]
    # What compose runs is what the command line understands.
    assert _parse(services["service"]["command"]).processes == 2


def test_the_changelog_opens_with_this_version() -> None:
    newest = re.search(r"^## (\S+)", page("CHANGELOG.md"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == version("nextpair")


def test_the_examples_of_the_library_run_and_print_what_they_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    printed: list[str] = []
    for example in re.findall(r"```python\n(.*?)```", page("docs/library.md"), re.DOTALL):
        exec(example, {})
        printed += capsys.readouterr().out.splitlines()
    assert printed[0] == "[('a', 'c'), ('d',), ('b',)]"
    assert "Outcome.BETTER" in printed[1]
    assert any("Against quick-sort" in line for line in printed)
    assert printed[-2:] == ["['merge-tie', 'placement', 'quick-sort']", "unknown-selector"]


def test_examples_use_the_front_door() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    inside = re.compile(r"^\s*(from|import) nextpair\.", re.MULTILINE)
    assert [one.name for one in pages if inside.search(one.read_text(encoding="utf-8"))] == []
