"""Temporary folders of the dead are removed, those of the living and of others are not."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from nextpair.app.runtime.temporary_folders import LOCK, NEW_SECONDS, scratch_folder

HOLD = """
import sys, time
from nextpair.app.runtime.temporary_folders import scratch_folder

with scratch_folder("nextpair-x-") as folder:
    print(folder, flush=True)
    time.sleep(3600)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def held(temporary: Path) -> "subprocess.Popen[str]":
    """Let another process hold a folder."""
    environment = {**os.environ, "TMPDIR": str(temporary)}
    return subprocess.Popen(
        [sys.executable, "-c", HOLD], env=environment, stdout=subprocess.PIPE, text=True
    )


def test_a_folder_is_gone_at_the_end(temporary: Path) -> None:
    with scratch_folder("nextpair-x-") as folder:
        (folder / "file").write_text("x")
    assert list(temporary.iterdir()) == []


def test_the_next_one_removes_what_the_killed_have_left(temporary: Path) -> None:
    with held(temporary) as process:
        assert process.stdout is not None
        left = Path(process.stdout.readline().strip())
        with scratch_folder("nextpair-x-") as folder:
            assert left.is_dir(), "its process lives"
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert left.is_dir()
    with scratch_folder("nextpair-x-") as folder:
        assert list(temporary.iterdir()) == [folder]


def test_what_is_not_a_dead_ones_folder_stays(temporary: Path) -> None:
    other = temporary / "nextpair-y-1"
    elsewhere, file = temporary / "elsewhere", temporary / "nextpair-x-file"
    new, old = temporary / "nextpair-x-new", temporary / "nextpair-x-old"
    for folder in (other, elsewhere, new, old):
        folder.mkdir()
    file.touch()
    (elsewhere / LOCK).touch()
    link = temporary / "nextpair-x-link"
    link.symlink_to(elsewhere)
    long_ago = old.stat().st_mtime - 2 * NEW_SECONDS
    os.utime(old, (long_ago, long_ago))
    with scratch_folder("nextpair-x-") as made:
        assert {*temporary.iterdir()} == {other, elsewhere, file, new, link, made}
    assert (elsewhere / LOCK).exists()
