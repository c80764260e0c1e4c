"""`nextpair demo` from its start to its stop, as a stranger runs it."""

import json
import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from crowds import PATIENCE, until

from nextpair.app.client import Client
from nextpair.app.demo import background
from nextpair.app.local.address import HOST, Running

COMMAND = Path(sys.executable).parent / "nextpair"
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith("NEXTPAIR_") and name not in ("FORCE_COLOR", "TTY_COMPATIBLE")
}


INTERRUPTIBLE = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Runs a command that can be interrupted, even where pytest was started by `&` and cannot be."""
ATTEMPTS = 5
"""How often a demonstration is begun that is over before anybody looks."""
LEAST_JUDGMENTS = 49
"""Fewer cannot connect the demonstration's 53 documents of 4 topics."""


def demo(cwd: Path, *words: str) -> str:
    ran = subprocess.run(
        [COMMAND, "demo", *words],
        cwd=cwd,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    cwd = tmp_path_factory.mktemp("a place with spaces")
    try:
        yield cwd, demo(cwd)
    finally:
        background.stop(cwd / "nextpair-demo")


def test_a_log_gets_the_story_without_control_characters(shown: tuple[Path, str]) -> None:
    _, text = shown
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)
    assert "How do I make better coffee at home?" in text
    assert "Nobody was asked" in text
    assert re.search(r"\d+% fewer judgments than asking every pair", text)
    told = text.split("\nTry\n")[0].splitlines()
    # An address that is broken into lines is no link any more.
    assert max(len(line) for line in told if not line.startswith("    http://")) <= 80


def test_the_service_is_left_running_with_its_key_in_a_file(shown: tuple[Path, str]) -> None:
    cwd, text = shown
    key = cwd / "nextpair-demo" / "key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    found = re.search(r"(http://127\.0\.0\.1:\d+)/studies\n", text)
    assert found
    assert key.read_text(encoding="utf-8").strip() not in text
    with Client(found[1], key.read_text(encoding="utf-8").strip()) as client:
        progress = client.study_progress("everyday")
        assert progress.finished == 4
        assert f"That took {progress.judgments} judgments" in text.replace("\n  ", " ")
        assert len([*client.workers("everyday")]) == 6
    assert httpx.get(f"{found[1]}/openapi.json").status_code == 401


def test_it_ends_with_something_to_judge_and_a_dashboard_that_is_signed_in(
    shown: tuple[Path, str],
) -> None:
    _, text = shown
    judging = re.search(r"(http://\S+)/judge/your-turn#(\S+)", text)
    assert judging
    with Client(judging[1], judging[2]) as person:
        asked = person._connection.send("POST", "/v1/session/next", json={}).json()
    assert len(asked["assignments"]) == 1
    code = re.search(r"/sign-in#(\S+)", text)
    assert code
    signed_in = httpx.post(f"{judging[1]}/v1/sign-ins/use", json={"code": code[1]}).json()
    with Client(judging[1], signed_in["key"]) as owner:
        assert {one.id for one in owner.studies()} == {"everyday", "your-turn"}
    again = httpx.post(f"{judging[1]}/v1/sign-ins/use", json={"code": code[1]})
    assert again.status_code == 401


def test_a_demonstration_takes_another_port_where_its_own_is_in_use(tmp_path: Path) -> None:
    with socket.socket() as taken:
        with suppress(OSError):
            taken.bind((HOST, background.PORT))
            taken.listen()
        try:
            running, _ = background.start(tmp_path)
            assert running.port != background.PORT
        finally:
            background.stop(tmp_path)


def test_the_lines_to_try_work_as_they_are_printed(shown: tuple[Path, str]) -> None:
    cwd, text = shown
    lines = [line.strip() for line in text.split("\nTry\n")[1].splitlines() if line.strip()]
    assert len(lines) == 5
    for line in lines[1:]:
        script = f"{lines[0]}\n{line} --silent --fail-with-body"
        ran = subprocess.run(["sh", "-c", script], cwd=cwd, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout
        if "qrels" in line:
            assert len(ran.stdout.splitlines()) == 53
        else:
            assert json.loads(ran.stdout)


def test_running_it_again_starts_afresh_and_stop_stops(shown: tuple[Path, str]) -> None:
    cwd, _ = shown
    before = background.find(cwd / "nextpair-demo")
    assert before
    demo(cwd)
    after = background.find(cwd / "nextpair-demo")
    assert after
    assert before.pid != after.pid
    assert demo(cwd, "--stop") == f"stopped {after.url}\n"
    assert demo(cwd, "--stop") == "nothing was running\n"
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{after.url}/healthz")


@contextmanager
def held(database: Path) -> Iterator[int | None]:
    """Let nobody write to a database; tell how much is judged, or None before there is a study."""
    if not database.exists():
        yield None
        return
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
            (topics,) = connection.execute("SELECT count(*) FROM topics").fetchone()
            (judgments,) = connection.execute("SELECT count(*) FROM judgments").fetchone()
        except sqlite3.OperationalError:
            # Its tables are not there yet, or someone else is writing.
            yield None
            return
        yield judgments if topics else None


def interrupted(folder: Path) -> tuple[int, str, Running] | None:
    """Interrupt a demonstration half way; None if it was nearly over before that was noticed.

    While it is interrupted nobody can write to its database: it cannot come to its end.
    """
    found: list[Running | None] = []
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, COMMAND, "demo"],
        cwd=folder.parent,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:

        def is_interrupted() -> bool:
            with held(folder / "nextpair.db") as judged:
                if judged is not None and judged < LEAST_JUDGMENTS:
                    found.append(background.find(folder))
                if judged is not None:
                    process.send_signal(signal.SIGINT)
                    return True
            assert process.poll() is None
            return False

        until(is_interrupted, "the demonstration is half way")
        _, told = process.communicate(timeout=PATIENCE)
    running = found[0] if found else None
    return (process.returncode, told, running) if running else None


def test_an_interruption_half_way_leaves_nothing_running(tmp_path: Path) -> None:
    folder = tmp_path / "nextpair-demo"
    ended = next(filter(None, (interrupted(folder) for _ in range(ATTEMPTS))), None)
    assert ended is not None
    code, told, running = ended
    assert (code, told) == (130, "")
    assert background.find(folder) is None
    assert not Path(f"/proc/{running.pid}/cmdline").exists()


def test_another_process_with_the_old_number_is_left_alone(tmp_path: Path) -> None:
    note = json.dumps({"pid": os.getpid(), "port": 8000})
    (tmp_path / "service.json").write_text(note, encoding="utf-8")
    assert background.stop(tmp_path) is None
    assert not (tmp_path / "service.json").exists()


def test_what_others_keep_in_the_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    try:
        running, key = background.start(tmp_path)
        with Client(running.url, key) as client:
            assert [*client.studies()] == []
    finally:
        assert background.stop(tmp_path) is not None
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"
