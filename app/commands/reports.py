"""`nextpair report`: the reliability report on a study, as a page, as JSON, or as a summary."""

import argparse
import sys
from pathlib import Path

from nextpair.app.client import Client
from nextpair.app.commands.exports import check_output, print_bytes, write_atomically
from nextpair.app.formats.trec import RealGrades, parse_real_qrels, read_real_qrels
from nextpair.app.local.service_client import add_service_arguments, open_client
from nextpair.app.reports.page import render
from nextpair.app.reports.reference import compare_with_reference, list_some
from nextpair.app.reports.statements import (
    about_agreement,
    about_audits,
    about_convergence,
    about_ends,
    decimal,
    quantity,
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
    """Declare the arguments of the command."""
    parser.set_defaults(run=report)
    parser.epilog = EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_service_arguments(parser)
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


def report(arguments: argparse.Namespace) -> int:
    """Fetch the report, and add the comparisons with local files."""
    if arguments.runs is not None and arguments.against is None:
        raise BadOption("--runs needs --against: systems are ranked by the study and by that")
    if arguments.out is not None:
        check_output(arguments.out)
    if arguments.export is not None and arguments.against is None:
        raise BadOption("--export needs --against: it says which file is compared with that")
    grades = None if arguments.against is None else read_real_qrels(arguments.against)
    runs = None if arguments.runs is None else read_runs(arguments.runs)
    with open_client(arguments) as client:
        fetched = client.report(
            arguments.study,
            topic=arguments.topic,
            rating=arguments.rating,
            points=arguments.points,
            pseudonyms=arguments.pseudonyms,
        )
        full = FullReportOut.model_validate(fetched, from_attributes=True)
        if grades is not None:
            form = Format(arguments.export or Format.QRELS)
            scores = _exported(client, arguments, form, full)
            full.reference = compare_with_reference(grades, scores, str(arguments.against))
            _warn(full, grades)
            if runs is not None:
                ends = full.scale if form is Format.QRELS_REAL else full.grades
                full.systems = compare_runs(runs, grades, scores, ends)
    return _write(full, arguments)


def _exported(
    client: Client, arguments: argparse.Namespace, form: Format, report: FullReportOut
) -> RealGrades:
    """Fetch the file that `nextpair export` writes; an unjudged topic is empty."""
    content = client.export(arguments.study, form, topic=arguments.topic, rating=arguments.rating)
    lines = b"".join(content).decode().splitlines()
    where = f"the export {form.value!r}"
    grades = parse_real_qrels((f"{where}:{place}", line) for place, line in enumerate(lines, 1))
    return {topic.topic: {} for topic in report.topics} | grades


def _warn(report: FullReportOut, grades: RealGrades) -> None:
    """Warn of topics that are left out of the comparison."""
    assert report.reference is not None
    for names, where in (
        (report.reference.only_in_study, "study, not in the reference"),
        (report.reference.only_in_reference, "reference, not in the study"),
    ):
        if names:
            print(
                f"nextpair: warning: {quantity(len(names), 'topic')} of the {where}, left out:"
                f" {list_some(names)}",
                file=sys.stderr,
            )


def _write(report: FullReportOut, arguments: argparse.Namespace) -> int:
    if arguments.out is not None:
        write_atomically(arguments.out.resolve(), [render(report).encode()])
    if arguments.json:
        return print_bytes([report.model_dump_json(indent=2).encode() + b"\n"])
    if arguments.out is None:
        print("\n".join(summary(report)))
    return 0


def summary(report: FullReportOut) -> list[str]:
    """Summarise the report in a few lines."""
    lines = [
        f"study {report.study}: {quantity(len(report.topics), 'topic')}"
        f" ({report.finished} with nothing left to ask{about_ends(report.ended)}),"
        f" {quantity(report.judgments, 'judgment')},"
        f" {quantity(len(report.workers), 'worker')}",
        about_audits(report.audits, report.in_sample),
        about_agreement(report.agreement, report.selector is not None),
        about_convergence(report.convergence),
    ]
    if report.reference is not None:
        pairs = report.reference.pairs
        lines.append(
            f"Against the reference: tau-b {decimal(report.reference.tau)}, {pairs.agree:,} pairs"
            f" alike, {pairs.disagree:,} opposite, {pairs.unknown:,} tied in one of the two."
        )
    if report.systems is not None:
        lines += [
            f"Systems by {measure.measure}: tau-b {decimal(measure.tau)}"
            for measure in report.systems.measures
        ]
    return lines
