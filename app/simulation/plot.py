"""The plot of a simulation: judgments per selector with their quality, and the quality curves.

Judgments are shown as in Figure 1 of Merge-Tie-Judge; the quality curves are beside them.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nextpair.app.simulation.curves import mean_curve
from nextpair.app.simulation.equal_quality import end_quality
from nextpair.app.simulation.report import Results
from nextpair.app.simulation.studies import StudyRun
from nextpair.selectors.errors import NextpairError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAND, MEAN, ENDS = "#9ecae1", "#08519c", "#6b7280"


class PlotsUnavailable(NextpairError):
    """Plots need matplotlib: pip install 'nextpair[plot]'."""

    code = "no-plots"


def confidence_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % confidence interval of the mean (Student's t)."""
    mean, count = float(np.mean(values)), len(values)
    if count < 2:
        return mean, mean
    from nextpair.selectors.deferred.measures import t as student

    half = float(student.ppf(0.975, count - 1) * np.std(values, ddof=1) / np.sqrt(count))
    return mean - half, mean + half


def check_format(path: Path) -> None:
    """Raise if matplotlib is missing, or does not support the file name's extension."""
    if find_spec("matplotlib") is None:
        raise PlotsUnavailable
    from matplotlib.backend_bases import FigureCanvasBase  # an extra: only those who draw need it

    endings = FigureCanvasBase.get_supported_filetypes()
    if path.suffix[1:].lower() not in endings:
        raise NextpairError(f"cannot draw to {path}: its name must end in .{', .'.join(endings)}")


def draw(results: Results, path: Path) -> None:
    """Draw the judgments and the quality of each selector, and the quality curves."""
    check_format(path)
    from matplotlib.figure import Figure  # an extra: only those who draw need it

    figure = Figure(figsize=(14, max(4, 1.6 + 0.6 * len(results))), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    _draw_totals(left, results)
    _draw_curves(right, results)
    for axes in (left, right):
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.set_axisbelow(True)
        axes.spines[["top", "right", "left"]].set_visible(False)
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise NextpairError(f"cannot draw to {path}: {error}") from error


def _draw_totals(axes: "Axes", results: Results) -> None:
    """Draw mean, minimum, maximum and 95 % interval of the judgments of each selector."""
    for place, runs in enumerate(results.values()):
        _draw_mechanism(axes, place, [run.judgments for run in runs])
    repeats = max(len(runs) for runs in results.values())
    axes.set_yticks(range(len(results)), [_with_quality(*result) for result in results.items()])
    axes.set_ylim(len(results) - 0.4, -0.7)
    axes.set_xlabel(
        f"judgments in {repeats} repeats: mean (dot), its 95 % interval (band), min and max (line)"
    )
    axes.use_sticky_edges = False
    axes.margins(x=0.08)
    axes.grid(axis="x", color="#e5e7eb")


def _with_quality(name: str, runs: Sequence[StudyRun]) -> str:
    return f"{name}\ntau-b {end_quality(runs)}"


def _draw_curves(axes: "Axes", results: Results) -> None:
    """Draw the mean tau-b against the judgments; a dot marks the end."""
    for name, runs in results.items():
        curve = mean_curve([run.curve for run in runs])
        (line,) = axes.plot(curve.judgments, curve.tau_b, lw=1.5, label=name)
        axes.plot(curve.judgments[-1], curve.tau_b[-1], "o", color=line.get_color())
    axes.set_xlabel("judgments")
    axes.set_ylabel("mean tau-b with the truth")
    axes.grid(color="#e5e7eb")
    axes.legend(frameon=False)


def _draw_mechanism(axes: "Axes", place: int, values: Sequence[float]) -> None:
    mean, (low, high) = float(np.mean(values)), confidence_interval(values)
    axes.plot([min(values), max(values)], [place] * 2, color=ENDS, lw=1, marker="|", ms=10)
    axes.barh(place, high - low, left=low, height=0.4, color=BAND)
    axes.plot(mean, place, "o", color=MEAN)
    axes.annotate(
        f"{mean:,.0f}", (mean, place), (0, 17), textcoords="offset points", ha="center", fontsize=9
    )
