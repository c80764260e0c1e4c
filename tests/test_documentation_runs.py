"""What the pages tell a reader to type works as it stands there."""

import os
import re
import subprocess
import sys
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


def test_the_loop_with_curl_and_all_that_follows_work(
    service: tuple[str, str], tmp_path: Path
) -> None:
    # On a new database, as on a reader's: the first topic's questions are 1-1, 1-2, ...
    (tmp_path / "app").symlink_to(ROOT / "app")
    (tmp_path / "nextpair.db").touch()
    shell = [
        line
        for block in blocks("docs/service.md", "sh", "## The loop")
        for line in block.splitlines()
        if not line.startswith("pg_dump")
    ]
    url, key = service
    folder = Path(sys.executable).parent
    environment = {**os.environ, "URL": url, "NEXTPAIR_KEY": key}
    environment["PATH"] = f"{folder}{os.pathsep}{environment['PATH']}"
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(shell)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, f"{ran.stdout[-2000:]}\n{ran.stderr}"
    assert '"dry_run":true,"judgments":1,' in ran.stdout
    assert "4 topics, 53 documents" in ran.stdout
    assert len((tmp_path / "everyday.qrels").read_text(encoding="utf-8").splitlines()) == 53
    assert (tmp_path / "copy.db").exists()


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
