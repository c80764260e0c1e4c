"""Every command in README and docs is run as it stands there, or it is said why it is not.

A page's commands run in one shell, from top to bottom, in an empty folder with the files that
readers have, beside a service of their own. What cannot run is in `NOT_RUN`, with its reason; what
takes long is run smaller, as `SMALLER` says. A command that is in neither and does not work fails.
"""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from documented import ROOT, blocks, commands_of, nextpair_calls, shell_pages
from installations import new_key, serving

from nextpair.app.cli import COMMANDS, parser_for
from nextpair.app.local.service_client import KEY
from nextpair.app.settings import ServiceSettings

COMMAND = re.compile(r"^\s*(\$ )?(nextpair|curl|call|make|pip|python3?|export) ", re.MULTILINE)
ADDRESS = "http://127.0.0.1:8000"
SETTING = re.compile(r"export (NEXTPAIR_\w+)=\S*…\S*( +#.*)?")
NOT_RUN = {
    r"(NEXTPAIR_\w+=\S+ )*nextpair (serve|start)\b.*": "serves until it is stopped; one is running",
    r"pip install 'nextpair\[\w+\]'.*": "installs from the network",
    r"make (demo|demo-stop|test).*": "installs into .venv, and tests/app/commands runs the rest",
    SETTING.pattern: "a secret that only the reader has",
    r"export NEXTPAIR_DATABASE=postgresql://\S*@db\.example\.org/\S*": "a server of the reader's",
    r"pg_dump .*": "needs the PostgreSQL server of the reader and its tools",
}
"""Commands that the tests do not run, as patterns of the whole command, and why."""
ELSEWHERE = {("README.md", "Your first study, in eight steps"): "tests/test_first_minutes.py"}
"""Parts of pages whose commands another test runs, and that test."""
SMALLER = {"topics=20,documents=200": "topics=2,documents=20"}
"""What would take minutes, and what is run in its place."""
LANGUAGES = {
    "": "no command, which is looked at here",
    "sh": "run here",
    "python": "run: each page is in PYTHON",
    "json": "read here",
    "text": "what the blocks above it print, compared in tests/test_studies.py",
}
PYTHON = {
    "README.md": "tests/test_documentation_runs.py",
    "docs/library.md": "tests/test_documentation.py",
    **{
        str(path.relative_to(ROOT)): "tests/test_studies.py"
        for path in sorted((ROOT / "docs" / "studies").glob("*-*.md"))
    },
}
"""The pages with Python, and the test that runs all of it."""
PROVIDERS: dict[str, Any] = {
    "public_url": "https://judge.example.org",
    "platforms__prolific__token": "secret",
    "platforms__figure_eight__key": "secret",
    "platforms__label_studio__url": "http://127.0.0.1:9",
    "platforms__label_studio__token": "secret",
    "platforms__mturk__access_key_id": "secret",
    "platforms__mturk__secret_access_key": "secret",
}
WRITTEN = {
    "docs/service.md": ('"dry_run":true,"judgments":1,', "4 topics, 53 documents"),
    "docs/simulate.md": ("at equal quality",),
}
"""What a page's commands print, among other things."""
FILES = {
    "docs/service.md": (
        "everyday.qrels",
        "everyday.html",
        "answers.html",
        "copy.db",
        "report.html",
    ),
    "docs/simulate.md": ("study.png", "study.json"),
}
"""What a page's commands write."""
ANSWERS = """\
call $URL/v1/studies -d '{"id": "answers"}'
call $URL/v1/studies/answers/topics -d '{"id": "coffee",
  "documents": [{"id": "a", "text": "Weigh it."}, {"id": "b", "text": "Buy a cup."}]}'
"""
"""The study `answers` of docs/service.md, for pages that go on with it."""
WEB = """\
python - <<'END'
import os
from nextpair.app.client import Client
from nextpair.app.schemas.topics import DocumentIn, TopicIn

with Client(os.environ["URL"], os.environ["NEXTPAIR_KEY"]) as client:
    client.create_study("web", selector="quick-sort")
    documents = [DocumentIn(id=name, text=name) for name in ("d0", "d1", "d2", "d3")]
    client.add_topic("web", TopicIn(id="1", documents=documents))
    while assignments := client.next("web", "ann").assignments:
        for one in assignments:
            left, right = one.shown
            client.judge(one, "left" if left.id > right.id else "right")
END
"""
"""A study that has been judged."""
STUDIES = {
    r"studies/answers|--study answers": (r'"id": "answers"', ANSWERS),
    r"--study web": (r'"id": "web"', WEB),
}
"""What a command says of a study that must be there; what creates it on a page, or here before."""


