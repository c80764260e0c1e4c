"""Features from CSV tables and from the ranks of runs."""

from pathlib import Path

import pytest

from nextpair.app.formats.features import read_features
from nextpair.app.formats.files import BadFile

RUN = "1 Q0 a 1 9.5 {tag}\n1 Q0 b 2 9.1 {tag}\n"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_no_file_gives_no_features() -> None:
    table = read_features([])
    assert (table.names, table.grades, table.of("1", "a")) == ([], {}, {})


def test_every_other_column_of_a_csv_file_is_a_feature(tmp_path: Path) -> None:
    path = write(tmp_path, "f.csv", "doc,length,topic,bm25\na,100,1,2.5\nb,-3e2,1,0\n")
    table = read_features([path])
    assert table.names == ["length", "bm25"]
    assert table.of("1", "a") == {"length": 100, "bm25": 2.5}
    assert table.of("1", "b") == {"length": -300, "bm25": 0}
    assert table.grades == {}


@pytest.mark.parametrize("blank", ["", " ", "\t"])
def test_a_blank_feature_is_missing(tmp_path: Path, blank: str) -> None:
    path = write(tmp_path, "f.csv", f"topic,doc,f,g\n1,a,{blank},1\n")
    assert read_features([path]).of("1", "a") == {"f": None, "g": 1}


def test_a_document_no_file_knows_has_every_feature_missing(tmp_path: Path) -> None:
    table = read_features([write(tmp_path, "f.csv", "topic,doc,f\n1,a,5\n")])
    assert table.of("1", "b") == table.of("2", "a") == {"f": None}


def test_grades_beside_features_are_grades_not_features(tmp_path: Path) -> None:
    path = write(tmp_path, "f.csv", "topic,doc,grade,f\n1,a,2,5\n1,b,-1,6\n2,a,0,7\n")
    table = read_features([path])
    assert table.names == ["f"]
    assert table.grades == {"1": {"a": 2, "b": 0}, "2": {"a": 0}}


def test_the_ranks_of_a_run_are_a_feature_named_by_its_tag(tmp_path: Path) -> None:
    table = read_features([write(tmp_path, "run", RUN.format(tag="bm25"))])
    assert table.names == ["bm25"]
    assert [table.of("1", document) for document in "abc"] == [
        {"bm25": 1},
        {"bm25": 2},
        {"bm25": None},
    ]


def test_tables_and_runs_can_be_mixed(tmp_path: Path) -> None:
    paths = [
        write(tmp_path, "f.csv", "topic,doc,grade,f\n1,a,1,5\n1,c,0,\n"),
        write(tmp_path, "one.run", RUN.format(tag="one")),
        write(tmp_path, "two.run", "1 Q0 c 7 0 two\n"),
    ]
    table = read_features(paths)
    assert table.of("1", "a") == {"f": 5, "one": 1, "two": None}
    assert table.of("1", "b") == {"f": None, "one": 2, "two": None}
    assert table.of("1", "c") == {"f": None, "one": None, "two": 7}
    assert table.grades == {"1": {"a": 1, "c": 0}}


def test_two_tables_may_give_different_features_of_the_same_documents(tmp_path: Path) -> None:
    paths = [
        write(tmp_path, "f.csv", "topic,doc,f\n1,a,5\n"),
        write(tmp_path, "g.csv", "topic,doc,g\n1,a,6\n"),
    ]
    assert read_features(paths).of("1", "a") == {"f": 5, "g": 6}


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999"])
def test_a_feature_that_is_not_finite_is_refused_with_its_place(tmp_path: Path, value: str) -> None:
    path = write(tmp_path, "f.csv", f"topic,doc,f\n1,a,1\n1,b,{value}\n")
    with pytest.raises(BadFile) as raised:
        read_features([path])
    assert str(raised.value) == f"{path}:3: f must be finite, got {value!r}"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,b,1,long", "f must be a number, got 'long'"),
        ("1,b,x,2", "a grade must be a number, got 'x'"),
        ("1,b,,2", "a grade must be a number, got ''"),
        ("1,b,0.5,2", "a grade must be a whole number, got '0.5'"),
        ("1,a,1,2", "topic 1 has document a twice"),
        ("1,b,1", "the row does not have as many fields as the header"),
    ],
)
def test_a_bad_row_is_refused_with_its_place(tmp_path: Path, row: str, message: str) -> None:
    path = write(tmp_path, "f.csv", f"topic,doc,grade,f\n1,a,1,5\n{row}\n")
    with pytest.raises(BadFile) as raised:
        read_features([path])
    assert str(raised.value) == f"{path}:3: {message}"


def test_a_document_is_refused_twice_in_a_table_without_grades_too(tmp_path: Path) -> None:
    path = write(tmp_path, "f.csv", "topic,doc,f\n1,a,5\n1,a,6\n")
    with pytest.raises(BadFile, match=f"^{path}:3: topic 1 has document a twice"):
        read_features([path])


@pytest.mark.parametrize("header", ["doc,f", "topic,f", "f,g"])
def test_a_table_needs_topic_and_document(tmp_path: Path, header: str) -> None:
    path = write(tmp_path, "f.csv", f"{header}\n1,2\n")
    with pytest.raises(BadFile, match=f"^{path}.*the header lacks "):
        read_features([path])


def test_a_feature_that_comes_from_two_files_is_refused(tmp_path: Path) -> None:
    table = write(tmp_path, "f.csv", "topic,doc,bm25\n1,a,5\n")
    run = write(tmp_path, "run", RUN.format(tag="bm25"))
    with pytest.raises(BadFile, match=f"^{run}: the feature 'bm25' comes from an earlier file too"):
        read_features([table, run])


def test_something_that_is_neither_table_nor_run_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "notes.txt", "some notes\n")
    with pytest.raises(BadFile, match=f"^{path}: the header lacks topic, doc"):
        read_features([path])


def test_a_run_may_have_commas_in_its_ids(tmp_path: Path) -> None:
    path = write(tmp_path, "a.run", "1 Q0 doc,1 4 0.5 tag\n")
    assert read_features([path]).of("1", "doc,1") == {"tag": 4.0}


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "f.csv", "topic,doc,grade,f\n")
    with pytest.raises(BadFile, match="there is no row below the header"):
        read_features([path])


def test_two_files_cannot_both_give_the_grade_of_a_document(tmp_path: Path) -> None:
    paths = [
        write(tmp_path, f"{name}.csv", f"topic,doc,grade,{name}\n1,a,{grade},1\n")
        for name, grade in (("f", 0), ("g", 2))
    ]
    with pytest.raises(BadFile, match=r"g.csv:2: an earlier file has a grade for document a too"):
        read_features(paths)
