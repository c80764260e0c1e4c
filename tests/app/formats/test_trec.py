"""TREC's qrels and runs."""

import gzip
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.app.formats.files import BadFile
from nextpair.app.formats.trec import (
    Unwritable,
    qrels_lines,
    read_grade,
    read_qrels,
    read_run,
    run_lines,
)

IDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=3).filter(
    lambda text: text.split() == [text] and "\0" not in text
)
SCORES = st.floats(-3e38, 3e38) | st.sampled_from([0.0, -0.0, 1.0, 1.00000001, 1e-50])
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
        ("1 Q0 b 2 high bm25", "a score must be a number, got 'high'"),
        ("1 Q0 b 2 nan bm25", "a score must be finite, got 'nan'"),
        ("1 Q0 b 2 9.1 tfidf", "a run has one tag, this one has ['bm25', 'tfidf']"),
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


def test_an_empty_run_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "\n \n")
    with pytest.raises(BadFile, match=f"^{path}: the file is empty"):
        read_run(path)


def run(tmp_path: Path, *listed: tuple[str, float, float]) -> dict[str, float]:
    text = "".join(f"1 Q0 {document} {rank} {score} t\n" for document, rank, score in listed)
    return read_run(write(tmp_path, text))[1]["1"]


def test_a_ranking_counts_where_scores_tie_and_may_have_gaps(tmp_path: Path) -> None:
    ranks = run(tmp_path, ("c", 40, 1), ("b", 7, 2), ("a", 3, 2))
    assert ranks == {"a": 3, "b": 7, "c": 40}
    assert list(ranks) == ["c", "b", "a"]


@pytest.mark.parametrize(
    "ranks",
    [(0, 0, 0, 0), (1, 1, 1, 1), (1, 2, 2, 3), (4, 3, 2, 1), (-1, 0, 1, 2), (0.5, 1, 2, 3)],
    ids=["all 0", "all 1", "tied", "against the scores", "below 0", "not whole"],
)
def test_what_is_no_ranking_gives_way_to_scores_as_in_trec_eval(
    tmp_path: Path, ranks: tuple[float, ...]
) -> None:
    listed = zip("abcd", ranks, (9.5, 3, 3, 1), strict=True)
    assert run(tmp_path, *listed) == {"a": 1, "c": 2, "b": 3, "d": 4}


def test_ranks_may_count_from_0_and_then_do_so_in_every_topic(tmp_path: Path) -> None:
    path = write(tmp_path, "1 Q0 a 0 9 t\n1 Q0 b 1 8 t\n2 Q0 a 4 3 t\n")
    assert read_run(path)[1] == {"1": {"a": 1, "b": 2}, "2": {"a": 5}}


def test_the_ranks_of_a_file_count_in_all_topics_or_in_none(tmp_path: Path) -> None:
    path = write(tmp_path, "1 Q0 a 1 9 t\n1 Q0 b 1 8 t\n2 Q0 a 4 3 t\n")
    assert read_run(path)[1] == {"1": {"a": 1, "b": 2}, "2": {"a": 1}}


def test_scores_tie_when_single_precision_cannot_tell_them_apart(tmp_path: Path) -> None:
    assert run(tmp_path, ("a", 0, 1.00000001), ("b", 0, 1)) == {"b": 1, "a": 2}
    assert run(tmp_path, ("a", 0, 2e40), ("b", 0, 1e40), ("c", 0, 1)) == {"b": 1, "a": 2, "c": 3}


def test_written_ids_are_ordered_as_strcmp_orders_their_bytes() -> None:
    ids = ["a", "Z", "é", "z", "\U0001f600", "\uffff"]
    written = [line.split()[2] for line in run_lines("1", dict.fromkeys(ids, 1.0), "t")]
    assert written == sorted(ids, key=lambda name: name.encode(), reverse=True)


@given(scores=st.dictionaries(IDS, SCORES, min_size=1))
def test_a_written_run_is_read_with_the_same_ranks_by_rank_and_by_score(
    tmp_path_factory: pytest.TempPathFactory, scores: dict[str, float]
) -> None:
    folder = tmp_path_factory.mktemp("run")
    lines = run_lines("q", scores, "tag")
    ranked = read_run(write(folder, "".join(lines)))
    unranked = [[*line.split()[:3], "0", *line.split()[4:]] for line in lines]
    assert ranked == read_run(write(folder, "".join(f"{' '.join(row)}\n" for row in unranked)))
    assert list(ranked[1]["q"].values()) == list(range(1, len(scores) + 1))
    best = list(ranked[1]["q"])
    assert all(
        np.float32(scores[one]) > np.float32(scores[two])
        or (np.float32(scores[one]) == np.float32(scores[two]) and one > two)
        for one, two in pairwise(best)
    )


@given(grades=st.dictionaries(IDS, st.integers(0, 4), min_size=1))
def test_written_qrels_are_read_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, grades: dict[str, int]
) -> None:
    path = write(tmp_path_factory.mktemp("qrels"), "".join(qrels_lines("q", grades)))
    assert read_qrels(path) == {"q": grades}


def test_nothing_to_write_gives_no_line() -> None:
    assert qrels_lines("1", {}) == run_lines("1", {}, "t") == []


BAD_WORDS = ["", " ", "a b", "a\t", "\na", "a\u00a0b", "a\u2028", "\x1c", "a\0", "\ud800"]


@pytest.mark.parametrize("word", BAD_WORDS)
@pytest.mark.parametrize(
    "write_lines",
    [
        lambda word: qrels_lines(word, {}),
        lambda word: qrels_lines("1", {"a": 1, word: 1}),
        lambda word: run_lines(word, {}, "t"),
        lambda word: run_lines("1", {"a": 1, word: 1}, "t"),
        lambda word: run_lines("1", {}, word),
    ],
)
def test_what_the_format_cannot_hold_is_refused(
    write_lines: Callable[[str], list[str]], word: str
) -> None:
    with pytest.raises(Unwritable, match="without white space"):
        write_lines(word)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf"), 1e39])
def test_a_score_that_is_not_finite_is_refused(score: float) -> None:
    with pytest.raises(Unwritable, match=r"^document b has the score "):
        run_lines("1", {"a": 1, "b": score}, "t")
