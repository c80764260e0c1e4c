"""What a study showed: a table for people, JSON for programs."""

import json
from collections.abc import Mapping, Sequence

import numpy as np
from rich.table import Table

from nextpair.app.simulation.runs import Plan
from nextpair.app.simulation.studies import Run

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


def table(results: Results, baseline: Sequence[Run] | None) -> Table:
    """Lay the mechanisms out side by side."""
    shown = Table(title=None, header_style="bold", pad_edge=False)
    shown.add_column("selector", overflow="fold")
    for heading in (
        "documents",
        "judgments",
        "per document",
        "vs quick-sort",
        "tau-b",
        "exact",
        "CV",
        "CV per topic",
        "seconds",
    ):
        shown.add_column(heading, justify="right")
    for name, runs in results.items():
        shown.add_row(name, *_cells(runs, baseline), style="" if _finished(runs) else "red")
    return shown


def _cells(runs: Sequence[Run], baseline: Sequence[Run] | None) -> list[str]:
    judgments = _mean(runs)
    return [
        f"{np.mean([run.documents for run in runs]):,.0f}",
        f"{judgments:,.0f}" if _finished(runs) else f"{judgments:,.0f} unfinished",
        f"{judgments / float(np.mean([run.documents for run in runs])):.3f}",
        f"{judgments / _mean(baseline) - 1:+.1%}" if baseline and _mean(baseline) else "-",
        f"{np.mean([run.tau_b for run in runs]):.4f}",
        f"{sum(run.exact for run in runs)}/{len(runs)}",
        _percent(variation([run.judgments for run in runs])),
        _percent(topic_variation(runs)),
        f"{np.mean([run.seconds for run in runs]):.1f}",
    ]


def _mean(runs: Sequence[Run]) -> float:
    return float(np.mean([run.judgments for run in runs]))


def _finished(runs: Sequence[Run]) -> bool:
    return all(run.finished for run in runs)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.2%}"


def to_json(results: Results) -> str:
    """Write an array with one object per mechanism and repeat, each on a line of its own."""
    objects = [json.dumps(_object(run)) for runs in results.values() for run in runs]
    return "[\n" + ",\n".join(objects) + "\n]\n"


def _object(run: Run) -> dict[str, object]:
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
        "seconds": round(run.seconds, 3),
        "peak_mb": round(run.peak_mb, 1),
        "per_topic": {topic.topic: topic.judgments for topic in run.topics},
    }
