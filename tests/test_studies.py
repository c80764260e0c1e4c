"""The studies of the five papers run as their pages say, and print what stands there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from installations import new_key, serving

STUDIES = Path(__file__).resolve().parent.parent / "docs" / "studies"
PAGES = sorted(path.stem for path in STUDIES.glob("*-*.md"))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    url = f"sqlite:///{tmp_path_factory.mktemp('studies') / 'nextpair.db'}"
    key = new_key(url)
    with serving(url) as (address, _):
        yield address, key


def test_there_is_a_page_for_each_paper() -> None:
    assert [page.split("-")[0] for page in PAGES] == [
        "bashir",
        "hui",
        "mcdonnell",
        "roitero",
        "yang",
    ]


@pytest.mark.parametrize("page", PAGES)
def test_a_study_prints_what_its_page_says(
    service: tuple[str, str],
    page: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    address, key = service
    monkeypatch.setenv("NEXTPAIR_KEY", key)
    text = (STUDIES / f"{page}.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    names: dict[str, object] = {}
    exec(code.replace("http://127.0.0.1:8000", address), names)
    names["client"].close()  # type: ignore[attr-defined]  # every page has one
    printed = "".join(re.findall(r"```text\n(.*?)```", text, re.DOTALL))
    assert capsys.readouterr().out.splitlines() == printed.splitlines()
