"""Documents from JSON Lines and from CSV tables."""

import csv
import gzip
import io
import json
import tracemalloc
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.app.formats.documents import read_documents
from nextpair.app.formats.files import BadFile
from nextpair.app.formats.pools import PoolDocument

FULL = PoolDocument(
    "a", "Grün", "some\ntext", "<p>x</p>", "https://x.example/a", {"f": 2.0, "g": None}, 0.5
)
FULL_JSON = json.dumps(
    {
        "id": "a",
        "topic": "1",
        "title": "Grün",
        "text": "some\ntext",
        "html": "<p>x</p>",
        "url": "https://x.example/a",
        "features": {"f": 2, "g": None},
        "prior": 0.5,
    },
    ensure_ascii=False,
)
FULL_CSV = (
    "f,id,topic,title,text,html,url,prior,g\r\n"
    '2,a,1,Grün,"some\ntext",<p>x</p>,https://x.example/a,.5,\r\n'
)


def write(folder: Path, text: str) -> Path:
    path = folder / "documents"
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("text", [FULL_JSON, FULL_CSV, FULL_CSV.replace("id", "doc", 1)])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_everything_a_document_has_is_read(
    tmp_path: Path, text: str, encoding: str, pack: type[bytes]
) -> None:
    path = tmp_path / "documents"
    path.write_bytes(pack(text.encode(encoding)))
    ((where, topic, document),) = read_documents(path)
    assert (topic, document) == ("1", FULL)
    assert where == f"{path}:{1 if text == FULL_JSON else 3}"


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "a"}',
        '\n{"id": "a", "topic": null, "title": null, "text": null, "html": "", "url": null,'
        ' "features": null, "prior": null}\n\n',
        "id\na\n",
        "doc,topic,title,text,html,url,prior\na,,,,,, \n",
    ],
)
def test_an_id_is_enough(tmp_path: Path, text: str) -> None:
    assert [found[1:] for found in read_documents(write(tmp_path, text))] == [
        (None, PoolDocument("a"))
    ]


