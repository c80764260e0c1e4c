"""`nextpair report`: how far a study can be relied on, as a page, as JSON, or in short."""

import argparse
import sys
from pathlib import Path

from nextpair.app.client import Client
from nextpair.app.commands.exports import check_output, print_bytes, write_whole
from nextpair.app.commands.remote import add_service, open_client
from nextpair.app.formats.trec import RealGrades, parse_real_qrels, read_real_qrels
from nextpair.app.reports.page import render
from nextpair.app.reports.reference import compare_with, listed
from nextpair.app.reports.statements import (
    about_agreement,
    about_audits,
    about_convergence,
    about_ends,
    count,
    figure,
)
from nextpair.app.reports.systems import compare_runs, read_runs
from nextpair.app.schemas.exports import Format
from nextpair.app.schemas.reports import FullReportOut
from nextpair.selectors.errors import BadOption

EXAMPLE = """\
examples:
  export NEXTPAIR_KEY=np_…
  nextpair report --url http://127.0.0.1:8000 --study answers --out report.html
  nextpair report --url http://127.0.0.1:8000 --study web --against web.qrels --runs runs/ --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.set_defaults(run=report)
    parser.epilog = EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_service(parser)
    parser.add_argument("--study", required=True, metavar="NAME", help="which study")
    parser.add_argument("--topic", metavar="ID", help="only this topic")
    parser.add_argument("--rating", metavar="NAME", help="of the scores (default: the study's own)")
    parser.add_argument(
        "--points", type=int, metavar="N", help="of the curve of convergence (default: 20; 0: none)"
    )
    parser.add_argument(
        "--pseudonyms", action="store_const", const=True, help="do not tell who the workers are"
    )
    parser.add_argument(
        "--against",
        type=Path,
        metavar="FILE",
        help="qrels to compare the study's export with; grades may be any numbers",
    )
    parser.add_argument(
        "--export",
        choices=[Format.QRELS.value, Format.QRELS_REAL.value],
        help="which export is compared with --against (default: qrels)",
    )
    parser.add_argument(
        "--runs",
        type=Path,
        metavar="FOLDER",
        help="TREC runs to be ranked by the study and by --against",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write a page, report.html")
    parser.add_argument("--json", action="store_true", help="everything as JSON")


def report(given: argparse.Namespace) -> int:
    """Fetch the report, and add what the files tell."""
    if given.runs is not None and given.against is None:
        raise BadOption("--runs needs --against: systems are ranked by the study and by that")
    if given.out is not None:
        check_output(given.out)
    if given.export is not None and given.against is None:
        raise BadOption("--export needs --against: it says which file is compared with that")
    grades = None if given.against is None else read_real_qrels(given.against)
    runs = None if given.runs is None else read_runs(given.runs)
    with open_client(given) as client:
        found = client.report(
            given.study,
            topic=given.topic,
            rating=given.rating,
            points=given.points,
            pseudonyms=given.pseudonyms,
        )
        told = FullReportOut.model_validate(found, from_attributes=True)
        if grades is not None:
            form = Format(given.export or Format.QRELS)
            scores = _exported(client, given, form, told)
            told.reference = compare_with(grades, scores, str(given.against))
            _warn(told, grades)
            if runs is not None:
                ends = told.scale if form is Format.QRELS_REAL else told.grades
                told.systems = compare_runs(runs, grades, scores, ends)
    return _write(told, given)


def _exported(
    client: Client, given: argparse.Namespace, form: Format, told: FullReportOut
) -> RealGrades:
    """Fetch the very file that `nextpair export` writes; a topic nobody has judged is empty."""
    content = client.export(given.study, form, topic=given.topic, rating=given.rating)
    lines = b"".join(content).decode().splitlines()
    where = f"the export {form.value!r}"
    found = parse_real_qrels((f"{where}:{place}", line) for place, line in enumerate(lines, 1))
    return {one.topic: {} for one in told.topics} | found


def _warn(told: FullReportOut, grades: RealGrades) -> None:
    """Say which topics are left out; half a comparison must not look like a whole one."""
    assert told.reference is not None
    for names, where in (
        (told.reference.only_in_study, "study, not in the reference"),
        (told.reference.only_in_reference, "reference, not in the study"),
    ):
        if names:
            print(
                f"nextpair: warning: {count(len(names), 'topic')} of the {where}, left out:"
                f" {listed(names)}",
                file=sys.stderr,
            )


def _write(told: FullReportOut, given: argparse.Namespace) -> int:
    if given.out is not None:
        write_whole(given.out.resolve(), [render(told).encode()])
    if given.json:
        return print_bytes([told.model_dump_json(indent=2).encode() + b"\n"])
    if given.out is None:
        print("\n".join(summary(told)))
    return 0


def summary(told: FullReportOut) -> list[str]:
    """Say the most important in a few lines."""
    lines = [
        f"study {told.study}: {count(len(told.topics), 'topic')}"
        f" ({told.finished} with nothing left to ask{about_ends(told.ended)}),"
        f" {count(told.judgments, 'judgment')},"
        f" {count(len(told.workers), 'worker')}",
        about_audits(told.audits, told.in_sample),
        about_agreement(told.agreement, told.selector is not None),
        about_convergence(told.convergence),
    ]
    if told.reference is not None:
        pairs = told.reference.pairs
        lines.append(
            f"Against the reference: tau-b {figure(told.reference.tau)}, {pairs.agree:,} pairs"
            f" alike, {pairs.disagree:,} opposite, {pairs.unknown:,} tied in one of the two."
        )
    if told.systems is not None:
        lines += [
            f"Systems by {one.measure}: tau-b {figure(one.tau)}" for one in told.systems.measures
        ]
    return lines
