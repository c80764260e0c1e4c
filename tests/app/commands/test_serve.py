"""`nextpair serve`: what a killed one leaves behind, and a password that others could see."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from crowds import until
from installations import serving
from processes import children, is_gone

from nextpair.app.local.installation import read_settings
from nextpair.selectors.errors import BadOption


def test_a_killed_supervisor_leaves_no_folder_behind(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    with serving(sqlite_url, 2) as (_, pid):
        until(lambda: len(children(pid)) == 2, "two processes serve")
        processes = children(pid)
        assert len(list(temporary.iterdir())) == 1
        os.kill(pid, signal.SIGKILL)
        until(lambda: all(map(is_gone, processes)), "nobody serves any more")
        assert list(temporary.iterdir()) == []


ADDRESS = "postgresql://np@127.0.0.1:1/np"


def test_the_password_of_a_database_can_be_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "password"
    monkeypatch.setenv("NEXTPAIR_DATABASE_PASSWORD_FILE", str(file))
    with pytest.raises(BadOption, match="password: No such file"):
        read_settings(database=ADDRESS)
    for content, address in (
        ("secret\n", "postgresql://np:secret@127.0.0.1:1/np"),
        ("a/b c:d@é", "postgresql://np:a%2Fb%20c%3Ad%40%C3%A9@127.0.0.1:1/np"),
    ):
        file.write_text(content, encoding="utf-8")
        assert read_settings(database=ADDRESS).database.get_secret_value() == address
        assert content.strip() not in repr(read_settings(database=ADDRESS))
    assert capsys.readouterr().err == ""
    assert read_settings(database="sqlite:///x").database.get_secret_value() == "sqlite:///x"
    for wrong, said in (("np:other@", "already"), ("", "must name a user")):
        with pytest.raises(BadOption, match=said):
            read_settings(database=ADDRESS.replace("np@", wrong))
    file.write_text("\n")
    with pytest.raises(BadOption, match="is empty"):
        read_settings(database=ADDRESS)


def test_a_password_on_the_command_line_is_warned_of() -> None:
    for address, warned in ((ADDRESS, False), (ADDRESS.replace("@", ":hush@"), True)):
        words = [sys.executable, "-m", "nextpair.app.cli", "keys", "list", "--database", address]
        environment = {**os.environ, "NEXTPAIR_BUSY_SECONDS": "1"}
        ran = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 2
        assert ("NEXTPAIR_DATABASE_PASSWORD_FILE" in ran.stderr) == warned
        assert "hush" not in ran.stderr + ran.stdout
