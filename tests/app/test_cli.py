"""The `nextpair` command from end to end."""

import gzip
import json
import subprocess
import sys
from importlib.metadata import version
from itertools import combinations
from pathlib import Path

import pytest

from nextpair.app.cli import main

DRAWN = ["--generate", "topics=2,documents=12,grades=3/2/1"]
Captured = pytest.CaptureFixture[str]


def simulate(*words: str | Path) -> int:
    return main(["simulate", *map(str, words)])


def results(path: Path) -> list[dict[str, object]]:
    read = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(read, list)
    return read


def without_cost(path: Path) -> list[dict[str, object]]:
    return [{**one, "seconds": 0, "peak_mb": 0} for one in results(path)]


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    path = tmp_path / "qrels.gz"
    lines = [f"{topic} 0 d{place} {place % 3 - 1}\n" for topic in "123" for place in range(9)]
    path.write_bytes(gzip.compress("".join(lines).encode()))
    return path


def test_a_study_ends_with_a_table(capsys: Captured) -> None:
    assert simulate(*DRAWN, "--selector", "merge-tie-random", "--selector", "uniform") == 0
    shown = capsys.readouterr()
    rows = [line.split("  ")[0].strip() for line in shown.out.splitlines() if "/1" in line]
    assert rows == ["quick-sort (baseline)", "merge-tie-random", "uniform"]
    assert shown.err == ""


def test_no_saving_is_stated_against_a_baseline_that_ended_with_less_quality(
    capsys: Captured,
) -> None:
    # Workers err: quick-sort stops early with a poor order, and placement asks on.
    noise = ["--error", "0.15", "--generate", "topics=2,documents=40,grades=4/2/1"]
    assert simulate(*noise, "--repeat", "2", "--jobs", "2") == 0
    shown = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in shown if "/2 " in line]
    quick_sort, placement = (row[-9:] for row in rows)
    assert float(quick_sort[3]) < float(placement[3]) - 0.1  # tau-b
    lower, higher = (shown[-3].split(), shown[-2].split())
    # At the baseline's quality, both reach it: the two tau-b are the same.
    assert lower[:2] == ["placement", "quick-sort"]
    assert lower[3] == lower[6] == quick_sort[3]
    assert lower[-1].endswith("%")
    # At its own, the baseline never is: nothing is claimed.
    assert higher[:2] == ["its", "end"] and higher[3] == placement[3]
    assert int(higher[2]) <= int(placement[1])
    assert higher[5:8] == ["not", "reached", quick_sort[3]]
    assert higher[-1] == "-"


@pytest.mark.parametrize("words", [["--selector", "quick-sort"], ["--no-baseline"]])
def test_the_baseline_is_shown_once_or_not_at_all(capsys: Captured, words: list[str]) -> None:
    assert simulate(*DRAWN, *words) == 0
    assert "(baseline)" not in capsys.readouterr().out


def test_the_json_has_an_object_per_selector_and_repeat(tmp_path: Path, qrels: Path) -> None:
    path = tmp_path / "out.json"
    words = ["--selector", "merge-tie-random", "--selector", "quick-sort", "--repeat", "2"]
    assert simulate("--qrels", qrels, *words, "--seed", "4", "--json", path) == 0
    found = results(path)
    assert [(one["selector"], one["seed"]) for one in found] == [
        ("merge-tie-random", 4),
        ("merge-tie-random", 5),
        ("quick-sort", 4),
        ("quick-sort", 5),
    ]
    assert all((one["topics"], one["documents"], one["exact"]) == (3, 27, True) for one in found)


def test_a_repeat_is_what_its_seed_gives_alone(tmp_path: Path) -> None:
    together, alone = tmp_path / "together.json", tmp_path / "alone.json"
    noise = ["--error", "0.2", "--workers", "3", "--no-baseline"]
    assert simulate(*DRAWN, *noise, "--seed", "2", "--repeat", "3", "--json", together) == 0
    assert simulate(*DRAWN, *noise, "--seed", "4", "--json", alone) == 0
    assert without_cost(together)[2:] == without_cost(alone)


