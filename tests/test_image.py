"""The image, as far as it can be tested without Docker: what it installs, and what it runs as."""

import ast
import json
import re
import shlex
import tomllib
from typing import Any

from documented import ROOT

CONTENT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
LINES = re.sub(r"\\\n\s*", " ", re.sub(r"^#.*\n", "", CONTENT, flags=re.MULTILINE)).splitlines()


def instructions(word: str) -> list[str]:
    """Return what follows a word of the Dockerfile, wherever it stands."""
    return [line.removeprefix(f"{word} ") for line in LINES if line.startswith(f"{word} ")]


def environment() -> dict[str, str]:
    """Return the environment that the image sets."""
    pairs = [pair.partition("=") for line in instructions("ENV") for pair in shlex.split(line)]
    return {name: value for name, _, value in pairs}


def health_check() -> str:
    """Return the program by which the image asks whether the service lives."""
    (line,) = instructions("HEALTHCHECK")
    command: list[str] = json.loads(line.partition(" CMD ")[2])
    assert command[:2] == ["python", "-c"]
    return command[2]


def test_the_base_is_an_exact_version() -> None:
    (base,) = instructions("FROM")
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-[a-z]+(@sha256:[0-9a-f]{64})?", base)


def test_everything_that_a_platform_may_need_is_installed() -> None:
    project: Any = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (installed,) = re.findall(r"'\.\[([\w,]+)\]'", "\n".join(instructions("RUN")))
    assert set(installed.split(",")) == project["optional-dependencies"].keys() - {"dev"}


def test_it_does_not_run_as_root() -> None:
    (user,) = instructions("USER")
    assert int(user) > 999
    assert f"--uid {user} " in CONTENT
    assert LINES.index(f"USER {user}") < LINES.index('ENTRYPOINT ["nextpair"]')


def test_what_it_copies_is_sent_to_docker_and_nothing_else() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n")
    assert "*" in ignored
    sent = {line[1:] for line in ignored if line.startswith("!")}
    copied = {source for line in instructions("COPY") for source in line.split()[:-1]}
    assert copied == sent
    assert all((ROOT / source).exists() for source in copied)


def test_its_health_check_is_a_program() -> None:
    ast.parse(health_check())
    assert instructions("ENTRYPOINT") == ['["nextpair"]']
    assert environment()["NEXTPAIR_DATABASE"].startswith("sqlite:////data/")
