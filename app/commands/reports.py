"""`nextpair report`: how far a study can be relied on, as a page, as JSON, or in short."""

import argparse
import sys
from pathlib import Path

from nextpair.app.client import Client
from nextpair.app.commands.exports import check_output, print_bytes, write_whole
from nextpair.app.commands.remote import add_service, open_client
from nextpair.app.formats.trec import Grades, read_qrels
from nextpair.app.reports.page import render
from nextpair.app.reports.reference import compare_with, listed
from nextpair.app.reports.sentences import (
    about_agreement,
    about_audits,
    about_convergence,
    count,
    figure,
)
from nextpair.app.reports.systems import compare_runs, read_runs
from nextpair.app.wire.reports import FullReportOut
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
        "--against", type=Path, metavar="FILE", help="qrels to compare the study with"
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
    grades = None if given.against is None else read_qrels(given.against)
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
            scores = _scores(client, given.study, told)
            told.reference = compare_with(grades, scores, str(given.against))
            _warn(told, grades)
            if runs is not None:
                told.systems = compare_runs(runs, grades, scores)
    return _write(told, given)


def _scores(client: Client, study: str, told: FullReportOut) -> dict[str, dict[str, float]]:
    """Fetch the documents' scores, of the topics that are reported on."""
    return {
        one.topic: {
            ranked.document: ranked.score
            for ranked in client.ranking(study, one.topic, told.rating).documents
            if ranked.score is not None
        }
        for one in told.topics
    }


def _warn(told: FullReportOut, grades: Grades) -> None:
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
        f" ({told.finished} with nothing left to ask), {count(told.judgments, 'judgment')},"
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
