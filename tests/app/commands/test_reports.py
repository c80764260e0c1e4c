"""`nextpair report`, and the new words of `nextpair export`, at a live service."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from installations import new_key, serving

from nextpair.app.cli import main
from nextpair.app.client import Client
from nextpair.app.schemas.topics import DocumentIn, TopicIn

Captured = pytest.CaptureFixture[str]
STUDY = "judged"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A service with two topics of four documents, a best and d worst, and one of single ones."""
    url = f"sqlite:///{tmp_path_factory.mktemp('reports') / 'nextpair.db'}"
    key = new_key(url)
    with serving(url) as (address, _), Client(address, key) as client:
        client.create_study(STUDY, selector="elo-schedule", votes=2)
        client.create_study("empty")
        client.create_study("slider", design="s100")
        documents = [DocumentIn(id=name, text=name) for name in "abcd"]
        for topic in ("1", "2"):
            client.add_topic(STUDY, TopicIn(id=topic, documents=documents))
        client.add_topic("slider", TopicIn(id="1", documents=documents))
        for worker in ("ann", "bob"):
            for one in client.next(STUDY, worker, count=50).assignments:
                left, right = (shown.id for shown in one.shown)
                client.judge(one, "left" if left < right else "right")
        for one in client.next("slider", "ann", count=4).assignments:
            client.judge(one, {"score": 25 * "dcba".index(one.shown[0].id)})
        yield address, key


