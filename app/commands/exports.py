"""`nextpair export`: a study's results into a file that is whole or not there."""

import argparse
import os
import secrets
import sys
from collections.abc import Iterable
from pathlib import Path

from nextpair.app.commands.remote import add_service, open_client
from nextpair.app.schemas.exports import Format, idle_option
from nextpair.selectors.errors import BadOption, NextpairError

EXAMPLE = """\
examples:
  export NEXTPAIR_KEY=np_…
  nextpair export --url http://127.0.0.1:8000 --study answers --format qrels --output answers.qrels
  nextpair export --url http://127.0.0.1:8000 --study answers --format run --rating elo | head
"""

OPTIONS = ("rating", "levels", "unjudged", "inferred", "pseudonyms")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.set_defaults(run=export)
    parser.epilog = EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_service(parser)
    parser.add_argument("--study", required=True, metavar="NAME", help="whose results")
    parser.add_argument(
        "--format",
        required=True,
        choices=[one.value for one in Format],
        help="qrels: grades; qrels-real: scores; run: ranks and scores; pairs: which of two is"
        " better; csv, jsonl: all judgments",
    )
    parser.add_argument("--topic", metavar="ID", help="only this topic")
    parser.add_argument(
        "--rating", metavar="NAME", help="of scores (default: the selector's or design's own)"
    )
    _add_options(parser)
    parser.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--levels", type=int, metavar="K", help="qrels: scores as K equal levels")
    parser.add_argument(
        "--unjudged",
        action="store_const",
        const=True,
        help="qrels, qrels-real, run: include documents nobody has judged, as the lowest",
    )
    parser.add_argument(
        "--no-inferred",
        dest="inferred",
        action="store_const",
        const=False,
        help="pairs: only those people were asked about",
    )
    parser.add_argument(
        "--pseudonyms",
        action="store_const",
        const=True,
        help="csv, jsonl: do not tell who the workers are",
    )


def export(given: argparse.Namespace) -> int:
    """Fetch the results."""
    form = Format(given.format)
    options = {name: getattr(given, name) for name in OPTIONS}
    idle = idle_option(form, options)
    if idle is not None:
        word = "no-inferred" if idle == "inferred" else idle
        raise BadOption(f"--{word} has no effect with --format {form}")
    if given.output is not None:
        check_output(given.output)
    with open_client(given) as client:
        found = client.open_export(given.study, form, topic=given.topic, **options)
        with found as content:
            _warn(content.unjudged, bool(given.unjudged))
            if given.output is None:
                return print_bytes(content)
            write_whole(given.output.resolve(), content)
    return 0


def _warn(unjudged: int, included: bool) -> None:
    """Say what became of documents nobody has judged: TREC's files have no place for that."""
    if unjudged:
        what = "included as the lowest" if included else "left out (--unjudged includes them)"
        noun = "document" if unjudged == 1 else "documents"
        print(f"nextpair: warning: {unjudged} {noun} nobody has judged: {what}", file=sys.stderr)


def check_output(path: Path) -> None:
    """Refuse a file that could not be written, before anything is fetched."""
    if path.exists() and not path.is_file():
        raise NextpairError(f"cannot write {path}: it is no ordinary file")
    if not path.parent.is_dir():
        raise NextpairError(f"cannot write {path}: there is no folder {path.parent}")


def print_bytes(content: Iterable[bytes]) -> int:
    """Write to standard output, as long as someone reads it."""
    try:
        for piece in content:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever was reading has had enough; nothing is left to be flushed when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def write_whole(path: Path, content: Iterable[bytes]) -> None:
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
