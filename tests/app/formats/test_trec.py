"""TREC's qrels and runs."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.app.formats.files import BadFile
from nextpair.app.formats.trec import read_grade, read_qrels, read_run

GRADES = st.dictionaries(
    st.tuples(st.sampled_from(["301", "302", "303"]), st.sampled_from(["a", "b", "c", "d"])),
    st.integers(-3, 5),
)


def write(folder: Path, text: str) -> Path:
    path = folder / "input.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_qrels_are_read_by_topic_and_document(tmp_path: Path) -> None:
    path = write(tmp_path, "301 0 a 2\n302\t0\ta\t0\n301 Q0 b 1\n")
    assert read_qrels(path) == {"301": {"a": 2, "b": 1}, "302": {"a": 0}}


def test_documents_keep_the_order_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "1 0 z 0\n1 0 a 1\n1 0 m 0\n")
    assert list(read_qrels(path)["1"]) == ["z", "a", "m"]


def test_packed_qrels_are_read_like_plain_ones(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(gzip.compress(b"1 0 a 3\n"))
    assert read_qrels(path) == {"1": {"a": 3}}


@given(grades=GRADES)
def test_grades_come_back_as_written_with_those_below_0_as_0(
    tmp_path_factory: pytest.TempPathFactory, grades: dict[tuple[str, str], int]
) -> None:
    text = "".join(f"{topic} 0 {doc} {grade}\n" for (topic, doc), grade in grades.items())
    read = read_qrels(write(tmp_path_factory.mktemp("qrels"), text))
    flat = {(topic, doc): grade for topic, of in read.items() for doc, grade in of.items()}
    assert flat == {key: max(0, grade) for key, grade in grades.items()}


@pytest.mark.parametrize(("text", "grade"), [("-2", 0), ("-1", 0), ("0", 0), ("3", 3), ("2.0", 2)])
def test_a_negative_grade_counts_as_0(text: str, grade: int) -> None:
    assert read_grade("here:1", text) == grade


@pytest.mark.parametrize("text", ["x", "", "1.5", "-0.5", "nan", "inf", "-inf"])
def test_a_grade_that_is_not_a_whole_number_is_refused(text: str) -> None:
    with pytest.raises(BadFile, match=r"^here:7: .*grade"):
        read_grade("here:7", text)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 0 b", "qrels have four fields, this line has 3"),
        ("1 0 b 1 extra", "qrels have four fields, this line has 5"),
        ("1 0 a 0", "topic 1 has document a twice"),
        ("1 0 b high", "a grade must be a number, got 'high'"),
        ("1 0 b 0.5", "a grade must be a whole number, got '0.5'"),
    ],
)
def test_a_bad_line_of_qrels_is_refused_with_its_place(
    tmp_path: Path, line: str, message: str
) -> None:
    path = write(tmp_path, f"1 0 a 1\n\n{line}\n1 0 z 1\n")
    with pytest.raises(BadFile) as raised:
        read_qrels(path)
    assert str(raised.value) == f"{path}:3: {message}"


def test_the_same_document_may_stand_in_two_topics(tmp_path: Path) -> None:
    assert len(read_qrels(write(tmp_path, "1 0 a 1\n2 0 a 1\n"))) == 2


def test_a_run_gives_its_tag_and_the_ranks(tmp_path: Path) -> None:
    path = write(tmp_path, "1 Q0 a 1 9.5 bm25\n1 Q0 b 2 9.1 bm25\n2 Q0 a 1 3 bm25\n")
    assert read_run(path) == ("bm25", {"1": {"a": 1.0, "b": 2.0}, "2": {"a": 1.0}})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 Q0 b 2 9.1", "a run has six fields, this line has 5"),
        ("1 0 b 1", "a run has six fields, this line has 4"),
        ("1 Q0 b second 9.1 bm25", "a rank must be a number, got 'second'"),
    ],
)
def test_a_bad_line_of_a_run_is_refused_with_its_place(
    tmp_path: Path, line: str, message: str
) -> None:
    path = write(tmp_path, f"1 Q0 a 1 9.5 bm25\n{line}\n")
    with pytest.raises(BadFile) as raised:
        read_run(path)
    assert str(raised.value) == f"{path}:2: {message}"


@pytest.mark.parametrize("rank", ["nan", "inf", "-inf"])
def test_a_rank_that_is_not_finite_is_refused_with_its_place(tmp_path: Path, rank: str) -> None:
    path = write(tmp_path, f"1 Q0 a {rank} 9.5 bm25\n")
    with pytest.raises(BadFile, match=f"^{path}:1: .*rank"):
        read_run(path)


def test_a_run_that_ranks_a_document_twice_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "1 Q0 a 1 9.5 bm25\n1 Q0 a 2 9.1 bm25\n")
    with pytest.raises(BadFile, match=f"^{path}:2: .*twice"):
        read_run(path)
