"""`nextpair start` as it is used: found by other commands, stopped, started twice, killed."""

import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from nextpair.app.client import Client, Refused
from nextpair.app.local.service_folder import ServiceFolder

COMMAND = Path(sys.executable).parent / "nextpair"
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith("NEXTPAIR_") and name not in ("DISPLAY", "WAYLAND_DISPLAY")
}
DOCUMENTS = '{"id": "a", "topic": "t", "text": "A"}\n{"id": "b", "topic": "t", "text": "B"}\n'
SECONDS = 60


@contextmanager
def started(
    folder: Path, *words: str, **settings: str
) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Start a service; yield its process, and what it said until it served."""
    folder.mkdir(exist_ok=True)
    with subprocess.Popen(
        [COMMAND, "start", *words],
        cwd=folder,
        env={**ENVIRONMENT, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            said = []
            for line in process.stdout:
                said.append(line)
                if "Ctrl-C" in line:
                    break
            yield process, "".join(said)
        finally:
            process.kill()


def run(folder: Path, *words: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [COMMAND, *words],
        cwd=folder,
        env={**ENVIRONMENT, **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )


def url_in(said: str) -> str:
    found = re.search(r"http://127\.0\.0\.1:\d+", said)
    assert found, said
    return found[0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_this_machine_alone_until_it_is_stopped(tmp_path: Path, number: int) -> None:
    with started(tmp_path, "--port", "0") as (process, said):
        url = url_in(said)
        folder = ServiceFolder(tmp_path)
        running = folder.find()
        assert running and (running.url, running.pid) == (url, process.pid)
        own = tmp_path / ".nextpair"
        assert stat.S_IMODE(own.stat().st_mode) == 0o700
        assert stat.S_IMODE((own / "key").stat().st_mode) == 0o600
        key = folder.key()
        assert key and key not in said
        listening = Path("/proc/net/tcp").read_text(encoding="ascii").split()
        assert f"0100007F:{running.port:04X}" in listening
        assert f"00000000:{running.port:04X}" not in listening
        process.send_signal(number)
        assert process.stdout is not None
        assert "nextpair start goes on" in process.stdout.read()
        assert process.wait(SECONDS) == 0
    assert folder.find() is None
    assert not (own / "service.json").exists()
    assert (own / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_dashboard_that_is_open_does_not_hold_it_up(tmp_path: Path) -> None:
    with started(tmp_path, "--port", "0") as (process, said):
        key = ServiceFolder(tmp_path).key()
        assert key
        with Client(url_in(said), key) as client:
            client.create_study("s")
        headers = {"Authorization": f"Bearer {key}"}
        watched = f"{url_in(said)}/v1/studies/s/events"
        with httpx.stream("GET", watched, headers=headers, timeout=SECONDS) as stream:
            assert stream.status_code == 200
            process.send_signal(signal.SIGINT)
            last_words = b"".join(stream.iter_bytes())
            assert last_words == b": the service stops\n\n", "it ended, and was not cut off"
        assert process.stdout is not None
        told = process.stdout.read()
        assert "Traceback" not in told and "ERROR" not in told
        assert process.wait(SECONDS) == 0


def test_other_commands_in_the_folder_find_it_and_say_so(tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text(DOCUMENTS, encoding="utf-8")
    with started(tmp_path, "--port", "0") as (_, said):
        done = run(tmp_path, "import", "--study", "mine", "--documents", "d.jsonl")
        assert done.returncode == 0, done.stderr
        assert f"using the service of this folder, {url_in(said)}" in done.stderr
        assert f"{url_in(said)}/studies/mine" in done.stdout
        exported = run(tmp_path, "export", "--study", "mine", "--format", "csv")
        assert exported.stdout.startswith("topic,number,worker")
        assert run(tmp_path, "report", "--study", "mine").returncode == 0
        assert run(tmp_path, "activity", "--study", "mine").returncode == 0
        given = run(
            tmp_path, "export", "--study", "mine", "--format", "csv", NEXTPAIR_KEY="np_00000000_x"
        )
        assert given.returncode == 2
        assert "the key of --key or NEXTPAIR_KEY" in given.stderr
        # The folder's key goes nowhere but to the folder's service.
        other = run(tmp_path, "export", "--url", url_in(said), "--study", "mine", "--format", "csv")
        assert other.returncode == 2 and "needs a key" in other.stderr


def test_a_second_start_signs_in_at_the_first(tmp_path: Path) -> None:
    with started(tmp_path, "--port", "0") as (process, said):
        again = run(tmp_path, "start")
        assert again.returncode == 0, again.stderr
        assert (
            f"runs in this folder already: {url_in(said)} (process {process.pid})" in again.stdout
        )
        assert f"{url_in(said)}/sign-in#" in again.stdout
        elsewhere = run(tmp_path, "start", "--port", "1")
        assert elsewhere.returncode == 2
        assert "stop it first" in elsewhere.stderr
        assert process.poll() is None


def test_what_a_killed_service_left_behind_is_known_to_be_stale(tmp_path: Path) -> None:
    with started(tmp_path, "--port", "0") as (process, said):
        process.kill()
        process.wait()
        assert (tmp_path / ".nextpair" / "service.json").exists()
        told = run(tmp_path, "export", "--study", "mine", "--format", "csv")
        assert told.returncode == 2
        assert "no service runs in this folder: start one (nextpair start)" in told.stderr
    key = ServiceFolder(tmp_path).key()
    with started(tmp_path, "--port", "0") as (_, said):
        assert ServiceFolder(tmp_path).key() == key
        assert run(tmp_path, "sign-in", "--no-browser").returncode == 0
        assert url_in(said)


def test_two_folders_have_two_services_that_do_not_mix(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "a two%20?#é"
    with started(one) as (_, first), started(two) as (_, second):
        assert url_in(first) != url_in(second), "the next free port"
        for folder, study in ((one, "in-one"), (two, "in-two")):
            (folder / "d.jsonl").write_text(DOCUMENTS, encoding="utf-8")
            run(folder, "import", "--study", study, "--documents", "d.jsonl")
        keys = ServiceFolder(one).key(), ServiceFolder(two).key()
        assert keys[0] and keys[1]
        for said, key, study in ((first, keys[0], "in-one"), (second, keys[1], "in-two")):
            with Client(url_in(said), key) as client:
                assert [found.id for found in client.studies()] == [study]
        with Client(url_in(first), keys[1]) as stranger, pytest.raises(Refused):
            [*stranger.studies()]


def test_a_port_that_is_asked_for_and_taken_is_an_error(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = run(tmp_path, "start", "--port", str(port))
    assert told.returncode == 2
    assert f"cannot listen at 127.0.0.1:{port}" in told.stderr


def test_what_is_set_for_another_service_is_not_used(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.db"
    settings = {"NEXTPAIR_DATABASE": f"sqlite:///{elsewhere}", "NEXTPAIR_HOST": "0.0.0.0"}
    with started(tmp_path / "here", "--port", "0", **settings) as (_, said):
        assert "NEXTPAIR_DATABASE, NEXTPAIR_HOST in the environment" in said
        assert url_in(said)
    assert (tmp_path / "here" / "nextpair.db").exists()
    assert not elsewhere.exists()


def test_a_key_that_others_could_read_is_not_used(tmp_path: Path) -> None:
    with started(tmp_path, "--port", "0"):
        (tmp_path / ".nextpair" / "key").chmod(0o644)
        told = run(tmp_path, "sign-in", "--no-browser")
        assert told.returncode == 2
        assert "could be read by others" in told.stderr


def test_a_key_that_was_revoked_or_lost_is_made_anew(tmp_path: Path) -> None:
    with started(tmp_path, "--port", "0"):
        key = ServiceFolder(tmp_path).key()
    assert key
    revoked = run(tmp_path, "keys", "revoke", key.split("_")[1])
    assert revoked.returncode == 0, revoked.stderr
    with started(tmp_path, "--port", "0"):
        assert ServiceFolder(tmp_path).key() != key
        assert run(tmp_path, "sign-in").returncode == 0


def test_a_browser_is_given_a_file_and_no_secret_on_its_command_line(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    os.mkfifo(asked)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$*" > "{asked}"\n', encoding="utf-8")
    browser.chmod(0o755)
    settings = {"DISPLAY": ":99", "BROWSER": f"{browser} %s"}
    with started(tmp_path, "--port", "0", **settings) as (_, said):
        words = asked.read_text(encoding="utf-8")
        assert words == (tmp_path / ".nextpair" / "sign-in.html").as_uri()
        page = tmp_path / ".nextpair" / "sign-in.html"
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        address = re.search(r"http://\S+/sign-in#\S+", said)
        assert address and address[0] in page.read_text(encoding="utf-8")