def reason(command: str) -> str | None:
    """Say why a command is not run; None if it is."""
    found = (why for pattern, why in NOT_RUN.items() if re.fullmatch(pattern, command, re.DOTALL))
    return next(found, None)


def run_elsewhere() -> set[str]:
    """Return the commands that another test runs."""
    found = [block for block in blocks() if (block.page, block.heading) in ELSEWHERE]
    return {command for block in found for command in block.commands}


def folder_of_a_reader(folder: Path) -> None:
    """Put in a folder what the pages say a reader has."""
    (folder / "app").symlink_to(ROOT / "app")
    documents = [{"id": name, "topic": "tea", "text": f"about {name}"} for name in "abc"]
    text = "".join(f"{json.dumps(one)}\n" for one in documents)
    (folder / "my.jsonl").write_text(text, encoding="utf-8")
    qrels = "".join(f"1 0 d{place} {place % 3}\n" for place in range(12))
    (folder / "my.qrels").write_text(qrels, encoding="utf-8")
    (folder / "my.qrels.gz").write_bytes(gzip.compress(qrels.encode()))
    pairs = [(one, other) for one in "abcd" for other in "abcd" if one < other]
    rows = "".join(f"1,{one},{other},ann,better\n" for one, other in pairs)
    header = "topic,first,second,worker,answer\n"
    grades = "".join(f"1 0 d{place} {place}\n" for place in range(4))
    (folder / "web.qrels").write_text(grades, encoding="utf-8")
    (folder / "runs").mkdir()
    for name, order in (("one", "0123"), ("two", "3210"), ("three", "0213")):
        run = "".join(f"1 Q0 d{of} {at} {9 - at} {name}\n" for at, of in enumerate(order, 1))
        (folder / "runs" / name).write_text(run, encoding="utf-8")
    (folder / "judgments.csv").write_text(header + rows, encoding="utf-8")


def script_of(page: str, url: str) -> str:
    """Write all of a page's commands that are run as one script."""
    script = [one for one in commands_of("docs/service.md") if one.startswith("call()")]
    for command in commands_of(page):
        if reason(command) is not None or command in run_elsewhere():
            continue
        for needs, (creates, create) in STUDIES.items():
            if re.search(needs, command) and not re.search(creates, "\n".join(script)):
                script += [create.replace("$URL", url)]
        for large, small in SMALLER.items():
            command = command.replace(large, small)
        script.append(command)
    return "\n".join(script).replace(ADDRESS, url)


