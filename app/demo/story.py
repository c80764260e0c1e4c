"""What the demonstration tells, calmly, on a terminal or in a log."""

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from nextpair.app.client import Client
from nextpair.app.demo.crowd import ERROR, WORKERS
from nextpair.app.demo.example import FEWEST, STUDY, Judged
from nextpair.app.formats.pools import Pool
from nextpair.app.local.address import Running
from nextpair.app.schemas.results import ExplanationOut
from nextpair.selectors.state.judgments import Outcome

WIDEST = 100
SAID = {Outcome.BETTER: "better than", Outcome.WORSE: "worse than", Outcome.TIE: "as good as"}


def open_console() -> Console:
    """Make a console that is never too wide to read, and 80 columns wide where nobody says."""
    console = Console(highlight=False)
    wide = min(console.width, WIDEST) if console.is_terminal else 80
    return Console(highlight=False, width=wide)


def tell_setting(console: Console, running: Running, folder: Path, pools: Sequence[Pool]) -> None:
    """Say what is about to happen."""
    sizes = [len(pool.documents) for pool in pools]
    pairs = sum(size * (size - 1) // 2 for size in sizes)
    console.print()
    _facts(
        console,
        {
            "service": f"{running.url}, on SQLite in {escape(str(folder))}/",
            "study": f"{STUDY}: {len(pools)} questions, {sum(sizes)} answers to rank,"
            f" {pairs} pairs of answers",
            "workers": f"{WORKERS} simulated ones who call the service at the same time, wrong once"
            f" in {round(1 / ERROR)}; what is certain is left alone,"
            " what is in doubt goes to others, too",
        },
    )
    console.print()


def _print_inside(console: Console, what: RenderableType) -> None:
    console.print(Padding(what, (0, 0, 0, 2), expand=False))


def _facts(console: Console, facts: dict[str, str]) -> None:
    table = Table.grid(padding=(0, 3, 0, 0))
    for name, fact in facts.items():
        table.add_row(f"[dim]{name}[/]", fact)
    _print_inside(console, table)


@dataclass(frozen=True, slots=True)
class WayOn:
    """Addresses for whoever has watched.

    Parameters
    ----------
    minutes
        How long the dashboard's address signs in.
    """

    judging: str
    dashboard: str
    minutes: int


@contextmanager
def progress_bar(console: Console, client: Client, pairs: int) -> Iterator[Callable[[], None]]:
    """Show how far the service says the study has come, whenever what is yielded is called."""
    columns = (
        TextColumn("  [dim]judging[/]  "),
        BarColumn(24, complete_style="cyan", finished_style="cyan"),
        MofNCompleteColumn(),
        TextColumn("pairs asked or inferred [dim]·[/] {task.fields[asked]} asked"),
    )
    if not console.is_terminal:
        console.print("  judging ...")
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("judging", total=pairs, asked=0)

        def show() -> None:
            topics = client.study_progress(STUDY).topics
            known = pairs - sum(topic.unknown_pairs for topic in topics)
            asked = sum(topic.judged_pairs for topic in topics)
            bar.update(task, completed=known, asked=asked)

        yield show


def tell_ranking(console: Console, judged: Judged) -> None:
    """Show a topic's classes, best first."""
    progress, titles = judged.progress, _titles(judged.pool)
    console.print(f"\n[bold]{escape(judged.pool.title)}[/]")
    table = Table.grid(padding=(0, 2, 0, 0))
    for level, names in enumerate(judged.ranking.classes, start=1):
        shown = " [dim]·[/] ".join(escape(titles[name]) for name in names)
        table.add_row(f"[cyan]{level}[/]", shown)
    _print_inside(console, table)
    console.print(
        f"  [dim]{progress.judgments} judgments on {progress.judged_pairs} of {judged.pairs}"
        f" pairs; {progress.inferred_pairs} inferred, {progress.unknown_pairs} open"
        f"{_conflicts(progress.conflicts)}[/]"
    )


def _conflicts(count: int) -> str:
    return f"; {count} judgments contradict the order" if count else ""


def _titles(pool: Pool) -> dict[str, str]:
    return {document.id: document.title for document in pool.documents}


def tell_inference(console: Console, judged: Judged, found: ExplanationOut) -> None:
    """Show how something is known that nobody was asked."""
    titles = {name: f"“{escape(title)}”" for name, title in _titles(judged.pool).items()}
    first, second = titles[found.first], titles[found.second]
    console.print(f"\n[bold]Why is {first} better than {second}?[/]")
    console.print("  [dim]Nobody was asked. It follows:[/]")
    for step in found.because:
        numbers = ", ".join(map(str, step.judgments))
        said = f"{titles[step.first]} is {SAID[step.outcome]} {titles[step.second]}"
        _print_inside(console, f"{said} [dim](judgments {numbers})[/]")


def tell_sum(console: Console, all_judged: Sequence[Judged], exact: int) -> None:
    """Say what it cost, and what asking every pair would have."""
    pairs = sum(one.pairs for one in all_judged)
    asked = sum(one.progress.judged_pairs for one in all_judged)
    inferred = sum(one.progress.inferred_pairs for one in all_judged)
    judgments = sum(one.progress.judgments for one in all_judged)
    every = pairs * FEWEST
    console.print(f"\n[bold]{1 - judgments / every:.0%} fewer judgments than asking every pair[/]")
    console.print(
        f"  {asked} of {pairs} pairs were asked, {inferred} are inferred,"
        f" {pairs - asked - inferred} are open.\n  That took {judgments} judgments;"
        f" every pair, with two workers each, takes at least {every}."
    )
    console.print(
        f"  In {exact} of {len(all_judged)} topics the classes are exactly those the answers were"
        " written to be."
    )


def tell_way_on(console: Console, running: Running, folder: Path, way: WayOn) -> None:
    """Say how to go on, with lines that work as they stand."""
    console.print("\n[bold]The service goes on running[/]")
    # Not in a table: an address that is broken into lines is no link any more.
    told = {
        "judge a few answers yourself": way.judging,
        f"look at it, signed in (once, within {way.minutes} minutes)": way.dashboard,
        "the same later, with the key": f"{running.url}/studies",
    }
    for what, address in told.items():
        console.print(f"  [dim]{what}[/]")
        console.print(f"    {address}", markup=False, soft_wrap=True)
    _facts(
        console,
        {
            "API": f"{running.url}/openapi.json (with the key), docs/service.md",
            "key": f"in {escape(str(folder))}/key",
            "stop it": f"{escape(_command())} demo --stop",
        },
    )
    console.print("\n[bold]Try[/]")
    for line in shell_lines(running, folder):
        console.print(f"  {line}", markup=False, soft_wrap=True)
    console.print()


def _command() -> str:
    """Return how this program is called here: in a fresh clone it is not on the path."""
    if shutil.which("nextpair"):
        return "nextpair"
    if Path(sys.argv[0]).name == "nextpair":
        return sys.argv[0]
    return f"{sys.executable} -m nextpair.app.cli"


def shell_lines(running: Running, folder: Path) -> list[str]:
    """Return lines for a shell, in the folder where the demonstration was started."""
    call = 'curl -H "Authorization: Bearer $KEY"'
    body = """-H 'Content-Type: application/json' -d '{"worker": "worker-1", "dry_run": true}'"""
    return [
        f"KEY=$(cat {folder}/key) STUDY={running.url}/v1/studies/{STUDY}",
        f"{call} $STUDY/topics/coffee/ranking",
        f'{call} "$STUDY/topics/coffee/explain?first=coffee-01&second=coffee-02"',
        f"{call} $STUDY/export/qrels",
        f"{call} {body} $STUDY/retractions",
    ]