@pytest.mark.parametrize("text", ['{"id": 17, "topic": 4}\n{"id": 18}', "topic,id\n4,17\n,18\n"])
def test_ids_may_be_whole_numbers_and_the_caller_may_name_the_topic(
    tmp_path: Path, text: str
) -> None:
    path = write(tmp_path, text)
    assert [(topic, one.id) for _, topic, one in read_documents(path)] == [
        ("4", "17"),
        (None, "18"),
    ]
    assert [(topic, one.id) for _, topic, one in read_documents(path, "4")] == [
        ("4", "17"),
        ("4", "18"),
    ]
    with pytest.raises(BadFile, match=f"^{path}:[12]: the document is of topic 4, not of topic 5"):
        list(read_documents(path, "5"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not a JSON object on one line: Expecting property name .* at column 2"),
        ('{"id": "b"} {}', "not a JSON object on one line: Extra data at column 13"),
        ("[1]", r"not a JSON object, but \[1\]"),
        ("{}", "id must not be missing"),
        ('{"id": ""}', "id must not be missing"),
        ('{"id": " b"}', "id must not .* begin or end in white space"),
        ('{"id": true}', "id must be text, got true"),
        ('{"id": 1.5}', "id must be text, got 1.5"),
        ('{"id": "b", "id": "c"}', "the field 'id' stands twice"),
        ('{"id": "b", "grade": 1}', "unknown field 'grade'; a document has features, html, id, "),
        ('{"id": "b", "topic": ""}', "topic must not be missing"),
        ('{"id": "b", "topic": ["x"]}', r"topic must be text, got \[\"x\"\]"),
        ('{"id": "b", "text": 5}', "text must be text, got 5"),
        ('{"id": "b", "text": "x\\u0000"}', r"text has the character U\+0000"),
        ('{"id": "b\\ud800"}', r"id has the character U\+D800"),
        ('{"id": "b", "features": {"x\\udc00": 1}}', r"a feature's name has the character U\+DC00"),
        ('{"id": "b", "features": [1]}', r"features must be an object of numbers, got \[1\]"),
        ('{"id": "b", "features": {"": 1}}', "a feature's name must not be missing"),
        ('{"id": "b", "features": {"f": "1"}}', "the feature 'f' must be a number, got \"1\""),
        ('{"id": "b", "features": {"f": true}}', "the feature 'f' must be a number, got true"),
        ('{"id": "b", "features": {"f": NaN}}', "NaN is not a number"),
        ('{"id": "b", "features": {"f": 1, "f": 2}}', "the field 'f' stands twice"),
        ('{"id": "b", "features": {"f": 1e999}}', "the feature 'f' must be finite"),
        ('{"id": "b", "prior": -Infinity}', "-Infinity is not a number"),
        ('{"id": "b", "prior": 1' + "0" * 400 + "}", r"prior must be finite, got 10+\.\.\.$"),
        ('{"id": ' + "1" * 5000 + "}", "integer string conversion"),
        ('{"id": ' + "[" * 100_000 + "}", "recursion"),
    ],
)
def test_a_bad_line_of_json_is_refused_with_its_place(
    tmp_path: Path, line: str, message: str
) -> None:
    path = write(tmp_path, f'{{"id": "a"}}\n\n{line}\n')
    documents = read_documents(path)
    assert next(documents)[2] == PoolDocument("a")
    with pytest.raises(BadFile, match=f"^{path}:3: .*{message}"):
        next(documents)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("b,x,,", "the column 'f' is a feature and must be a number, got 'x'"),
        ("b,nan,,", "the column 'f' is a feature and must be finite, got 'nan'"),
        ("b,1,inf,", "prior must be finite, got 'inf'"),
        ("b,1,high,", "prior must be a number, got 'high'"),
        (",1,,", "id must not be missing"),
        ("b ,1,,", "id must not .* begin or end in white space"),
        ("b,1,,t\0", r"the line has the character U\+0000"),
        ("b,1,", "the row does not have as many fields as the header"),
    ],
)
def test_a_bad_row_is_refused_with_its_place(tmp_path: Path, row: str, message: str) -> None:
    path = write(tmp_path, f"id,f,prior,text\na,1,,\n{row}\n")
    documents = read_documents(path)
    assert next(documents)[2] == PoolDocument("a", features={"f": 1})
    with pytest.raises(BadFile, match=f"^{path}:3: {message}"):
        next(documents)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": the file is empty"),
        ('[\n{"id": "a"}\n]', ": the file is a JSON array"),
        ("topic,text\n1,x\n", ":1: the header must have id or doc, and has neither"),
        ("id,doc\n1,x\n", ":1: the header must have id or doc, and has id and doc"),
        ("id,f,f\n1,2,3\n", ": the header has 'f' twice"),
        (",id\n0,a\n", ":1: a column of the header has no name"),
        ("id,grade\na,1\n", ":1: a grade is no feature"),
        ("id,text\n", ": there is no row below the header"),
        ("id, f\na,1\n", ":2: a feature's name must not .* white space"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(BadFile, match=f"^{path}{message}"):
        list(read_documents(path))


@pytest.mark.parametrize("text", ['{"id": "a", "text": "grün"}', "id,text\na,grün\n"])
def test_latin_1_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "latin"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(BadFile, match=f"^{path}:[12]: the byte 0xfc is not utf-8"):
        list(read_documents(path))


def test_a_large_file_is_never_held_as_a_whole(tmp_path: Path) -> None:
    text = "word " * 2000
    path = write(tmp_path, "".join(f'{{"id": {n}, "text": "{text}"}}\n' for n in range(2000)))
    tracemalloc.start()
    count = sum(1 for _ in read_documents(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 2000
    assert peak < path.stat().st_size / 10


def test_the_first_documents_come_before_a_bad_line_is_met(tmp_path: Path) -> None:
    path = write(tmp_path, '{"id": "a"}\n{"id": "b"}\nnonsense\n')
    assert [one.id for _, _, one in islice(read_documents(path), 2)] == ["a", "b"]


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"))
IDS = TEXT.map(str.strip).filter(bool)
NUMBERS = st.none() | st.floats(allow_nan=False, allow_infinity=False)
DOCUMENTS = st.builds(
    PoolDocument,
    IDS,
    TEXT,
    TEXT,
    st.none() | TEXT.filter(bool),
    st.none() | TEXT.filter(bool),
    st.fixed_dictionaries({"f": NUMBERS, "g, h": NUMBERS}),
    NUMBERS,
)


@given(documents=st.lists(DOCUMENTS, min_size=1, max_size=4))
def test_what_is_written_is_read_from_json_and_from_csv(
    tmp_path_factory: pytest.TempPathFactory, documents: list[PoolDocument]
) -> None:
    folder = tmp_path_factory.mktemp("documents")
    names = ["id", "title", "text", "html", "url", "prior"]
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow([*names, "f", "g, h"])
    objects = []
    for document in documents:
        fields = {name: getattr(document, name) for name in names}
        objects.append(json.dumps({**fields, "features": dict(document.features)}))
        writer.writerow([*fields.values(), *(document.features[name] for name in ("f", "g, h"))])
    for text in ("\n".join(objects), table.getvalue()):
        assert [one for _, _, one in read_documents(write(folder, text))] == documents


def test_cells_that_were_kept_from_being_formulas_are_read_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("id,topic,text,f,prior\n'=a,t,'-- x,-1.5,'-2\n'tis,t,''@b,'+3,\n")
    (_, _, one), (_, _, other) = read_documents(path)
    assert (one.id, one.text, one.features, one.prior) == ("=a", "-- x", {"f": -1.5}, -2.0)
    assert (other.id, other.text, other.features) == ("'tis", "'@b", {"f": 3.0})
