"""The command-line arguments of `nextpair simulate`."""

import argparse
from pathlib import Path

from nextpair.app.local.service_client import add_service_arguments
from nextpair.selectors.base import selector_names
from nextpair.selectors.state.settings import DEFAULT_SELECTOR, ConflictPolicy

COLUMNS = "topic,first,second,worker,answer"
ANSWERS = "better,worse,tie"
EXAMPLE = """\
examples:
  nextpair simulate --generate topics=10,documents=200,grades=0.75/0.15/0.08/0.02 --repeat 5
  nextpair simulate --qrels wt11.qrels.gz --selector placement --repeat 30 --jobs 2
  nextpair simulate --replay judgments.csv.gz --columns topic,arg1,arg2,worker,value \\
      --answers a1,a2,equal --selector quick-sort --votes 5
  NEXTPAIR_KEY=… nextpair simulate --url http://127.0.0.1:8000 --qrels my.qrels --jobs 8
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    _add_judges(parser.add_argument_group("who answers (one of the first four is needed)"))
    _add_mechanisms(parser.add_argument_group("what is measured"))
    _add_scale(parser.add_argument_group("how much of it"))
    at_service = parser.add_argument_group("a live service in place of this process")
    add_service_arguments(at_service, local=False)
    _add_results(parser.add_argument_group("what comes out"))


def _add_judges(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--qrels", type=Path, metavar="FILE", help="graded qrels, plain or gzip")
    group.add_argument(
        "--generate",
        metavar="SPEC",
        help="draw grades: topics=50,documents=300,grades=0.75/0.15/0.08/0.02 (and seed=0)",
    )
    group.add_argument("--replay", type=Path, metavar="FILE", help="recorded answers, a CSV file")
    group.add_argument(
        "--features",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="CSV with topic, doc, perhaps grade, and features; or a TREC run; repeatable",
    )
    group.add_argument(
        "--columns",
        metavar="NAMES",
        help=f"columns of --replay: topic, first, second, worker, answer (default: {COLUMNS})",
    )
    group.add_argument(
        "--answers",
        metavar="WORDS",
        help=f"what its answer column says for first, second, tie (default: {ANSWERS})",
    )
    group.add_argument(
        "--error", type=float, default=0.0, metavar="E", help="share of wrong answers"
    )
    group.add_argument(
        "--error-spread", type=float, default=0.0, metavar="S", help="its spread between workers"
    )
    group.add_argument(
        "--spammers", type=float, default=0.0, metavar="S", help="share answering at random"
    )
    group.add_argument(
        "--left", type=float, default=0.0, metavar="S", help="share always saying left"
    )
    group.add_argument(
        "--reversers",
        type=float,
        default=0.0,
        metavar="S",
        help="share saying better for worse and worse for better",
    )
    group.add_argument(
        "--crowd", type=int, metavar="N", help="how many workers there are (default: 100, or more)"
    )


def _add_mechanisms(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--selector",
        action="append",
        metavar="NAME",
        help=f"{', '.join(selector_names())}; repeatable (default: {DEFAULT_SELECTOR})",
    )
    group.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="for every selector named that has it; repeatable",
    )
    group.add_argument("--votes", type=int, default=1, metavar="V", help="workers per pair")
    group.add_argument(
        "--on-conflict",
        default=ConflictPolicy.OLDER_WINS.value,
        choices=[policy.value for policy in ConflictPolicy],
        metavar="|".join(ConflictPolicy),
        help="what an answer does that contradicts the order",
    )
    group.add_argument(
        "--workers", type=int, default=1, metavar="W", help="how many answer at once"
    )
    group.add_argument(
        "--no-baseline", action="store_true", help="do not run quick-sort beside the others"
    )


def _add_scale(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--budget", type=float, metavar="J", help="judgments per document, at most")
    group.add_argument(
        "--topics", metavar="IDS|N", help="only these topics (1,2,3), or the first N"
    )
    group.add_argument(
        "--max-documents", type=int, metavar="N", help="a random sample per topic and repeat"
    )
    group.add_argument("--repeat", type=int, default=1, metavar="R")
    group.add_argument(
        "--seed", type=int, default=0, metavar="S", help="of the first repeat; the next has S+1"
    )
    group.add_argument(
        "--jobs",
        type=int,
        default=1,
        metavar="P",
        help="processes to use; with --url, topics judged at once",
    )


def _add_results(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--json", type=Path, metavar="FILE", help="one object per selector and repeat"
    )
    group.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="judgments and quality per mechanism, and how quality grew",
    )