def test_recorded_answers_are_replayed(tmp_path: Path) -> None:
    path, out = tmp_path / "answers.csv.gz", tmp_path / "out.json"
    rows = [f"1,{a},{b},anna,a1\n1,{b},{a},ben,a2\n" for a, b in combinations("abcde", 2)]
    path.write_bytes(gzip.compress("".join(["topic,arg1,arg2,worker,value\n", *rows]).encode()))
    words = ["--columns", "topic,arg1,arg2,worker,value", "--answers", "a1,a2,equal"]
    assert simulate("--replay", path, *words, "--votes", "2", "--json", out) == 0
    baseline, one = results(out)
    assert (baseline["selector"], one["selector"]) == ("quick-sort", "placement")
    assert (one["exact"], one["documents"]) == (True, 5)


def test_a_picture_is_drawn(tmp_path: Path) -> None:
    assert simulate(*DRAWN, "--repeat", "2", "--plot", tmp_path / "out.png") == 0
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_a_run_that_cannot_finish_is_told_from_one_that_did(capsys: Captured) -> None:
    assert simulate(*DRAWN, "--crowd", "1", "--votes", "3") == 1
    assert "unfinished" in capsys.readouterr().out
    assert simulate(*DRAWN, "--crowd", "3", "--votes", "3") == 0
    assert "unfinished" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give --qrels, --generate, --replay"),
        (["--qrels", "no-such-file"], "no-such-file: "),
        ([*DRAWN, "--selector", "best"], "there is no selector 'best'"),
        ([*DRAWN, "--option", "pool=3"], "none of placement has an option 'pool'"),
        ([*DRAWN, "--votes", "0"], "at least one vote"),
        ([*DRAWN, "--votes", "-1"], "votes must not be negative"),
        ([*DRAWN, "--repeat", "0"], "--repeat must be at least 1"),
        ([*DRAWN, "--topics", "t7"], "there is no topic t7"),
        ([*DRAWN, "--budget", "nan"], "budget"),
        ([*DRAWN, "--json", "no-such-folder/out.json"], "cannot write no-such-folder"),
        ([*DRAWN, "--plot", "out.unheard-of"], "cannot draw to out.unheard-of"),
    ],
)
def test_bad_input_is_one_line(capsys: Captured, words: list[str], message: str) -> None:
    assert simulate(*words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("nextpair: ")
    assert message in line


@pytest.mark.parametrize("text", ["1 0 a 1\n1 0 b\n", "1 0 a 1\n1 0 a 0\n", "1 0 a 1\n1 0 b nan\n"])
def test_a_bad_line_of_a_file_is_one_line_that_says_where(
    tmp_path: Path, capsys: Captured, text: str
) -> None:
    path, out = tmp_path / "qrels", tmp_path / "out.json"
    path.write_text(text, encoding="utf-8")
    assert simulate("--qrels", path, "--json", out) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"nextpair: {path}:2: ")
    assert not out.exists()


def test_a_file_without_topics_is_bad_input(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "qrels"
    path.touch()
    assert simulate("--qrels", path) == 2
    assert capsys.readouterr().err.startswith("nextpair: ")


def test_a_pair_without_recorded_answer_is_bad_input(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("topic,first,second,worker,answer\n1,a,b,x,tie\n1,c,d,x,tie\n", "utf-8")
    assert simulate("--replay", path) == 2
    assert "topic '1' has no recorded answer to" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["simulate", "--unheard-of"], ["unheard-of"]])
def test_words_that_make_no_command_show_how_it_is_used(capsys: Captured, words: list[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(words)
    assert raised.value.code == 2
    assert capsys.readouterr().err.startswith("usage: nextpair")


def test_the_command_tells_its_version(capsys: Captured) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["--version"])
    assert raised.value.code == 0
    assert capsys.readouterr().out == f"nextpair {version('nextpair')}\n"


def test_the_installed_command_finds_the_same_on_two_processes(tmp_path: Path) -> None:
    command = Path(sys.executable).parent / "nextpair"
    here, there = tmp_path / "here.json", tmp_path / "there.json"
    words = [*DRAWN, "--error", "0.2", "--no-baseline"]
    ran = subprocess.run(
        [command, "simulate", *words, "--jobs", "2", "--json", there],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "placement" in ran.stdout
    assert simulate(*words, "--json", here) == 0
    assert without_cost(there) == without_cost(here)
