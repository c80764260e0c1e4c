"""Serving processes, as the system sees them: who they are, and each asked by itself."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from crowds import until

Answer = TypeVar("Answer")

ESTABLISHED = "01"
"""How /proc/net/tcp calls a connection that stands."""


def children(parent: int) -> list[int]:
    """List the processes a service has started to serve."""
    found = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(child) for child in found if _serves(int(child))]


def _serves(process: int) -> bool:
    try:
        return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def state(process: int) -> str:
    """Return the letter by which the system calls a process's state; none if it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def is_gone(process: int) -> bool:
    """Say whether a process runs no more."""
    return state(process) in ("", "Z", "X")


def connections(process: int, port: int) -> int:
    """Count the connections to a port that a process answers."""
    try:
        held = {os.readlink(file) for file in Path(f"/proc/{process}/fd").iterdir()}
    except OSError:
        return 0
    here = f":{port:04X}"
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    inodes = {line[9] for line in lines if line[1].endswith(here) and line[3] == ESTABLISHED}
    return sum(f"socket:[{inode}]" in held for inode in inodes)


@contextmanager
def alone(process: int, all_of_them: Sequence[int]) -> Iterator[None]:
    """Stop every process but one, so that this one takes the next connection."""
    others = [one for one in all_of_them if one != process]
    try:
        for other in others:
            _send(other, signal.SIGSTOP)
        until(lambda: all(state(one) == "T" or is_gone(one) for one in others), "processes stop")
        yield
    finally:
        for other in others:
            _send(other, signal.SIGCONT)


def _send(process: int, number: signal.Signals) -> None:
    # One that was silent for too long may have been replaced by the one that started it.
    with suppress(ProcessLookupError):
        os.kill(process, number)


def ask_each(parent: int, processes: int, ask: Callable[[], Answer]) -> list[Answer]:
    """Ask every process of a service; each question must come over a new connection."""
    if processes == 1:
        # It serves by itself: there is nobody to look after.
        return [ask()]
    until(lambda: len(children(parent)) == processes, f"{processes} processes serve")
    serving = children(parent)
    answers = []
    for process in serving:
        with alone(process, serving):
            answers.append(ask())
    return answers
