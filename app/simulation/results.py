"""The result of a simulation, for programs and notebooks: tables, rows, JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from rich.console import Console
from rich.table import Table

from nextpair.app.simulation import report
from nextpair.app.simulation.report import Results
from nextpair.app.simulation.runs import SimulationPlan
from nextpair.app.simulation.studies import SimulatedStudy, StudyRun

WIDTH = 160
"""The width of a table outside a terminal, in characters."""


@dataclass(frozen=True)
class Simulation:
    """The result of a simulation; printed, it shows its tables.

    Parameters
    ----------
    mechanisms
        The runs of each requested selector, one per repeat, by its display name.
    baseline
        The runs of quick-sort, which the others are compared with; None without a comparison.
    """

    mechanisms: Results
    baseline: Sequence[StudyRun] | None = None

    @property
    def results(self) -> Results:
        """The runs of all selectors, preceded by the baseline if it was not requested itself."""
        asked = [runs[0].plan for runs in self.mechanisms.values()]
        if not self.baseline or self.baseline[0].plan in asked:
            return self.mechanisms
        name = report.display_name(self.baseline[0].plan)
        return {f"{name} (baseline)": self.baseline, **self.mechanisms}

    @property
    def finished(self) -> bool:
        """Whether every run finished."""
        return all(run.finished for runs in self.results.values() for run in runs)

    def table(self, width: int = WIDTH) -> Table:
        """Return the table of all selectors at the end of their runs."""
        return report.table(self.results, width)

    def comparison(self, width: int = WIDTH) -> Table | None:
        """Return the comparison with quick-sort at equal quality; None without a baseline."""
        if not self.baseline:
            return None
        return report.comparison_table(self.mechanisms, self.baseline, width)

    def rows(self) -> list[dict[str, object]]:
        """Return one row for each selector and repeat, with the fields of `--json`."""
        return [report.row(run) for runs in self.results.values() for run in runs]

    def __str__(self) -> str:
        console = Console(file=StringIO(), width=WIDTH, color_system=None)
        with console.capture() as shown:
            for table in filter(None, (self.table(), self.comparison())):
                console.print(table)
        return shown.get()


def collect_results(
    study: SimulatedStudy, plans: Sequence[SimulationPlan], baseline: SimulationPlan | None
) -> Simulation:
    """Collect the results of a simulation that has been run."""
    mechanisms = {report.display_name(plan): study.runs(plan) for plan in plans}
    return Simulation(mechanisms, study.runs(baseline) if baseline else None)


def all_plans(
    plans: Sequence[SimulationPlan], baseline: SimulationPlan | None
) -> list[SimulationPlan]:
    """Return all plans to run, preceded by the baseline if it was not requested itself."""
    return [*([baseline] if baseline and baseline not in plans else []), *plans]
