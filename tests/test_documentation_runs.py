"""What README tells a reader to write works as it stands there; its commands are run elsewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from installations import new_key, serving

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    url = f"sqlite:///{tmp_path_factory.mktemp('documentation') / 'nextpair.db'}"
    key = new_key(url)
    with serving(url) as (address, _):
        yield address, key


def blocks(name: str, language: str, since: str = "") -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", text[text.index(since) :], re.DOTALL)
    assert found
    return found


def test_the_example_of_the_readme_runs_and_prints_what_it_says(
    service: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url, key = service
    (example,) = blocks("README.md", "python")
    monkeypatch.setenv("NEXTPAIR_KEY", key)
    exec(
        example.replace("http://127.0.0.1:8000", url).replace('"answers"', '"from-the-readme"'), {}
    )
    classes, because = capsys.readouterr().out.splitlines()
    assert classes == "[['a', 'c'], ['d'], ['b']]"
    assert "judgments=[" in because
    assert example.count("\n") <= 20
