"""What a study showed: tables for people, JSON for programs."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from rich import box
from rich.table import Table

from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.equal_quality import (
    Comparison,
    Level,
    Reached,
    compare_quality,
    end_quality,
)
from nextpair.app.simulation.runs import Plan
from nextpair.app.simulation.studies import Run
from nextpair.selectors.base import End

Results = Mapping[str, Sequence[Run]]
"""The runs of each mechanism, by the name it is shown under."""


def display_name(plan: Plan) -> str:
    """Name a mechanism by its selector and the options that were set."""
    options = ", ".join(f"{key}={value}" for key, value in plan.options.items())
    return f"{plan.selector} ({options})" if options else plan.selector


def variation(values: Sequence[float]) -> float | None:
    """Return the coefficient of variation, or None where there is nothing to compare."""
    mean = float(np.mean(values))
    return float(np.std(values, ddof=1)) / mean if len(values) > 1 and mean else None


def topic_variation(runs: Sequence[Run]) -> float | None:
    """Return the mean over topics of the variation of each topic's judgments over repeats."""
    per_topic = np.array([[topic.judgments for topic in run.topics] for run in runs])
    found = [variation(judgments) for judgments in per_topic.T]
    known = [value for value in found if value is not None]
    return float(np.mean(known)) if known else None


NARROW = 100
"""Below this many columns the table leaves out what `--json` has anyway."""
HEADINGS = (
    "at the\nquality of",
    "judgments",
    "its\ntau-b",
    "quick-sort:\njudgments",
    "its\ntau-b",
    "difference",
)


def table(results: Results, width: int) -> Table:
    """Lay the mechanisms out side by side, each at its end, in a terminal of this width."""
    narrow = width < NARROW
    shown = _empty_table(width)
    shown.caption, shown.caption_justify = _caption(results), "left"
    rows = {name: _cells(runs, narrow) for name, runs in results.items()}
    for heading in next(iter(rows.values())):
        shown.add_column(heading, justify="right", no_wrap=True)
    for name, runs in results.items():
        shown.add_row(name, *rows[name].values(), style="" if _finished(runs) else "red")
    return shown


def comparison_table(results: Results, baseline: Sequence[Run], width: int) -> Table | None:
    """Compare each mechanism with the baseline, at equal quality; None if there is no other."""
    shown = _empty_table(width)
    shown.title, shown.title_justify = "Against quick-sort, at equal quality", "left"
    shown.title_style = "bold"
    for heading in HEADINGS:
        shown.add_column(heading, justify="right", no_wrap=True)
    for name, runs in results.items():
        if runs[0].plan != baseline[0].plan:
            for place, compared in enumerate(compare_quality(runs, baseline)):
                shown.add_row("" if place else name, *_comparison_cells(compared))
    return shown if shown.row_count else None


def _comparison_cells(compared: Comparison) -> list[str]:
    level = {Level.END: "both", Level.OWN: "its end", Level.BASELINE: "quick-sort"}
    difference = "-" if compared.difference is None else f"{compared.difference:+.1%}"
    return [
        level[compared.level],
        *_reached_cells(compared.own),
        *_reached_cells(compared.baseline),
        difference,
    ]


def _reached_cells(reached: Reached) -> list[str]:
    if reached.judgments is None:
        return ["not reached", f"{reached.quality}"]
    return [f"{reached.judgments:,.0f}", f"{reached.quality}"]


def _empty_table(width: int) -> Table:
    padding = (0, 0) if width < NARROW else (0, 1, 0, 0)
    shown = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, padding=padding)
    shown.add_column("selector", overflow="fold")
    return shown


def _caption(results: Results) -> str | None:
    """Say what share of the crowd always says left or reverses; None where nobody does."""
    crowds = dict.fromkeys(run.plan.crowd for runs in results.values() for run in runs)
    told = [
        ", ".join(f"{word} {share:g}" for word, share in shares.items())
        for crowd in crowds
        if (shares := _bad_shares(crowd))
    ]
    return "\n".join(f"in the crowd: {shares}" for shares in told) or None


def _cells(runs: Sequence[Run], narrow: bool) -> dict[str, str]:
    judgments, documents = _mean(runs), float(np.mean([run.documents for run in runs]))
    quality = end_quality(runs)
    cells = {
        "documents": f"{documents:,.0f}",
        "judgments": f"{judgments:,.0f}{_unknown(runs)}",
        "per\ndocument": f"{judgments / documents:.3f}",
        "tau-b": f"{quality.tau_b:.4f}",
        "its standard\nerror": "-" if quality.error is None else f"{quality.error:.4f}",
        "exact": f"{sum(run.exact for run in runs)}/{len(runs)}",
        "CV": _percent(variation([run.judgments for run in runs])),
        "CV per\ntopic": _percent(topic_variation(runs)),
        "seconds": f"{np.mean([run.seconds for run in runs]):.1f}",
    }
    left_out = ("exact", "CV per\ntopic") if narrow else ()
    return {heading: cell for heading, cell in cells.items() if heading not in left_out}


def _mean(runs: Sequence[Run]) -> float:
    return float(np.mean([run.judgments for run in runs]))


def _finished(runs: Sequence[Run]) -> bool:
    return all(run.finished for run in runs)


def _unknown(runs: Sequence[Run]) -> str:
    """Say after a number of judgments that they did not lead to a goal, if so in any topic."""
    if not _finished(runs):
        return " unfinished"
    stopped = any(topic.ended is End.BUDGET for run in runs for topic in run.topics)
    return " budget" if stopped else ""


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.2%}"


def to_json(results: Results) -> str:
    """Write an array with one object per mechanism and repeat, each on a line of its own."""
    objects = [json.dumps(row(run)) for runs in results.values() for run in runs]
    return "[\n" + ",\n".join(objects) + "\n]\n"


def row(run: Run) -> dict[str, object]:
    """Put a run in one row."""
    return {
        "selector": run.plan.selector,
        "options": dict(run.plan.options),
        "seed": run.seed,
        "topics": len(run.topics),
        "documents": run.documents,
        "judgments": run.judgments,
        "conflicts": run.conflicts,
        "tau_b": run.tau_b,
        "exact": run.exact,
        "finished": run.finished,
        "ended": Counter(topic.ended or "unfinished" for topic in run.topics),
        "seconds": round(run.seconds, 3),
        "peak_mb": round(run.peak_mb, 1),
        "curve": [[*point] for point in zip(*_columns(run), strict=True)],
        "per_topic": {topic.topic: topic.judgments for topic in run.topics},
        **_bad_shares(run.plan.crowd),
    }


def _columns(run: Run) -> tuple[list[float], list[float]]:
    return run.curve.judgments.tolist(), run.curve.tau_b.tolist()


def _bad_shares(crowd: CrowdSettings) -> dict[str, float]:
    """Return the shares of who always says left and who reverses, as far as there are any."""
    shares = {"left": crowd.left, "reversers": crowd.reversers}
    return {word: share for word, share in shares.items() if share}
