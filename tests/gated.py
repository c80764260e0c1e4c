"""`nextpair` with a gate before its Elo ratings: what computes one waits as long as it is closed.

Runs as a program of its own, and its helper processes run it, too. The gate is a folder, named in
the environment: it is closed while there is a file `closed` in it, and whoever comes to it leaves a
file with the number of their process.
"""

import os
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = "NEXTPAIR_TESTS_GATE"
HELPER = "helper"


class Gate:
    """The gate, as a test sees it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self._closed = folder / "closed"

    def close(self) -> None:
        """Let nobody through, and forget who came."""
        for note in self._folder.iterdir():
            note.unlink()
        self._closed.touch()

    def open(self) -> None:
        """Let everybody through."""
        self._closed.unlink(missing_ok=True)

    def arrivals(self) -> list[int]:
        """List the processes that have come to it."""
        return [int(note.name) for note in self._folder.iterdir() if note.name.isdecimal()]


def pass_gate() -> None:
    """Wait until the gate is open."""
    folder = Path(os.environ[FOLDER])
    (folder / str(os.getpid())).touch()
    while (folder / "closed").exists():
        time.sleep(0.01)


def put_gate() -> None:
    """Put the gate before Elo's ratings, in this process and in its helpers."""
    elo: Any = import_module("nextpair.selectors.ratings.elo").Elo
    crew: Any = import_module("nextpair.app.compute.helper_handle")
    rate = elo.rate

    def gated(self: Any, size: int, matches: Sequence[Any]) -> Any:
        pass_gate()
        return rate(self, size, matches)

    elo.rate = gated
    crew.COMMAND = (sys.executable, __file__, HELPER)


if __name__ == "__main__":
    put_gate()
    if sys.argv[1:] == [HELPER]:
        import_module("nextpair.app.compute.helper_process").main()
    else:
        sys.exit(import_module("nextpair.app.cli").main())
