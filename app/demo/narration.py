"""The output of the demonstration, on a terminal or in a log."""

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
from nextpair.app.demo.example_study import STUDY, VOTES_PER_PAIR, JudgedTopic
from nextpair.app.formats.pools import Pool
from nextpair.app.local.running_service import RunningService
from nextpair.app.schemas.results import ExplanationOut
from nextpair.selectors.state.judgments import Outcome

MAX_WIDTH = 100
OUTCOME_PHRASES = {
    Outcome.BETTER: "better than",
    Outcome.WORSE: "worse than",
    Outcome.TIE: "as good as",
}


def open_console() -> Console:
    """Make a console of readable width; 80 columns outside a terminal."""
    console = Console(highlight=False)
    wide = min(console.width, MAX_WIDTH) if console.is_terminal else 80
    return Console(highlight=False, width=wide)


def print_setting(
    console: Console, running: RunningService, folder: Path, pools: Sequence[Pool]
) -> None:
    """Print the service, the study and the workers."""
    sizes = [len(pool.documents) for pool in pools]
    pairs = sum(size * (size - 1) // 2 for size in sizes)
    console.print()
    _print_facts(
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


def _print_facts(console: Console, facts: dict[str, str]) -> None:
    table = Table.grid(padding=(0, 3, 0, 0))
    for name, fact in facts.items():
        table.add_row(f"[dim]{name}[/]", fact)
    _print_inside(console, table)


@dataclass(frozen=True, slots=True)
class NextSteps:
    """The URLs for the person who has watched.

    Parameters
    ----------
    minutes
        How long the dashboard's sign-in URL is valid.
    """

    judging: str
    dashboard: str
    minutes: int


@contextmanager
def progress_bar(console: Console, client: Client, pairs: int) -> Iterator[Callable[[], None]]:
    """Show the progress of the study, updated whenever the yielded function is called."""
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
            decided = pairs - sum(topic.unknown_pairs for topic in topics)
            asked = sum(topic.judged_pairs for topic in topics)
            bar.update(task, completed=decided, asked=asked)

        yield show


def print_ranking(console: Console, judged: JudgedTopic) -> None:
    """Print a topic's classes, best first."""
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


def print_inference(console: Console, judged: JudgedTopic, explanation: ExplanationOut) -> None:
    """Print how a relation that nobody judged was inferred."""
    titles = {name: f"“{escape(title)}”" for name, title in _titles(judged.pool).items()}
    first, second = titles[explanation.first], titles[explanation.second]
    console.print(f"\n[bold]Why is {first} better than {second}?[/]")
    console.print("  [dim]Nobody was asked. It follows:[/]")
    for step in explanation.because:
        numbers = ", ".join(map(str, step.judgments))
        sentence = f"{titles[step.first]} is {OUTCOME_PHRASES[step.outcome]} {titles[step.second]}"
        _print_inside(console, f"{sentence} [dim](judgments {numbers})[/]")


def print_summary(console: Console, all_judged: Sequence[JudgedTopic], exact: int) -> None:
    """Print the cost, and that of judging every pair."""
    pairs = sum(judged.pairs for judged in all_judged)
    asked = sum(judged.progress.judged_pairs for judged in all_judged)
    inferred = sum(judged.progress.inferred_pairs for judged in all_judged)
    judgments = sum(judged.progress.judgments for judged in all_judged)
    every = pairs * VOTES_PER_PAIR
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


def print_next_steps(
    console: Console, running: RunningService, folder: Path, way: NextSteps
) -> None:
    """Print the next steps, with lines to copy."""
    console.print("\n[bold]The service goes on running[/]")
    # Not in a table: a URL that is wrapped is no longer a link.
    addresses = {
        "judge a few answers yourself": way.judging,
        f"look at it, signed in (once, within {way.minutes} minutes)": way.dashboard,
        "the same later, with the key": f"{running.url}/studies",
    }
    for what, address in addresses.items():
        console.print(f"  [dim]{what}[/]")
        console.print(f"    {address}", markup=False, soft_wrap=True)
    _print_facts(
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
    """Return the command of this program: in a fresh clone it is not on the path."""
    if shutil.which("nextpair"):
        return "nextpair"
    if Path(sys.argv[0]).name == "nextpair":
        return sys.argv[0]
    return f"{sys.executable} -m nextpair.app.cli"


def shell_lines(running: RunningService, folder: Path) -> list[str]:
    """Return example commands for a shell in the folder of the demonstration."""
    call = 'curl -H "Authorization: Bearer $KEY"'
    body = """-H 'Content-Type: application/json' -d '{"worker": "worker-1", "dry_run": true}'"""
    return [
        f"KEY=$(cat {folder}/key) STUDY={running.url}/v1/studies/{STUDY}",
        f"{call} $STUDY/topics/coffee/ranking",
        f'{call} "$STUDY/topics/coffee/explain?first=coffee-01&second=coffee-02"',
        f"{call} $STUDY/export/qrels",
        f"{call} {body} $STUDY/retractions",
    ]