@pytest.mark.parametrize("page", shell_pages())
def test_the_commands_of_a_page_work_as_they_stand_there(page: str, tmp_path: Path) -> None:
    folder_of_a_reader(tmp_path)
    database = f"sqlite:///{tmp_path / 'nextpair.db'}"
    key = new_key(database)
    with serving(database, **PROVIDERS) as (url, _):
        environment = {**os.environ, "URL": url, KEY: key}
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
        ran = subprocess.run(
            ["bash", "-euxo", "pipefail", "-c", script_of(page, url)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    assert ran.returncode == 0, f"{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}"
    for pattern in WRITTEN.get(page, ()):
        assert re.search(pattern, ran.stdout), f"{pattern} is not in {ran.stdout[-2000:]}"
    for name in FILES.get(page, ()):
        assert (tmp_path / name).exists()


def commands() -> list[str]:
    return [command for page in shell_pages() for command in commands_of(page)]


def test_every_call_of_nextpair_is_one_that_it_understands() -> None:
    calls = [words for command in commands() for words in nextpair_calls(command)]
    assert len(calls) > 15
    for words in calls:
        # The value of a variable of the shell may be anything but an option.
        parser_for(words).parse_args(words)


@pytest.mark.parametrize("pattern", NOT_RUN)
def test_what_is_not_run_is_still_there(pattern: str) -> None:
    assert any(re.fullmatch(pattern, command, re.DOTALL) for command in commands())


def test_only_secrets_that_the_service_knows_are_left_to_the_reader() -> None:
    known = {f"NEXTPAIR_{name.upper()}" for name in ServiceSettings.model_fields} | {KEY}
    for command in commands():
        if found := SETTING.fullmatch(command):
            assert found[1].partition("__")[0] in known


@pytest.mark.parametrize("part", ELSEWHERE, ids=" ".join)
def test_the_test_that_runs_a_part_of_a_page_names_it(part: tuple[str, str]) -> None:
    page, heading = part
    assert run_elsewhere()
    text = (ROOT / ELSEWHERE[part]).read_text(encoding="utf-8")
    assert page in text and heading.partition(",")[0] in text


@pytest.mark.parametrize("large", SMALLER)
def test_what_is_run_smaller_is_still_there(large: str) -> None:
    assert any(large in command for command in commands())


def test_every_block_says_what_it_is_and_something_looks_at_it() -> None:
    for block in blocks():
        assert block.language in LANGUAGES, f"{block.page}: what is this? {block.text[:60]!r}"
        if block.language == "python":
            assert block.page in PYTHON, f"{block.page}: nothing runs this: {block.text[:60]!r}"
        if block.language == "json":
            json.loads(block.text)
        if not block.language:
            assert not COMMAND.search(block.text), f"{block.page}: say sh: {block.text[:60]!r}"
        if block.language == "text":
            assert PYTHON.get(block.page) == "tests/test_studies.py"


@pytest.mark.parametrize("page", PYTHON)
def test_the_test_that_runs_a_page_s_python_names_it(page: str) -> None:
    assert (ROOT / page).exists()
    text = (ROOT / PYTHON[page]).read_text(encoding="utf-8")
    assert page in text or "docs/studies" in page


def spans() -> list[tuple[str, str]]:
    """Return the code within lines of all pages."""
    pages = {block.page for block in blocks()} | {"CONTRIBUTING.md"}
    paths = [ROOT / page for page in sorted(pages)] + sorted((ROOT / "docs").rglob("*.md"))
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    return [
        (str(path.relative_to(ROOT)), span)
        for path, text in texts.items()
        for span in re.findall(r"`([^`\n]+)`", text)
    ]


def test_every_benchmark_that_is_named_exists() -> None:
    named = {
        name for _, span in spans() for name in re.findall(r"python -m (benchmarks[.\w]*)", span)
    }
    assert len(named) > 10
    assert [name for name in sorted(named) if find_spec(name) is None] == []


def test_every_target_of_make_that_is_named_exists() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    named = {name for _, span in spans() for name in re.findall(r"^make ([a-z-]+)", span)}
    named |= {word for one in commands() for word in re.findall(r"^make ([a-z-]+)", one)}
    assert named
    assert named <= set(targets)


def test_every_command_and_option_within_a_line_exists(capsys: pytest.CaptureFixture[str]) -> None:
    for page, span in spans():
        if found := re.match(r"nextpair ([a-z]+)((?: .*)?)$", span):
            assert found[1] in COMMANDS, f"{page}: {span}"
            options = set(re.findall(r"(?<=\s)--[a-z][a-z-]*", found[2]))
            assert options <= options_of(found[1], capsys), f"{page}: {span}"


def options_of(command: str, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """Return the options that a command's help tells, and those of its own commands."""
    found: set[str] = set()
    todo = [[command]]
    while todo:
        words = todo.pop()
        with pytest.raises(SystemExit):
            parser_for(words).parse_args([*words, "--help"])
        text = capsys.readouterr().out
        found |= set(re.findall(r"--[a-z][a-z-]*", text))
        inner = re.search(r"^\s+\{([a-z,]+)\}", text, re.MULTILINE)
        todo += [
            [*words, name] for name in (inner[1].split(",") if inner else ()) if len(words) == 1
        ]
    return found


def test_the_tools_that_the_pages_use_are_here() -> None:
    assert shutil.which("bash")
    assert shutil.which("curl")
