"""What one answer and one question cost, and how that grows with the number of documents."""

import argparse
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from matplotlib.figure import Figure

from benchmarks.section import Section, main, met
from nextpair.selectors.base import Idle
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Judgment, Outcome, Pair
from nextpair.selectors.state.settings import Lease, Settings
from nextpair.selectors.state.tie_matrix import random_ties
from nextpair.selectors.state.topic_state import Topic

SIZES = (250, 500, 1000, 2000, 3000, 4000)
GRADES = (0.75, 0.15, 0.08, 0.02)
PLOT = Path(__file__).resolve().parents[1] / "docs" / "speed.png"
Times = dict[str, list[float]]
Result = TypeVar("Result")


class FullScan:
    """The plain way, as a baseline: an N x N table of relations, and an argmax over N x N."""

    def __init__(self, size: int) -> None:
        self._better = np.zeros((size, size), dtype=np.bool_)
        self._tied = np.eye(size, dtype=np.bool_)
        self._p = random_ties(size, np.random.default_rng(0))

    def select(self) -> Pair:
        """Scan everything for the largest pair that is not known."""
        known = self._better | self._better.T | self._tied
        flat = int(np.where(known, -1.0, self._p).argmax())
        return divmod(flat, len(self._p))

    def absorb(self, first: int, second: int, outcome: Outcome) -> None:
        """Relate all that is above to all that is below, in one pass over the table."""
        if outcome is Outcome.TIE:
            members = self._tied[first] | self._tied[second]
            self._tied[np.ix_(members, members)] = True
            self._p[members] = self._p[first] + self._p[second]
            self._p[:, members] = (self._p[:, first] + self._p[:, second])[:, None]
            up = self._better[:, first] | self._better[:, second]
            down = self._better[first] | self._better[second]
            self._better |= np.outer(up | members, down) | np.outer(up, members)
        else:
            if outcome is Outcome.WORSE:
                first, second = second, first
            up, down = self._better[:, first], self._better[second]
            self._better |= np.outer(up | self._tied[first], down | self._tied[second])


def measure(given: argparse.Namespace) -> Section:
    """Time every size, ours beside the baseline, and draw the growth."""
    lines: dict[str, Callable[[int], list[float]]] = {
        "absorb": lambda size: _ours(size, "merge-tie-random")["absorb"],
        "choose": lambda size: _ours(size, "merge-tie-random")["select"],
        "choose, 64 pairs open": _crowded,
        "choose, quick-sort": lambda size: _ours(size, "quick-sort")["select"],
        "choose, uniform": lambda size: _ours(size, "uniform")["select"],
        "choose, SVM seeding": _seeding,
        "absorb, full scan": lambda size: _baseline(size)["absorb"],
        "choose, full scan": lambda size: _baseline(size)["select"],
    }
    medians = {name: [_median(timed(size)) for size in SIZES] for name, timed in lines.items()}
    _draw(medians)
    section = Section(
        "What one answer and one question cost",
        "python -m benchmarks.speed",
        "Median microseconds over a whole topic judged by merge-tie-random (others where said),"
        " with votes, log, evidence and conflicts kept as in service; `full scan` is the plain"
        " N x N way of doing the same, measured in the same run. `growth` is the exponent of N"
        " between the smallest and the largest size.",
        ("µs", *(f"N = {size:,}" for size in SIZES), "growth", "bar at 3,000"),
        [_row(name, values) for name, values in medians.items()],
        "![Median cost of an answer and a question, by the number of documents](speed.png)",
    )
    return section


def _row(name: str, values: list[float]) -> tuple[str, ...]:
    growth = np.log(values[-1] / values[0]) / np.log(SIZES[-1] / SIZES[0])
    bars = {"absorb": 100.0, "choose": 2000.0, "choose, SVM seeding": 50_000.0}
    bar = bars.get(name)
    at_bar = values[SIZES.index(3000)]
    return (
        name,
        *(f"{value:,.0f}" for value in values),
        f"{growth:.2f}",
        f"≤ {bar:,.0f}: {met(at_bar, bar)}" if bar else "-",
    )


