"""The picture of a study: judgments per mechanism, as Figure 1 of Merge-Tie-Judge shows them."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import t as student

from nextpair.app.simulation.report import Results
from nextpair.selectors.errors import NextpairError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAND, MEAN, ENDS = "#9ecae1", "#08519c", "#6b7280"


class NoPlots(NextpairError):
    """Plots need matplotlib: pip install 'nextpair[plot]'."""


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % confidence interval of the mean."""
    mean, count = float(np.mean(values)), len(values)
    if count < 2:
        return mean, mean
    half = float(student.ppf(0.975, count - 1) * np.std(values, ddof=1) / np.sqrt(count))
    return mean - half, mean + half


def check_format(path: Path) -> None:
    """Say what to install if plots cannot be drawn, or which endings a plot's name can have."""
    if find_spec("matplotlib") is None:
        raise NoPlots
    from matplotlib.backend_bases import FigureCanvasBase  # an extra: only those who draw need it

    endings = FigureCanvasBase.get_supported_filetypes()
    if path.suffix[1:].lower() not in endings:
        raise NextpairError(f"cannot draw to {path}: its name must end in .{', .'.join(endings)}")


def draw(results: Results, path: Path) -> None:
    """Draw mean, smallest, largest and 95 % interval of the judgments of each mechanism."""
    check_format(path)
    from matplotlib.figure import Figure  # an extra: only those who draw need it

    figure = Figure(figsize=(9, 1.6 + 0.6 * len(results)), layout="constrained")
    axes = figure.add_subplot()
    for place, runs in enumerate(results.values()):
        _draw_mechanism(axes, place, [run.judgments for run in runs])
    repeats = max(len(runs) for runs in results.values())
    axes.set_yticks(range(len(results)), list(results))
    axes.set_ylim(len(results) - 0.4, -0.7)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlabel(
        f"judgments in {repeats} repeats: mean (dot), its 95 % interval (band), min and max (line)"
    )
    axes.use_sticky_edges = False
    axes.margins(x=0.08)
    axes.grid(axis="x", color="#e5e7eb")
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise NextpairError(f"cannot draw to {path}: {error}") from error


def _draw_mechanism(axes: "Axes", place: int, values: Sequence[float]) -> None:
    mean, (low, high) = float(np.mean(values)), interval(values)
    axes.plot([min(values), max(values)], [place] * 2, color=ENDS, lw=1, marker="|", ms=10)
    axes.barh(place, high - low, left=low, height=0.4, color=BAND)
    axes.plot(mean, place, "o", color=MEAN)
    axes.annotate(
        f"{mean:,.0f}", (mean, place), (0, 17), textcoords="offset points", ha="center", fontsize=9
    )
