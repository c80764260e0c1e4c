"""Errors in plain words: of requests, of files, of settings, and of the command line."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from in_process import AT, InProcess, refusal
from plain import assert_plain
from pydantic import BaseModel, Field, ValidationError

from nextpair.app.cli import main
from nextpair.app.designs.base import design_names, find_design
from nextpair.app.field_types import OptionValue
from nextpair.app.platforms.registry import find_platform, platform_names
from nextpair.app.settings import ServiceSettings
from nextpair.app.validation_messages import PATTERN_MESSAGES, error_message, errors_by_place

ROOT = Path(__file__).resolve().parents[3]


def patterns(schema: object) -> Iterator[str]:
    """Yield every pattern of a JSON schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        for value in schema.values():
            yield from patterns(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from patterns(value)


def test_every_pattern_that_is_asked_for_is_said_in_words(light: InProcess) -> None:
    shapes: list[type[BaseModel]] = [ServiceSettings]
    for name in design_names():
        shapes += [find_design(name), *find_design(name).answer_models()]
    for name in platform_names():
        shapes += [find_platform(name), find_platform(name).Access]
    schemas: list[Any] = [shape.model_json_schema() for shape in shapes]
    found = {one for schema in [*schemas, light.app.openapi()] for one in patterns(schema)}
    assert len(found) > 10
    assert found - PATTERN_MESSAGES.keys() == set()
    written = set(re.findall(r"pattern=r?\"([^\"]+)\"", sources()))
    assert written - PATTERN_MESSAGES.keys() == set()
    for words in PATTERN_MESSAGES.values():
        assert_plain(words)


def sources() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "app").rglob("*.py"))


class Shape(BaseModel):
    """Something with unions in it."""

    options: dict[str, OptionValue] = Field(default_factory=dict)
    inner: list[dict[str, int | None]] = Field(default_factory=list)


def found_in(body: object) -> list[tuple[str, str]]:
    with pytest.raises(ValidationError) as raised:
        Shape.model_validate(body)
    errors = [{**one, "loc": ("body", *one["loc"])} for one in raised.value.errors()]
    return errors_by_place(errors, body, ("body",))


def test_a_place_names_what_was_sent_and_not_the_types_that_were_tried() -> None:
    ((where, what),) = found_in({"options": {"bool": {}}})
    assert where == "body.options.bool"
    assert what == (
        "must be true or false or must be a whole number or must be a number or must be text"
        " or must be a list"
    )
    assert found_in({"inner": [{}, {"a": "x"}]}) == [("body.inner.1.a", "must be a whole number")]


def test_an_error_without_a_type_of_pydantic_says_what_it_says() -> None:
    assert error_message({"loc": ("body",), "msg": "there is no line"}) == "there is no line"


@pytest.mark.parametrize(
    ("method", "path", "body", "said"),
    [
        ("POST", "/v1/studies", {"id": "a/b"}, "body.id: a name must not contain a slash"),
        ("POST", "/v1/studies", {"id": "a", "votes": "3"}, "body.votes: must be a whole number"),
        ("POST", "/v1/studies", {"id": "a", "votes": 0}, "body.votes: must be at least 1"),
        ("POST", "/v1/studies", {"id": "a", "on_conflict": "x"}, "must be older-wins or reopen"),
        ("POST", "/v1/studies", {"id": "a", "currency": "usd"}, "three capital letters"),
        ("POST", "/v1/studies", {"id": "a", "votess": 1}, "body.votess: is not known here"),
        ("POST", "/v1/studies", {"id": "a", "options": {"x": {}}}, "body.options.x: must be"),
        ("POST", "/v1/studies", {"id": "a", "options": {"risk": "x"}}, "must be a number"),
        ("POST", "/v1/studies", [], "body: must be an object"),
        ("POST", "/v1/studies", {"id": "a", "design": "s100", "design_options": {"x": 1}}, ""),
        ("POST", "/v1/studies", {"id": "a", "platform_options": {"code": 7}}, ""),
        ("POST", f"{AT}/topics", {"id": "t"}, "body.documents: is missing"),
        ("POST", f"{AT}/topics", {"id": "t", "documents": [{"id": "a\nb"}]}, "control characters"),
        ("POST", f"{AT}/next", {"worker": ""}, "body.worker: a name must not be empty"),
        ("GET", f"{AT}/export/nothing", None, "path.format: must be qrels, qrels-real, run"),
        ("GET", f"{AT}/topics?limit=x", None, "query.limit: must be a whole number"),
        ("GET", f"{AT}/topics?limit=0", None, "query.limit: must be at least 1"),
        (
            "GET",
            "/v1/studies/a%00b",
            None,
            "path.study: a name must not contain",
        ),
        ("POST", f"{AT}/retractions", {"dry_run": True}, "give either judgments or a worker"),
        ("POST", "/v1/assignments/x/skip", {}, "path.assignment: must be two numbers with a dash"),
    ],
)
def test_problems_are_plain(
    light: InProcess, method: str, path: str, body: object, said: str
) -> None:
    light.make_study()
    answer = light.send(method, path, body)
    problem = answer.json()
    assert 400 <= answer.status_code < 500, problem
    assert said in problem["detail"]
    for text in (problem["detail"], *(one["what"] for one in problem.get("errors", ()))):
        assert_plain(text)


