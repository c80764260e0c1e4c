"""What a simulation measured, for programs and notebooks: tables, rows, JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from rich.console import Console
from rich.table import Table

from nextpair.app.simulation import report
from nextpair.app.simulation.report import Results
from nextpair.app.simulation.runs import Plan
from nextpair.app.simulation.studies import Run, Study

WIDTH = 160
"""Columns of a table that is not shown in a terminal."""


@dataclass(frozen=True)
class Simulation:
    """What a simulation measured; printed, it shows its tables.

    Parameters
    ----------
    mechanisms
        The runs of each selector that was asked for, one per repeat, by the name it is shown under.
    baseline
        The runs of quick-sort, which the others are compared with, if there is to be a comparison.
    """

    mechanisms: Results
    baseline: Sequence[Run] | None = None

    @property
    def results(self) -> Results:
        """The runs of all, the baseline first if it was not asked for itself."""
        asked = [runs[0].plan for runs in self.mechanisms.values()]
        if not self.baseline or self.baseline[0].plan in asked:
            return self.mechanisms
        name = report.display_name(self.baseline[0].plan)
        return {f"{name} (baseline)": self.baseline, **self.mechanisms}

    @property
    def finished(self) -> bool:
        """Whether every run came to its end."""
        return all(run.finished for runs in self.results.values() for run in runs)

    def table(self, width: int = WIDTH) -> Table:
        """Lay all out side by side, each at its end."""
        return report.table(self.results, width)

    def comparison(self, width: int = WIDTH) -> Table | None:
        """Compare with quick-sort at equal quality; None if there is nothing to compare."""
        if not self.baseline:
            return None
        return report.comparison_table(self.mechanisms, self.baseline, width)

    def rows(self) -> list[dict[str, object]]:
        """Return one row for each mechanism and repeat, with the fields of `--json`."""
        return [report.row(run) for runs in self.results.values() for run in runs]

    def __str__(self) -> str:
        console = Console(file=StringIO(), width=WIDTH, color_system=None)
        with console.capture() as shown:
            for table in filter(None, (self.table(), self.comparison())):
                console.print(table)
        return shown.get()


def measured(study: Study, plans: Sequence[Plan], baseline: Plan | None) -> Simulation:
    """Return what a study that was played has measured."""
    mechanisms = {report.display_name(plan): study.runs(plan) for plan in plans}
    return Simulation(mechanisms, study.runs(baseline) if baseline else None)


def played(plans: Sequence[Plan], baseline: Plan | None) -> list[Plan]:
    """Return all plans to play, the baseline first if it was not asked for itself."""
    return [*([baseline] if baseline and baseline not in plans else []), *plans]