def _median(seconds: Iterable[float]) -> float:
    return float(np.median(list(seconds))) * 1e6


def _grades(size: int) -> list[int]:
    drawn: list[int] = np.random.default_rng(size).choice(len(GRADES), size, p=GRADES).tolist()
    return drawn


def _truth(grades: list[int], first: int, second: int) -> Outcome:
    if grades[first] == grades[second]:
        return Outcome.TIE
    return Outcome.BETTER if grades[first] > grades[second] else Outcome.WORSE


def _timed(times: list[float], call: Callable[[], Result]) -> Result:
    started = time.perf_counter()
    result = call()
    times.append(time.perf_counter() - started)
    return result


def _ours(size: int, selector: str) -> Times:
    documents = [Document(f"d{place}") for place in range(size)]
    return _play(Topic(documents, Settings(selector)), _grades(size))


def _crowded(size: int, at_once: int = 64) -> list[float]:
    """Keep many pairs open at once; the oldest is answered when there is no more room."""
    grades, times, rng = _grades(size), list[float](), np.random.default_rng(0)
    topic = Topic([Document(f"d{place}") for place in range(size)], Settings("merge-tie-random"))
    leases: list[Lease] = []
    for number in range(10**9):
        choice = _timed(times, partial(topic.select, f"w{number}", leases, rng))
        if not isinstance(choice, Idle):
            leases.append(Lease(choice, f"w{number}"))
        elif choice is Idle.DONE and not leases:
            break
        if len(leases) == at_once or isinstance(choice, Idle):
            first, second = leases.pop(0).pair
            outcome = _truth(grades, first, second)
            topic.absorb(Judgment(number, f"d{first}", f"d{second}", outcome, "w"))
    return times


def _seeding(size: int) -> list[float]:
    grades, rng = _grades(size), np.random.default_rng(size)
    values = np.array(grades)[:, None] + rng.normal(size=(size, 30))
    documents = [
        Document(f"d{place}", {f"f{column}": float(value) for column, value in enumerate(row)})
        for place, row in enumerate(values)
    ]
    topic = Topic(documents, Settings("merge-tie", {"svm_judgments": 36}))
    return _play(topic, grades, most=35)["select"][1:]


def _play(topic: Topic, grades: list[int], most: int = 10**9) -> Times:
    times: Times = {"select": [], "absorb": []}
    rng = np.random.default_rng(0)
    for number in range(most):
        choice = _timed(times["select"], partial(topic.select, "w", [], rng))
        if isinstance(choice, Idle):
            break
        first, second = choice
        outcome = _truth(grades, first, second)
        judgment = Judgment(number, f"d{first}", f"d{second}", outcome, "w")
        _timed(times["absorb"], partial(topic.absorb, judgment))
    return times


def _baseline(size: int, most: int = 60) -> Times:
    """Time the first answers only: every one costs the same passes over the table."""
    times: Times = {"select": [], "absorb": []}
    grades, scan = _grades(size), FullScan(size)
    for _ in range(most):
        first, second = _timed(times["select"], scan.select)
        outcome = _truth(grades, first, second)
        _timed(times["absorb"], partial(scan.absorb, first, second, outcome))
    return times


def _draw(medians: dict[str, list[float]]) -> None:
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    for name, values in medians.items():
        style = "--" if "full scan" in name else "-"
        axes.loglog(SIZES, values, style, marker="o", ms=4, label=name)
    axes.set_xticks(SIZES, [f"{size:,}" for size in SIZES], minor=False)
    axes.minorticks_off()
    axes.set_xlabel("documents in the topic")
    axes.set_ylabel("median µs")
    axes.grid(color="#e5e7eb")
    axes.legend(fontsize=8, ncols=2)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(PLOT, dpi=120)


if __name__ == "__main__":
    main(measure)
