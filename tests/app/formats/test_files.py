"""Text files: plain or packed, and errors that say where."""

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.app.formats.files import BadFile, parse_number, read_all_lines, read_lines, read_rows
from nextpair.selectors.errors import BadInput

WORDS = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=5)


def write(folder: Path, text: str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_lines_come_with_the_place_where_they_stand(tmp_path: Path) -> None:
    path = write(tmp_path, "one\ntwo\n")
    assert list(read_lines(path)) == [(f"{path}:1", "one"), (f"{path}:2", "two")]


def test_blank_lines_are_skipped_but_counted(tmp_path: Path) -> None:
    path = write(tmp_path, "one\n\n  \t\nfour")
    assert list(read_lines(path)) == [(f"{path}:1", "one"), (f"{path}:4", "four")]


def test_windows_line_ends_are_not_part_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "windows"
    path.write_bytes(b"one\r\ntwo\r\n")
    assert [line for _, line in read_lines(path)] == ["one", "two"]


@pytest.mark.parametrize("name", ["table.csv", "table.csv.gz"])
def test_gzip_is_recognised_by_its_content_whatever_the_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress("grün\nzwei\n".encode()))
    assert list(read_lines(path)) == [(f"{path}:1", "grün"), (f"{path}:2", "zwei")]


def test_a_plain_file_may_be_called_gz(tmp_path: Path) -> None:
    path = write(tmp_path, "plain\n", "table.gz")
    assert [line for _, line in read_lines(path)] == ["plain"]


def test_a_packed_file_is_utf_8_whatever_the_locale_says(tmp_path: Path) -> None:
    path = tmp_path / "packed"
    path.write_bytes(gzip.compress("grün\n".encode()))
    program = (
        "import sys, pathlib; from nextpair.app.formats.files import read_lines;"
        "print(ascii([line for _, line in read_lines(pathlib.Path(sys.argv[1]))]))"
    )
    ascii_locale = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    ran = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        env=os.environ | ascii_locale,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout.strip() == ascii(["grün"]), ran.stderr


def test_a_missing_file_is_bad_input_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "nowhere"
    with pytest.raises(BadInput, match=f"^{path}: .*No such file"):
        list(read_lines(path))


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=f"^{tmp_path}: "):
        list(read_lines(tmp_path))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_bytes_that_are_not_utf_8_are_refused_with_their_line(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "latin"
    path.write_bytes(pack(b"green\n" * 5000 + "grün\n".encode("latin-1") + b"green\n"))
    with pytest.raises(BadFile, match=f"^{path}:5001: the byte 0xfc is not utf-8"):
        list(read_lines(path))


@pytest.mark.parametrize("bad", [b"\xc3", b"\xed\xa0\x80", b"\xff\xfe", b"\xc0\x80"])
def test_half_characters_and_other_encodings_are_refused(tmp_path: Path, bad: bytes) -> None:
    path = tmp_path / "half"
    path.write_bytes(b"one\ntwo " + bad)
    with pytest.raises(BadFile, match=f"^{path}:2: the byte {bad[0]:#04x} is not utf-8"):
        list(read_lines(path))


def test_nul_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "nul"
    path.write_bytes(b"one\ntw\0o\n")
    with pytest.raises(BadFile, match=rf"^{path}:2: the line has the character U\+0000"):
        list(read_lines(path))


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("text", ["äöü €\n", "一二三\n", "😀 \U0010ffff\n", "a\u2028b\x85c\n"])
def test_any_unicode_text_is_read_as_it_stands(tmp_path: Path, text: str, mark: str) -> None:
    path = write(tmp_path, mark + text)
    assert list(read_all_lines(path)) == [(f"{path}:1", text)]


def test_a_packed_file_that_breaks_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n" * 50)[:-9])
    with pytest.raises(BadFile, match=f"^{path}: "):
        list(read_lines(path))


def test_a_packed_file_with_damaged_content_is_refused(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b"1 0 a 1\n" * 1000))
    packed[15] ^= 0xFF
    packed[16] ^= 0xFF
    path = tmp_path / "damaged.gz"
    path.write_bytes(packed)
    with pytest.raises(BadFile, match=f"^{path}"):
        list(read_lines(path))


def test_rows_are_named_by_the_header(tmp_path: Path) -> None:
    path = write(tmp_path, 'topic,doc\n1,"a, quoted"\n\n2,b\n')
    assert list(read_rows(path, ("topic", "doc"))) == [
        (f"{path}:2", {"topic": "1", "doc": "a, quoted"}),
        (f"{path}:4", {"topic": "2", "doc": "b"}),
    ]


def test_a_byte_order_mark_is_not_part_of_the_first_column(tmp_path: Path) -> None:
    path = tmp_path / "from_a_spreadsheet.csv"
    path.write_text("topic,doc\n1,a\n", encoding="utf-8-sig")
    assert [row for _, row in read_rows(path, ("topic", "doc"))] == [{"topic": "1", "doc": "a"}]


@pytest.mark.parametrize("text", ["", "doc\na\n", "Topic,doc,grade\n"])
def test_a_missing_column_is_named(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(BadFile, match=f"^{path}.*the header lacks topic"):
        list(read_rows(path, ("topic",)))


@pytest.mark.parametrize("row", ["1", "1,a,b", ","])
def test_a_row_of_another_length_is_refused_with_its_line(tmp_path: Path, row: str) -> None:
    path = write(tmp_path, f"topic,doc\n1,a\n{row}\n")
    if row == ",":
        assert len(list(read_rows(path, ("topic",)))) == 2
    else:
        with pytest.raises(BadFile, match=f"^{path}:3: .*as many fields as the header"):
            list(read_rows(path, ("topic",)))


def test_a_quote_that_never_closes_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, 'topic,doc\n1,"a\n')
    with pytest.raises(BadFile, match=f"^{path}:2: unexpected end of data"):
        list(read_rows(path, ("topic",)))


def test_a_quote_that_never_closes_is_refused_in_the_header_too(tmp_path: Path) -> None:
    path = write(tmp_path, 'topic,"doc\n1,a\n')
    with pytest.raises(BadFile, match=f"^{path}"):
        list(read_rows(path, ("topic",)))


def test_a_column_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "topic,doc,f,f\n1,a,2,3\n")
    with pytest.raises(BadFile, match=f"^{path}.*f"):
        list(read_rows(path, ("topic",)))


def test_a_cell_may_be_as_wide_as_a_web_page(tmp_path: Path) -> None:
    page = "<p>word</p>\n" * 20_000
    path = write(tmp_path, f'topic,html\n1,"{page}"\n2,x\n')
    assert [row["html"] for _, row in read_rows(path, ("topic",))] == [page, "x"]


@given(table=st.lists(st.tuples(WORDS, WORDS), max_size=8))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, table: list[tuple[str, str]]
) -> None:
    text = "".join(f"{first},{second}\n" for first, second in [("x", "y"), *table])
    path = write(tmp_path_factory.mktemp("rows"), text)
    assert [(row["x"], row["y"]) for _, row in read_rows(path, ("x", "y"))] == table


def test_a_number_is_read_and_anything_else_is_refused() -> None:
    assert parse_number("here:1", "a rank", " -2.5e1 ") == -25
    with pytest.raises(BadFile, match=r"^here:1: a rank must be a number, got 'x'"):
        parse_number("here:1", "a rank", "x")
