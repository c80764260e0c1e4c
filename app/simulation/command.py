"""`nextpair simulate`: measure selectors against each other before anyone is asked."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from nextpair.app.commands.remote import open_client
from nextpair.app.simulation import arguments
from nextpair.app.simulation.inputs import (
    baseline_plan,
    check_counts,
    make_plans,
    read_truths,
)
from nextpair.app.simulation.plot import check_format, draw
from nextpair.app.simulation.remote_desk import RemoteDesks
from nextpair.app.simulation.report import to_json
from nextpair.app.simulation.results import WIDTH, measured, played
from nextpair.app.simulation.runs import Plan
from nextpair.app.simulation.studies import Study
from nextpair.selectors.errors import NextpairError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.set_defaults(run=simulate)
    arguments.add_arguments(parser)


def simulate(given: argparse.Namespace) -> int:
    """Run the study; 0 only if every run finished."""
    check_counts(given)
    _check_outputs(given)
    plans = make_plans(given)
    baseline = None if given.no_baseline else baseline_plan(given)
    with _open_study(given, played(plans, baseline)) as study:
        _play(study, given.jobs)
    found = measured(study, plans, baseline)
    console = _console(sys.stdout)
    for table in filter(None, (found.table(console.width), found.comparison(console.width))):
        console.print(table)
    if given.json:
        _write(given.json, to_json(found.results))
    if given.plot:
        draw(found.results, given.plot)
    return 0 if found.finished else 1


@contextmanager
def _open_study(given: argparse.Namespace, plans: Sequence[Plan]) -> Iterator[Study]:
    """Prepare what is to be played, here or at a service."""
    truths, chance = read_truths(given), {"repeat": given.repeat, "seed": given.seed}
    curves = bool(not given.no_baseline or given.json or given.plot)
    if given.url is None:
        yield Study(truths, plans, **chance, with_curves=curves)
        return
    with open_client(given) as client:
        desks = RemoteDesks(client)
        for name in desks.prepare(plans, range(given.seed, given.seed + given.repeat)):
            print(f"study {name}", file=sys.stderr)
        yield Study(truths, plans, **chance, desks=desks, with_curves=curves)


def _play(study: Study, jobs: int) -> None:
    columns = (
        TextColumn("judging"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("topics"),
        TimeRemainingColumn(),
    )
    console = _console(sys.stderr)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("judging", total=len(study))
        for _ in study.play(jobs):
            bar.advance(task)


def _console(file: TextIO) -> Console:
    """Make a console that never breaks a table only because nobody told it how wide a pipe is."""
    console = Console(file=file)
    return console if console.is_terminal else Console(file=file, width=WIDTH)


def _check_outputs(given: argparse.Namespace) -> None:
    """Find out before the study, not after it, that its results cannot be kept."""
    for path in (given.json, given.plot):
        if path and path.is_dir():
            raise NextpairError(f"cannot write {path}: it is a folder")
        if path and not path.parent.is_dir():
            raise NextpairError(f"cannot write {path}: there is no folder {path.parent}")
    if given.plot:
        check_format(given.plot)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise NextpairError(f"cannot write {path}: {error}") from error
