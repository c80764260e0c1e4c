"""How many files and frames one request passes through: a question, an answer and a payment.

python -m benchmarks.walks

Each walk is recorded by a profiler in a service in this process: the files of nextpair in the order
in which they are entered, and how deeply calls are nested. The topic is in memory, as it is for all
requests but the first.
"""

import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from in_process import InProcess, by_number, installed
from installations import migrated

from benchmarks.section import Section

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("app", "selectors", "storage")


@dataclass(slots=True)
class Walk:
    """What one request passed through.

    Parameters
    ----------
    files
        The files of nextpair, in the order in which they were first entered.
    frames
        How many frames of nextpair lay on one stack at most.
    entries
        The rooms in the order in which they were entered from another room.
    """

    files: list[str] = field(default_factory=list)
    frames: int = 0
    entries: list[str] = field(default_factory=list)

    @property
    def rooms(self) -> list[str]:
        """The rooms, each once."""
        return list(dict.fromkeys(self.entries))


def _file_of(frame: FrameType) -> str | None:
    """Return the path of a frame's file in the project; None if it is not nextpair's."""
    path = Path(frame.f_code.co_filename)
    for parent in path.parents:
        if parent.name in PACKAGES and parent.parent.name in ("nextpair", ROOT.name):
            return str(Path(parent.name) / path.relative_to(parent))
    return None


def room_of(file: str) -> str:
    """Return the folder of a file, two levels deep."""
    return "/".join(Path(file).parent.parts[:2])


class Recorder:
    """Profiles all threads while it is switched on."""

    def __init__(self) -> None:
        self.walk: Walk | None = None
        self._files: dict[Any, str | None] = {}
        self._lock = threading.Lock()

    def profile(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call; Python calls this for every event of every thread."""
        walk = self.walk
        if walk is None or event != "call":
            return
        file = self._known(frame)
        if file is None:
            return
        with self._lock:
            if file not in walk.files:
                walk.files.append(file)
            depth, caller, parent = 1, None, frame.f_back
            while parent is not None:
                above = self._known(parent)
                if above is not None:
                    caller = caller or above
                    depth += 1
                parent = parent.f_back
            walk.frames = max(walk.frames, depth)
            if caller is None or room_of(caller) != room_of(file):
                walk.entries.append(room_of(file))

    def _known(self, frame: FrameType) -> str | None:
        code = frame.f_code
        if code not in self._files:
            self._files[code] = _file_of(frame)
        return self._files[code]

    @contextmanager
    def recording(self) -> Iterator[Walk]:
        """Record what happens meanwhile."""
        self.walk = walk = Walk()
        try:
            yield walk
        finally:
            self.walk = None


def record(recorder: Recorder, service: InProcess) -> Iterator[tuple[str, Walk]]:
    """Record the walks of a question and of an answer, once everything is in memory."""
    service.make_study(selector="placement")
    service.make_topic(20)
    for _ in range(3):
        first = service.one("ann", topic="coffee")
        service.judge(first, by_number(first))
    with recorder.recording() as walk:
        asked = service.one("ann", topic="coffee")
    yield "a question", walk
    with recorder.recording() as walk:
        service.judge(asked, by_number(asked))
    yield "an answer", walk


def measure() -> tuple[Section, dict[str, Walk]]:
    """Record all walks, and put their sizes into a table."""
    recorder = Recorder()
    threading.setprofile(recorder.profile)
    sys.setprofile(recorder.profile)
    try:
        with tempfile.TemporaryDirectory() as folder:
            url = f"sqlite:///{folder}/walks.db"
            migrated(url)
            with installed(url) as service:
                walks = dict(record(recorder, service))
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    section = Section(
        "Walks",
        "python -m benchmarks.walks",
        "Files of nextpair that one request enters, the most frames of nextpair on one stack, and"
        " how often one room (folder) is entered from another.",
        ("request", "files", "files of app", "frames", "rooms", "room entries"),
    )
    for name, walk in walks.items():
        of_app = sum(file.startswith("app/") for file in walk.files)
        row = (len(walk.files), of_app, walk.frames, len(walk.rooms), len(walk.entries))
        section.rows.append((name, *map(str, row)))
    return section, walks


def main() -> None:
    """Print the table, and each walk's files in order."""
    section, walks = measure()
    print(section)
    for name, walk in walks.items():
        print(f"\n{name}: " + " > ".join(walk.files))


if __name__ == "__main__":
    main()