@pytest.fixture
def address(service: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("NEXTPAIR_KEY", service[1])
    return service[0]


def run(address: str, *words: str | Path, word: str = "report", study: str = STUDY) -> int:
    return main([word, "--url", address, "--study", study, *map(str, words)])


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    """Grades in the study's order for topic 1, against it for topic 2, and of another topic."""
    lines = [f"1 0 {name} {grade}\n" for name, grade in zip("abcd", (2, 1, 0, 0), strict=True)]
    lines += [f"2 0 {name} {grade}\n" for name, grade in zip("abcd", (0, 0, 0, 1), strict=True)]
    path = tmp_path / "reference.qrels"
    path.write_text("".join([*lines, "7 0 z 1\n"]), encoding="utf-8")
    return path


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two systems: one that ranks as the study does, and one the other way round."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for tag, order in (("forth", "abcd"), ("back", "dcba")):
        lines = [
            f"{topic} Q0 {name} {rank} {9 - rank} {tag}\n"
            for topic in "12"
            for rank, name in enumerate(order, start=1)
        ]
        (folder / f"{tag}.run").write_text("".join(lines), encoding="utf-8")
    return folder


def test_the_most_important_is_told_in_short(address: str, capsys: Captured) -> None:
    assert run(address) == 0
    first, audits, agreement, rest = capsys.readouterr().out.splitlines()
    ended = "2 with nothing left to ask: everything planned is answered in 2"
    assert first == f"study {STUDY}: 2 topics ({ended}), 24 judgments, 2 workers"
    assert "no audit pair has been answered" in audits
    assert "Krippendorff's alpha (ordinal) is 1.00" in agreement
    assert "judgments on, the ranking stayed" in rest


def test_everything_is_told_as_json(address: str, qrels: Path, runs: Path, capfd: Captured) -> None:
    assert run(address, "--against", qrels, "--runs", runs, "--json") == 0
    shown = capfd.readouterr()
    told = json.loads(shown.out)
    assert "1 topic of the reference, not in the study, left out: 7" in shown.err
    reference = told["reference"]
    # Topic 1: five of six pairs are graded apart, all alike. Topic 2: three, all opposite.
    assert reference["pairs"] == {"agree": 5, "disagree": 3, "unknown": 4}
    assert [one["auc"] for one in reference["topics"]] == [1.0, 0.0]
    forth, back = told["systems"]["systems"]
    assert (forth["system"], back["system"]) == ("forth", "back")
    assert forth["ndcg_study"] == pytest.approx(1.0)
    assert forth["rbp_reference"] == pytest.approx(
        ((0.1 * (1 + 0.5 * 0.9)) + 0.1 * 0.5 * 0.9**3) / 2
    )
    assert told["systems"]["measures"][0]["tau"] == pytest.approx(1.0)
    assert told["agreement"]["percentage"] == 1.0


def test_a_page_is_written_whole_with_what_the_files_tell(
    address: str, qrels: Path, runs: Path, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    assert run(address, "--against", qrels, "--runs", runs, "--out", path) == 0
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    for heading in ("Does the study agree with the reference?", "Would systems be ranked the same"):
        assert heading in page
    assert "forth" in page and "ann" in page
    assert run(address, "--out", path, "--pseudonyms", "--points", "0", "--topic", "1") == 0
    page = path.read_text(encoding="utf-8")
    assert "Would systems" not in page
    assert ">ann<" not in page and ">w-" in page


def test_single_documents_are_compared_with_a_reference(
    address: str, qrels: Path, capsys: Captured
) -> None:
    assert run(address, "--against", qrels, study="slider") == 0
    told = capsys.readouterr().out
    assert "5 pairs alike, 0 opposite, 1 tied" in told
    assert "Nothing has been compared yet" in told


@pytest.mark.parametrize("form", ["qrels", "qrels-real"])
def test_a_report_judges_the_very_file_that_is_exported(
    address: str, form: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "exported"
    words = ("--format", form, "--output", path)
    assert run(address, *words, word="export") == 0
    graded = {
        (line[0], line[2]): float(line[3])
        for line in map(str.split, path.read_text(encoding="utf-8").splitlines())
    }
    # A reference by the file itself is all alike, and one that turns its sign all opposite.
    turned = tmp_path / "turned"
    turned.write_text(
        "".join(f"{topic} 0 {name} {50.5 - grade}\n" for (topic, name), grade in graded.items()),
        encoding="utf-8",
    )
    apart = sum(
        graded["1", one] != graded["1", other] for one, other in itertools.combinations("abcd", 2)
    )
    told = []
    for reference in (path, turned):
        assert run(address, "--against", reference, "--export", form, "--json") == 0
        told.append(json.loads(capsys.readouterr().out)["reference"]["pairs"])
    alike, opposite = told
    assert alike == {"agree": 2 * apart, "disagree": 0, "unknown": 12 - 2 * apart}
    assert opposite == {"agree": 0, "disagree": 2 * apart, "unknown": 12 - 2 * apart}


def test_an_empty_study_has_a_report_and_no_comparison(
    address: str, qrels: Path, capsys: Captured
) -> None:
    assert run(address, study="empty") == 0
    assert "0 topics" in capsys.readouterr().out
    assert run(address, "--against", qrels, study="empty") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "no topic of the study is in it; the study has none, the file 1, 2, 7" in line


def bad(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "bad.qrels"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 a\n", "bad.qrels:1: qrels have four fields"),
        ("1 0 a good\n", "bad.qrels:1: a grade must be a number, got 'good'"),
        ("401 0 a 1\n", "no topic of the study is in it; the study has 1, 2, the file 401"),
        ("1 0 zzz 1\n", "no document of the study has a grade in it"),
        ("", "the file none"),
    ],
)
def test_a_reference_that_cannot_be_meant_is_one_line(
    address: str, tmp_path: Path, capsys: Captured, text: str, message: str
) -> None:
    assert run(address, "--against", bad(tmp_path, text)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--runs", "somewhere"], "--runs needs --against"),
        (["--out", "no-such-folder/report.html"], "there is no folder"),
        (["--against", "no-such-file"], "no-such-file"),
        (["--topic", "77"], "has no topic '77'"),
        (["--rating", "stars"], "stars"),
        (["--points", "-1"], "points"),
    ],
)
def test_a_report_that_cannot_be_is_one_line(
    address: str, capsys: Captured, words: list[str], message: str
) -> None:
    assert run(address, *words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_garbage_among_the_runs_is_named_by_file_and_line(
    address: str, qrels: Path, runs: Path, tmp_path: Path, capsys: Captured
) -> None:
    (runs / "notes.txt").write_text("these are\nmy notes\n", encoding="utf-8")
    path = tmp_path / "report.html"
    assert run(address, "--against", qrels, "--runs", runs, "--out", path) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "notes.txt:1: a run has six fields, this line has 2" in line
    assert not path.exists()


def test_exports_take_levels_pseudonyms_and_only_what_was_judged(
    address: str, capfd: Captured
) -> None:
    def exported(*words: str) -> list[str]:
        assert run(address, "--format", *words, word="export") == 0
        return capfd.readouterr().out.splitlines()

    assert exported("qrels", "--levels", "2", "--topic", "1") == [
        *("1 0 a 1", "1 0 b 1", "1 0 c 0", "1 0 d 0")
    ]
    assert [line.split()[2] for line in exported("qrels-real", "--rating", "order")] == [
        *"abcdabcd"
    ]
    assert len(exported("pairs")) == len(exported("pairs", "--no-inferred")) == 12
    assert "ann" not in "".join(exported("csv", "--pseudonyms"))
    assert run(address, "--format", "run", "--no-inferred", word="export") == 2
    assert "--no-inferred has no effect with --format run" in capfd.readouterr().err
