"""`nextpair import`: topics, runs and documents from files into a study."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from urllib.parse import quote

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from nextpair.app.client import Client, Refused
from nextpair.app.client.uploads import upload_pool
from nextpair.app.formats.fields import FIELDS
from nextpair.app.formats.files import BadFile
from nextpair.app.formats.pools import Pool
from nextpair.app.formats.sources import ImportSources, read_sources
from nextpair.app.formats.upload_pools import InvalidUpload
from nextpair.app.local.service_client import add_service_arguments, open_client
from nextpair.app.schemas.imports import DEFAULT_DEPTH
from nextpair.app.schemas.omissions import OmissionOut, merge_omissions, qualify_with_topic
from nextpair.app.simulation.command_inputs import split_options
from nextpair.selectors.base import find_selector, make_options, selector_names
from nextpair.selectors.errors import BadOption
from nextpair.selectors.state.settings import DEFAULT_SELECTOR, Judges

EXAMPLE = """\
examples, in the folder of nextpair start:
  nextpair import --study mine --documents my.jsonl
  nextpair import --study web --votes 3 \\
      --topics topics.xml --runs run1.gz run2.gz --depth 20 --documents texts.jsonl.gz
at another service:
  export NEXTPAIR_KEY=np_…
  nextpair import --url https://judge.example.org --study answers --documents answers.jsonl
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.set_defaults(run=import_files)
    parser.epilog = f"{EXAMPLE}\nfields of a document in JSON Lines and CSV:\n{_fields()}"
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_service_arguments(parser.add_argument_group("the service"))
    _add_study(parser.add_argument_group("the study"))
    files = parser.add_argument_group("files, plain or gzip (runs or documents are needed)")
    files.add_argument(
        "--topics", type=Path, metavar="FILE", help="TREC topics: SGML, XML, or two columns"
    )
    files.add_argument(
        "--runs",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="TREC runs: what they rank highest is judged, and the ranks become features",
    )
    files.add_argument(
        "--depth", type=int, metavar="N", help=f"how far down the runs (default: {DEFAULT_DEPTH})"
    )
    files.add_argument(
        "--documents", type=Path, nargs="+", default=[], metavar="FILE", help="JSON Lines or CSV"
    )
    files.add_argument("--topic", metavar="ID", help="the topic of documents that name none")


def _fields() -> str:
    return "".join(
        fill(
            f"{field.meaning} ({field.kind})",
            78,
            initial_indent=f"  {field.name:<10}",
            subsequent_indent=" " * 12,
        )
        + "\n"
        for field in FIELDS
    )


def _add_study(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--study",
        required=True,
        metavar="NAME",
        help="where everything goes; added if it is not there",
    )
    group.add_argument(
        "--selector",
        metavar="NAME",
        help=f"add it with this one of {', '.join(selector_names())} (default: {DEFAULT_SELECTOR})",
    )
    group.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="the same, with an option of the selector; repeatable",
    )
    group.add_argument(
        "--judges",
        choices=[judges.value for judges in Judges],
        help="the same: one careful person, a few, or a crowd, some of whom err often (default)",
    )
    group.add_argument(
        "--votes", type=int, metavar="V", help="the same, with so many workers per pair"
    )


def import_files(arguments: argparse.Namespace) -> int:
    """Read all files, then upload topic by topic; idempotent."""
    settings = _settings(arguments)
    pools = _read(arguments)
    with open_client(arguments) as client:
        _find_or_add_study(client, arguments.study, settings)
        existing = {topic.id for topic in client.topics(arguments.study)}
        not_shown = _upload(client, arguments.study, pools)
    for omission in not_shown:
        print(f"warning: {omission.warning()}", file=sys.stderr)
    documents = sum(len(pool.documents) for pool in pools)
    new = sum(pool.topic not in existing for pool in pools)
    print(
        f"study {arguments.study}: {_count(len(pools), 'topic')}, {_count(documents, 'document')};"
        f" {_count(new, 'topic')} new, {len(pools) - new} there already"
    )
    print(
        f"next, judge it or invite others: {client.url}/studies/{quote(arguments.study, safe='')}"
    )
    return 0


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _read(arguments: argparse.Namespace) -> Sequence[Pool]:
    if not arguments.runs and not arguments.documents:
        raise BadOption("give --runs or --documents: there is nothing to import")
    for option, needed in (("depth", "runs"), ("topic", "documents")):
        if getattr(arguments, option) is not None and not getattr(arguments, needed):
            raise BadOption(f"--{option} has no effect without --{needed}")
    depth = DEFAULT_DEPTH if arguments.depth is None else arguments.depth
    sources = ImportSources(
        arguments.topics, arguments.runs, arguments.documents, depth, arguments.topic
    )
    try:
        pools, warnings = read_sources(sources)
    except BadFile as error:
        raise BadFile(f"{error} (nextpair import --help lists the fields of files)") from None
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    return pools


def _settings(arguments: argparse.Namespace) -> dict[str, object]:
    """Return the settings on the command line, in the form that the service returns them."""
    settings: dict[str, object] = {}
    if arguments.selector is not None:
        settings["selector"] = arguments.selector
    if arguments.judges is not None:
        settings["judges"] = arguments.judges
    if arguments.votes is not None:
        settings["votes"] = arguments.votes
    if arguments.option:
        texts = split_options(arguments.option)
        read = make_options(find_selector(arguments.selector or DEFAULT_SELECTOR), texts)
        settings["options"] = json.loads(json.dumps({key: getattr(read, key) for key in texts}))
    return settings


def _find_or_add_study(client: Client, study: str, settings: Mapping[str, object]) -> None:
    try:
        existing = client.study(study).model_dump(mode="json")
    except Refused as error:
        if error.problem.type != "urn:nextpair:unknown-study":
            raise
    else:
        for name, value in settings.items():
            if existing[name] != value:
                raise BadOption(
                    f"study {study!r} is there with {name} {existing[name]}, not {value}"
                )
        return
    try:
        client.create_study(study, **settings)
    except TypeError as error:
        raise InvalidUpload(str(error)) from None


def _upload(client: Client, study: str, pools: Sequence[Pool]) -> list[OmissionOut]:
    """Upload all pools; return the parts of documents that workers will not see."""
    omissions: list[OmissionOut] = []
    columns = (TextColumn("uploading"), BarColumn(), MofNCompleteColumn(), TextColumn("topics"))
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        for pool in bar.track(pools):
            added = upload_pool(client, study, pool)
            omissions += qualify_with_topic(pool.topic, added.not_shown)
    return merge_omissions(omissions)