def test_an_upload_names_the_line(light: InProcess) -> None:
    light.make_study()
    lines = b'{"id": "t"}\n{"id": "a", "features": {"x": "y"}}\n'
    answer = light.send("POST", f"{AT}/topics.jsonl", content=lines)
    detail = refusal(answer, 422, "invalid")["detail"]
    assert detail == "line.2.features.x: must be a number"


def test_answers_are_refused_in_plain_words(light: InProcess) -> None:
    light.make_study()
    light.make_topic(2, topic="t")
    (asked,) = light.next("ann")["assignments"]
    for wrong in ({"preference": "best"}, {"preference": 3}, {}, {"other": 1}):
        path = f"/v1/assignments/{asked['id']}/judgment"
        answer = light.send("POST", path, {"worker": "ann", "answer": wrong})
        detail = refusal(answer, 422, "bad-answer")["detail"]
        assert detail.startswith("answer.")
        assert_plain(detail)


def said_by(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that fails; return what it says, without the usage."""
    try:
        assert main(words) == 2
    except SystemExit as ended:
        assert ended.code == 2
    return capsys.readouterr().err.splitlines()[-1]


DRAWN = "simulate --generate topics=1,documents=3"


@pytest.mark.parametrize(
    "line",
    [
        f"{DRAWN} --selector merge-tie --option pool=x",
        f"{DRAWN} --selector merge-tie --option pools=3",
        f"{DRAWN} --selector nothing",
        f"{DRAWN} --on-conflict nothing",
        f"{DRAWN} --jobs x",
        f"{DRAWN} --budget x",
        "simulate --generate topics=x",
        "keys create --scope nothing",
        "keys revoke nothing",
        "export --url http://127.0.0.1:9 --key np_x --study s --format nothing",
        "export --url http://127.0.0.1:9 --key np_x --study s --format qrels --levels x",
        "export --url http://127.0.0.1:9 --key np_x --study s --format run --levels 3",
        "import --url http://127.0.0.1:9 --key np_x --study s --documents bad.jsonl",
        "import --url http://127.0.0.1:9 --key np_x --study s --documents name.jsonl",
        "import --url http://127.0.0.1:9 --key np_x --study s --documents d --selector placement"
        " --option risk=x",
        "serve --port x",
        "serve --port 99999999",
        "serve --processes 0",
        "publish nothing --url http://127.0.0.1:9 --key np_x --study s",
        "nothing",
    ],
)
def test_the_command_line_says_what_is_wrong_in_plain_words(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.jsonl").write_text(json.dumps({"id": "a", "topic": "t", "text": 3}))
    Path("name.jsonl").write_text(json.dumps({"id": "a", "topic": "a b", "text": "x"}))
    assert_plain(said_by(line.split(), capsys))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PROCESSES", "many"),
        ("PUBLIC_URL", "judge.example.org"),
        ("FRAME_ANCESTORS", '["a b"]'),
        ("REMOTE_IMAGES", "perhaps"),
        ("PORT", "-1"),
    ],
)
def test_a_setting_that_cannot_be_is_said_in_plain_words(
    name: str,
    value: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(f"NEXTPAIR_{name}", value)
    said = said_by(["keys", "list"], capsys)
    assert f"NEXTPAIR_{name}" in said
    assert_plain(said)
