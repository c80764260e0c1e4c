"""`nextpair publish`, `activity` and `runner`, as someone types them."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from installations import new_key, serving
from platforms.fake_mturk import MTurk
from platforms.fake_mturk_server import Server
from platforms.fake_mturk_server import serving as serving_mturk

from nextpair.app.cli import main
from nextpair.app.client import Client
from nextpair.app.schemas.topics import DocumentIn, TopicIn

MONEY = ["--questions", "5", "--reward", "50", "--bonus", "10", "--budget", "500"]


@pytest.fixture
def fake() -> Iterator[Server]:
    """A Mechanical Turk of our own."""
    mturk = MTurk()
    mturk.now = time.time()
    with serving_mturk(mturk) as running:
        yield running


@pytest.fixture
def words(fake: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A service with a study on no platform yet; the words that every command has."""
    url = f"sqlite:///{tmp_path / 'nextpair.db'}"
    settings: dict[str, Any] = {"public_url": "https://judge.example.org", "runner_seconds": 0}
    settings |= {f"platforms__mturk__{name}": value for name, value in fake.access().items()}
    for name, value in settings.items():
        monkeypatch.setenv(f"NEXTPAIR_{name.upper()}", str(value))
    key = new_key(url)
    monkeypatch.setenv("NEXTPAIR_KEY", key)
    monkeypatch.setenv("NEXTPAIR_DATABASE", url)
    with serving(url, **settings) as (address, _), Client(address, key) as client:
        client.create_study("answers", selector="merge-tie")
        documents = [DocumentIn(id=f"d{n}", text=f"text {n}") for n in range(6)]
        client.add_topic("answers", TopicIn(id="t", documents=documents))
        yield ["--url", address, "--study", "answers"]


def test_a_study_is_planned_published_followed_and_stopped(
    words: list[str], fake: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    option = ["--option", 'locales=["US"]', "--option", "title=Which is better?"]
    publish = ["publish", "mturk", *words, *MONEY, *option]
    assert main([*publish, "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert '"Title": "Which is better?"' in told
    assert "now: 1 offer(s) with 6 session(s), at most USD 4.32" in told
    assert "a session: USD 0.60, its bonus USD 0.12, fees included" in told
    assert "sesame" not in told
    assert fake.calls == []

    assert main(publish) == 0
    assert "mturk: running" in capsys.readouterr().out
    assert main(["runner", "--once"]) == 0
    (hit,) = fake.mturk.hits.values()
    assert hit.places == 6
    assert main(["activity", *words]) == 0
    told = capsys.readouterr().out
    assert "publish" in told and hit.id in "".join(told.split())
    assert "USD: spent 0.00, reserved 4.32, budget 5.00" in told

    assert main(["publish", "mturk", *words, "--stop"]) == 0
    assert main(["runner", "--once"]) == 0
    assert hit.expires <= fake.mturk.now
    capsys.readouterr()
    assert main(["activity", *words, "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["kind"] for one in lines] == ["start", "publish", "stop", "expire"]
    assert {one["state"] for one in lines} == {"done"}


WRONG = [
    (["publish", "turk"], "there is no platform 'turk'"),
    (["publish", "mturk", "--stop"], "is on invited"),
    (["publish", "link", *MONEY], "hires nobody"),
    (["publish", "mturk", *MONEY, "--option", "colour=red"], "'colour'"),
    (["publish", "mturk", "--budget", "0"], "hiring.budget"),
]


def test_what_cannot_be_published_is_told_in_one_line(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for wrong, told in WRONG:
        assert main([*wrong, *words]) == 2, wrong
        said = capsys.readouterr().err
        assert told in said and said.count("\n") == 1, wrong


def test_why_hiring_has_stopped_is_told_before_it_goes_on(
    words: list[str], fake: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    publish = ["publish", "mturk", *words, *MONEY]
    for command in (publish, ["runner", "--once"], ["runner", "--once"]):
        assert main(command) == 0
    (hit,) = fake.mturk.hits.values()
    hit.expires = fake.mturk.now
    assert main(["runner", "--once"]) == 0
    capsys.readouterr()
    assert main([*publish, "--dry-run"]) == 0
    assert f"so far stopped: offer {hit.id} was ended at the platform" in capsys.readouterr().err
    assert main(["activity", *words]) == 0
    assert "was ended at the platform" in " ".join(capsys.readouterr().out.split())
    assert main(publish) == 0
    told = capsys.readouterr()
    assert "publish again to go on" in told.err and "mturk: running\n" in told.out
