"""`nextpair simulate`: compare selectors in simulation."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from nextpair.app.local.service_client import open_client
from nextpair.app.simulation import command_arguments
from nextpair.app.simulation.command_inputs import (
    baseline_plan,
    check_counts,
    make_plans,
    read_truths,
)
from nextpair.app.simulation.plot import check_format, draw
from nextpair.app.simulation.remote_backend import RemoteBackends
from nextpair.app.simulation.report import to_json
from nextpair.app.simulation.results import WIDTH, all_plans, collect_results
from nextpair.app.simulation.runs import SimulationPlan
from nextpair.app.simulation.studies import SimulatedStudy
from nextpair.selectors.errors import NextpairError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.set_defaults(run=simulate)
    command_arguments.add_arguments(parser)


def simulate(arguments: argparse.Namespace) -> int:
    """Run the simulation; return 0 if every run finished."""
    check_counts(arguments)
    _check_outputs(arguments)
    plans = make_plans(arguments)
    baseline = None if arguments.no_baseline else baseline_plan(arguments)
    with _open_study(arguments, all_plans(plans, baseline)) as study:
        _play(study, arguments.jobs)
    simulation = collect_results(study, plans, baseline)
    console = _console(sys.stdout)
    for table in filter(
        None, (simulation.table(console.width), simulation.comparison(console.width))
    ):
        console.print(table)
    if arguments.json:
        _write(arguments.json, to_json(simulation.results))
    if arguments.plot:
        draw(simulation.results, arguments.plot)
    return 0 if simulation.finished else 1


@contextmanager
def _open_study(
    arguments: argparse.Namespace, plans: Sequence[SimulationPlan]
) -> Iterator[SimulatedStudy]:
    """Prepare the simulation, in this process or at a service."""
    truths, chance = read_truths(arguments), {"repeat": arguments.repeat, "seed": arguments.seed}
    curves = bool(not arguments.no_baseline or arguments.json or arguments.plot)
    if arguments.url is None:
        yield SimulatedStudy(truths, plans, **chance, with_curves=curves)
        return
    with open_client(arguments) as client:
        backends = RemoteBackends(client)
        for name in backends.prepare(
            plans, range(arguments.seed, arguments.seed + arguments.repeat)
        ):
            print(f"study {name}", file=sys.stderr)
        yield SimulatedStudy(truths, plans, **chance, backends=backends, with_curves=curves)


def _play(study: SimulatedStudy, jobs: int) -> None:
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
        for _ in study.run(jobs):
            bar.advance(task)


def _console(file: TextIO) -> Console:
    """Make a console that is wide enough for the tables when the output is a pipe."""
    console = Console(file=file)
    return console if console.is_terminal else Console(file=file, width=WIDTH)


def _check_outputs(arguments: argparse.Namespace) -> None:
    """Fail before the simulation, not after it, if its results cannot be written."""
    for path in (arguments.json, arguments.plot):
        if path and path.is_dir():
            raise NextpairError(f"cannot write {path}: it is a folder")
        if path and not path.parent.is_dir():
            raise NextpairError(f"cannot write {path}: there is no folder {path.parent}")
    if arguments.plot:
        check_format(arguments.plot)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise NextpairError(f"cannot write {path}: {error}") from error
