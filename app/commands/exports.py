"""`nextpair export`: a study's results into a file, which is written atomically."""

import argparse
import os
import secrets
import sys
from collections.abc import Iterable
from pathlib import Path

from nextpair.app.local.service_client import add_service_arguments, open_client
from nextpair.app.schemas.exports import Format, ineffective_option
from nextpair.selectors.errors import BadOption, NextpairError

EXAMPLE = """\
examples:
  export NEXTPAIR_KEY=np_…
  nextpair export --url http://127.0.0.1:8000 --study answers --format qrels --output answers.qrels
  nextpair export --url http://127.0.0.1:8000 --study answers --format run --rating elo | head
"""

OPTIONS = ("rating", "levels", "unjudged", "inferred", "pseudonyms")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.set_defaults(run=export)
    parser.epilog = EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_service_arguments(parser)
    parser.add_argument("--study", required=True, metavar="NAME", help="whose results")
    parser.add_argument(
        "--format",
        required=True,
        choices=[export_format.value for export_format in Format],
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


def export(arguments: argparse.Namespace) -> int:
    """Fetch the results."""
    form = Format(arguments.format)
    options = {name: getattr(arguments, name) for name in OPTIONS}
    ineffective = ineffective_option(form, options)
    if ineffective is not None:
        option = "no-inferred" if ineffective == "inferred" else ineffective
        raise BadOption(f"--{option} has no effect with --format {form}")
    if arguments.output is not None:
        check_output(arguments.output)
    with open_client(arguments) as client:
        opening = client.open_export(arguments.study, form, topic=arguments.topic, **options)
        with opening as content:
            _warn(content.unjudged, bool(arguments.unjudged))
            if arguments.output is None:
                return print_bytes(content)
            write_atomically(arguments.output.resolve(), content)
    return 0


def _warn(unjudged: int, included: bool) -> None:
    """Warn of unjudged documents, which TREC's formats cannot represent."""
    if unjudged:
        what = "included as the lowest" if included else "left out (--unjudged includes them)"
        noun = "document" if unjudged == 1 else "documents"
        print(f"nextpair: warning: {unjudged} {noun} nobody has judged: {what}", file=sys.stderr)


def check_output(path: Path) -> None:
    """Refuse an output file that cannot be written, before anything is fetched."""
    if path.exists() and not path.is_file():
        raise NextpairError(f"cannot write {path}: it is no ordinary file")
    if not path.parent.is_dir():
        raise NextpairError(f"cannot write {path}: there is no folder {path.parent}")


def print_bytes(content: Iterable[bytes]) -> int:
    """Write to standard output, until its reader closes the pipe."""
    try:
        for piece in content:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # The reader has closed the pipe: standard output is replaced, since Python flushes it at
        # exit and would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def write_atomically(path: Path, content: Iterable[bytes]) -> None:
    """Write a temporary file and rename it at the end, so that no partial file is left."""
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
