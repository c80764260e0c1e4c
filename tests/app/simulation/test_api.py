"""`nextpair.simulate` measures what `nextpair simulate` measures."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nextpair.app.cli import main
from nextpair.app.simulation.api import simulate
from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.results import Simulation
from nextpair.selectors.errors import BadInput, BadOption, UnknownOption, UnknownSelector

GRADES = {topic: {f"{topic}-{one}": one % 3 for one in range(8)} for topic in ("tea", "milk")}
WORDS = "--error 0.2 --crowd 20 --workers 2 --votes 2 --repeat 2 --seed 5 --budget 9 --json".split()


def measured(**changes: Any) -> Simulation:
    crowd = CrowdSettings(20, 0.2)
    common: dict[str, Any] = {"crowd": crowd, "workers": 2, "votes": 2, "repeat": 2, "seed": 5}
    return simulate(GRADES, {"placement": {"risk": 0.1}}, budget=9, **common | changes)


def without_measurements(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: row[key] for key in row if key not in ("seconds", "peak_mb")} for row in rows]


def test_a_call_gives_the_same_rows_as_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (f"{t} 0 {d} {grade}\n" for t, of in GRADES.items() for d, grade in of.items())
    (tmp_path / "qrels").write_text("".join(lines))
    placement = ["--selector", "placement", "--option", "risk=0.1"]
    words = ["simulate", "--qrels", str(tmp_path / "qrels"), *placement, *WORDS]
    assert main([*words, str(tmp_path / "rows.json")]) == 0
    told = json.loads((tmp_path / "rows.json").read_text())
    found = json.loads(json.dumps(measured().rows()))
    assert without_measurements(found) == without_measurements(told)
    # All but the seconds: the tables are the command's.
    tables = capsys.readouterr().out
    for line in str(measured()).splitlines():
        assert line.rpartition("  ")[0] in tables


def test_jobs_and_a_file_change_nothing(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("t 0 a 2\nt 0 b 1\nt 0 c 0\n")
    grades = {"t": {"a": 2, "b": 1, "c": 0}}
    found = [simulate(given, "uniform").rows() for given in (grades, qrels, str(qrels))]
    assert [*map(without_measurements, found)] == [without_measurements(found[0])] * 3


def test_a_baseline_is_run_once_or_not_at_all() -> None:
    alone = simulate(GRADES, ["uniform"], baseline=False)
    assert [row["selector"] for row in alone.rows()] == ["uniform"]
    assert alone.comparison() is None
    asked = simulate(GRADES, ["quick-sort", "uniform"])
    assert list(asked.results) == ["quick-sort", "uniform"]
    assert asked.comparison() is not None and asked.finished
    assert list(simulate(GRADES, "uniform").results) == ["quick-sort (baseline)", "uniform"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: simulate(GRADES, "bubble-sort"), UnknownSelector, "'bubble-sort'"),
        (lambda: simulate(GRADES, {"uniform": {"x": 1}}), UnknownOption, "no option 'x'"),
        (lambda: simulate(GRADES, []), BadOption, "at least one selector"),
        (lambda: simulate(GRADES, repeat=0), BadOption, "repeat must be at least 1, got 0"),
        (lambda: simulate(GRADES, jobs=0), BadOption, "jobs must be at least 1"),
        (lambda: simulate(GRADES, seed=-1), BadOption, "seed must be at least 0"),
        (lambda: simulate({}), BadInput, "no topic"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    call: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call()


def test_features_must_belong_to_the_topics_and_hold_no_grades(tmp_path: Path) -> None:
    table = tmp_path / "features.csv"
    for text, message in (
        ("topic,doc,length\nother,a,3\n", "no document of any"),
        ("topic,doc,grade,length\ntea,tea-1,1,3\n", "column of grades"),
    ):
        table.write_text(text)
        with pytest.raises(BadInput, match=message):
            simulate(GRADES, "uniform", features=[table])
