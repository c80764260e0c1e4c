"""`nextpair export`: a study's results into a file that is whole or not there."""

import argparse
import os
import secrets
import sys
from collections.abc import Iterable
from pathlib import Path

from nextpair.app.commands.remote import add_service, open_client
from nextpair.app.wire.exports import Format
from nextpair.selectors.errors import BadOption, NextpairError

EXAMPLE = """\
examples:
  export NEXTPAIR_KEY=np_…
  nextpair export --url http://127.0.0.1:8000 --study answers --format qrels --output answers.qrels
  nextpair export --url http://127.0.0.1:8000 --study answers --format run --rating elo | head
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.epilog = EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_service(parser)
    parser.add_argument("--study", required=True, metavar="NAME", help="whose results")
    parser.add_argument(
        "--format",
        required=True,
        choices=[one.value for one in Format],
        help="qrels: how many classes are worse; run: ranks and scores; csv, jsonl: all judgments",
    )
    parser.add_argument("--topic", metavar="ID", help="only this topic")
    parser.add_argument(
        "--rating", metavar="NAME", help="of a run's scores (default: the selector's own)"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")


def export(given: argparse.Namespace) -> int:
    """Fetch the results."""
    form = Format(given.format)
    if given.rating is not None and form is not Format.RUN:
        raise BadOption(f"--rating has no effect with --format {form}")
    if given.output is not None:
        _check_output(given.output)
    with open_client(given) as client:
        content = client.export(given.study, form, topic=given.topic, rating=given.rating)
        if given.output is None:
            return _print(content)
        _write(given.output.resolve(), content)
    return 0


def _check_output(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise NextpairError(f"cannot write {path}: it is no ordinary file")
    if not path.parent.is_dir():
        raise NextpairError(f"cannot write {path}: there is no folder {path.parent}")


def _print(content: Iterable[bytes]) -> int:
    try:
        for piece in content:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever was reading has had enough; nothing is left to be flushed when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def _write(path: Path, content: Iterable[bytes]) -> None:
    """Write beside the file and rename at the end: half a download never looks like a whole one."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            for piece in content:
                file.write(piece)
        part.replace(path)
    except OSError as error:
        raise NextpairError(f"cannot write {path}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
