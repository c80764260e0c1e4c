"""Names that others write down: in programs, settings, files and addresses.

A name that is missing here or new is a change of the interface. Record it on purpose, with
`python tests/test_public_names.py`, and say so in the changelog.
"""

import argparse
import importlib
import json
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import nextpair.app
import nextpair.selectors
import nextpair.storage
from nextpair.app import cli
from nextpair.app.designs.base import design_names
from nextpair.app.enums import Reason, Scope
from nextpair.app.main import create_app
from nextpair.app.platforms.registry import platform_names
from nextpair.app.settings import ServiceSettings
from nextpair.selectors.base import End, Idle, selector_names
from nextpair.selectors.errors import NextpairError
from nextpair.selectors.ratings import rating_names

FILE = Path(__file__).parent / "data" / "public_names.json"


def error_classes() -> Iterator[type[NextpairError]]:
    """Yield every class of errors of ours."""
    for package in (nextpair.app, nextpair.selectors, nextpair.storage):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".migrations." not in module.name:
                importlib.import_module(module.name)
    todo: list[type[NextpairError]] = [NextpairError]
    while todo:
        kind = todo.pop()
        todo += kind.__subclasses__()
        if kind.__module__.startswith("nextpair."):
            yield kind


def commands() -> Iterator[str]:
    """Yield every command, and every option with its command."""
    todo: list[tuple[str, argparse.ArgumentParser]] = [
        (f"nextpair {word}", parser)
        for word in cli.COMMANDS
        for parser in [_parser_of(cli.parser_for([word]), word)]
    ]
    while todo:
        name, parser = todo.pop()
        yield name
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                todo += [(f"{name} {word}", sub) for word, sub in action.choices.items()]
            elif action.option_strings:
                yield from (f"{name} {option}" for option in action.option_strings)
            else:
                yield f"{name} {action.metavar or action.dest}"


def _parser_of(parser: argparse.ArgumentParser, word: str) -> argparse.ArgumentParser:
    (of_commands,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    found: argparse.ArgumentParser = of_commands.choices[word]
    return found


def routes(url: str) -> Iterator[str]:
    """Yield every endpoint that the description of the API has."""
    app = create_app(ServiceSettings(database=url))
    for path, methods in app.openapi()["paths"].items():
        yield from (f"{method.upper()} {path}" for method in methods)
    app.state.service.close()


def public_names(url: str) -> dict[str, list[str]]:
    """List all public names by kind."""
    names: dict[str, Iterable[str]] = {
        "selectors": selector_names(),
        "designs": design_names(),
        "platforms": platform_names(),
        "ratings": rating_names(),
        "scopes": [one.value for one in Scope],
        "reasons": {*(one.value for one in Reason), *(one.value for one in Idle)},
        "ends": [one.value for one in End],
        "settings": [f"NEXTPAIR_{name.upper()}" for name in ServiceSettings.model_fields],
        "problems": [f"urn:nextpair:{kind.code}" for kind in error_classes()],
        "commands": commands(),
        "routes": routes(url),
    }
    return {kind: sorted(set(some)) for kind, some in names.items()}


def test_public_names_are_what_they_were(sqlite_url: str) -> None:
    recorded = json.loads(FILE.read_text(encoding="utf-8"))
    now = public_names(sqlite_url)
    assert now.keys() == recorded.keys()
    for kind, names in now.items():
        gone, new = set(recorded[kind]) - set(names), set(names) - set(recorded[kind])
        assert not (gone or new), f"{kind}: gone {sorted(gone)}, new {sorted(new)}"


def test_every_error_has_a_code_of_its_own() -> None:
    classes = set(error_classes())
    assert [one.__name__ for one in classes if "code" not in vars(one)] == []
    assert len({one.code for one in classes}) == len(classes)


@pytest.mark.parametrize("kind", ["selectors", "routes", "problems", "commands", "settings"])
def test_there_are_names_of_every_kind(kind: str) -> None:
    assert len(json.loads(FILE.read_text(encoding="utf-8"))[kind]) > 5


def main(url: str) -> None:
    """Record the names as they are."""
    FILE.write_text(json.dumps(public_names(url), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
