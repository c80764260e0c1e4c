"""The pages' fenced blocks, cut into single commands."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^( *)```(\S*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    heading: str
    language: str
    text: str

    @property
    def commands(self) -> list[str]:
        """The commands of a shell block, each whole, however many lines it has."""
        return _commands(self.text)


@cache
def blocks() -> list[Block]:
    """Return all fenced blocks of README and docs, in the order of the pages."""
    return [
        Block(str(path.relative_to(ROOT)), _heading(text, found.start()), found[2], found[3])
        for path in PAGES
        for text in [path.read_text(encoding="utf-8")]
        for found in _FENCE.finditer(text)
    ]


def _heading(text: str, end: int) -> str:
    """Return the heading of the part that a place is in."""
    headings = re.findall(r"^## (.*)$", text[:end], re.MULTILINE)
    return headings[-1] if headings else ""


def shell_pages() -> list[str]:
    """Return the pages that have a command."""
    return list(dict.fromkeys(block.page for block in blocks() if block.language == "sh"))


def commands_of(page: str) -> list[str]:
    """Return a page's commands, from top to bottom."""
    return [
        command
        for block in blocks()
        if block.page == page and block.language == "sh"
        for command in block.commands
    ]


def _commands(text: str) -> list[str]:
    found, begun = [], ""
    for line in text.splitlines():
        begun = f"{begun}\n{line}" if begun else line
        if _is_whole(begun):
            found.append(begun)
            begun = ""
    assert not begun.strip(), f"this command has no end: {begun}"
    return [command for command in found if shlex.split(command, comments=True)]


def _is_whole(command: str) -> bool:
    if command.endswith("\\"):
        return False
    ran = subprocess.run(["bash", "-n", "-c", command], capture_output=True, check=False)
    # Of a here-document without an end it only warns.
    return ran.returncode == 0 and not ran.stderr


def nextpair_calls(command: str) -> Iterator[list[str]]:
    """Yield the words of each call of `nextpair` in a command.

    >>> [*nextpair_calls("export KEY=$(nextpair keys create --scope admin)  # once")]
    [['keys', 'create', '--scope', 'admin']]
    >>> [*nextpair_calls("A='[1]' nextpair serve && nextpair runner --once | head")]
    [['serve'], ['runner', '--once']]
    """
    words: list[str] | None = None
    for word in shlex.split(command.replace("\\\n", " "), comments=True):
        if re.fullmatch(r"(.*\$\()?(\.venv/bin/)?nextpair", word):
            if words is not None:
                yield words
            words = []
        elif words is not None and word in ("|", "&&", "||", ";", "&", ">", ">>", "2>"):
            yield words
            words = None
        elif words is not None:
            words.append(word.rstrip(";"))
            if word.endswith(")"):
                words[-1] = words[-1].rstrip(")")
                yield words
                words = None
    if words is not None:
        yield words
