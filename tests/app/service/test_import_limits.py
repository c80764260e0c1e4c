"""Imports that mean no good: odd names, files within files, and more than there may be."""

import gzip
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from in_process import AT, InProcess, installed, refusal

LIMITS: dict[str, Any] = {
    "max_upload_mb": 1,
    "max_import_files": 5,
    "max_import_lines": 2000,
    "max_import_documents": 30,
    "max_documents": 20,
    "max_text": 1000,
}
FORM = {"Content-Type": "multipart/form-data; boundary=edge"}
GOOD = b'{"id": "a", "topic": "t", "text": "one"}\n{"id": "b", "topic": "t", "text": "two"}\n'
Part = tuple[str, bytes, bytes]
"""What a file is, its name, and its content."""


@pytest.fixture
def limited(sqlite_url: str) -> Iterator[InProcess]:
    """A service with a study, which takes very little."""
    with installed(sqlite_url, **LIMITS) as service:
        service.make_study()
        yield service


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary files, in which nothing must be left."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


def sent(service: InProcess, *parts: Part) -> Response:
    """Send files by names that no client would let through."""
    body = b""
    for kind, name, content in parts:
        head = b'Content-Disposition: form-data; name="%s"; filename="%s"'
        body += b"--edge\r\n" + head % (kind.encode(), name) + b"\r\n\r\n" + content + b"\r\n"
    return service.send("POST", f"{AT}/imports", content=body + b"--edge--\r\n", headers=FORM)


def documents(count: int, topics: int = 1, **more: object) -> bytes:
    """Write documents, evenly over topics."""
    lines = [{"id": f"d{n}", "topic": f"t{n % topics}", **more} for n in range(count)]
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


NAMES = {
    b"..": "..",
    b".": ".",
    b"/": "file",
    b"../../etc/passwd": "passwd",
    b"C:\\Users\\ann\\d.jsonl": "d.jsonl",
    b"a\x00b": "a_b",
    b"\x1b[2Jx": "_[2Jx",
    b"CON": "CON",
    b"x" * 500: "x" * 100,
    "d\u202ejsonl.\u65e5".encode(): "d_jsonl.\u65e5",
}


@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name[:20]))
def test_a_file_may_be_called_anything(limited: InProcess, name: bytes) -> None:
    packed = gzip.compress(GOOD)
    for content in (GOOD, packed):
        told = sent(limited, ("documents", name, content))
        assert told.status_code == 200, told.text
    body = refusal(sent(limited, ("documents", name, GOOD + b"{")), 422, "bad-file")
    assert body["detail"].startswith(f"{NAMES[name]}:3: not a JSON object")
    assert re.fullmatch(r"[^\x00-\x1f]*", body["detail"])


def packed_of(size: int) -> bytes:
    return gzip.compress(b'{"id": "a"}' + b" " * 999 + (b"\n" + b" " * 999) * (size // 1000))


def test_what_many_files_unpack_to_is_limited_together(limited: InProcess) -> None:
    one = packed_of(300_000)
    assert len(one) < 2000
    files = [("runs", b"f%d.gz" % n, one) for n in range(4)]
    body = refusal(sent(limited, *files), 413, "too-large")
    assert body["detail"] == "f3.gz: the files of an import have at most 1 MB, unpacked"


@pytest.mark.parametrize("tail", [b"", b"broken"])
def test_unpacking_ends_where_the_limit_is_crossed(limited: InProcess, tail: bytes) -> None:
    # Whoever unpacked it all would find that the end is missing.
    bomb = packed_of(5_000_000)[:-8] + tail
    refusal(sent(limited, ("documents", b"d.gz", bomb)), 413, "too-large")
    refusal(sent(limited, ("documents", b"d.gz", packed_of(5000)[:-8])), 422, "bad-file")


def test_what_is_packed_twice_is_not_unpacked_twice(limited: InProcess) -> None:
    bomb = gzip.compress(packed_of(50_000_000))
    assert len(bomb) < 200_000
    for kind in ("documents", "runs", "topics"):
        rest = [] if kind == "documents" else [("documents", b"d", GOOD)]
        body = refusal(sent(limited, *rest, (kind, b"d.gz", bomb)), 422, "bad-file")
        assert body["detail"] == "d.gz: the file is packed twice; unpack it once"


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_lines_are_counted_over_all_files(limited: InProcess, end: bytes) -> None:
    few, many = GOOD + end * 900, GOOD + end * 1200
    assert sent(limited, ("documents", b"d", few)).status_code == 200
    files: Sequence[Part] = [("documents", b"d", many), ("documents", b"e", gzip.compress(many))]
    body = refusal(sent(limited, *files), 413, "too-large")
    assert body["detail"] == "e: the files of an import have at most 2,000 lines"


def test_a_line_without_an_end_is_refused(sqlite_url: str) -> None:
    with installed(sqlite_url, max_text=1000) as service:
        service.make_study()
        for content in (b" " * 1_100_000, gzip.compress(b" " * 1_100_000)):
            body = refusal(sent(service, ("documents", b"d", content)), 413, "too-large")
            assert body["detail"] == "d: a line has more than 1,006,000 bytes"


def test_files_are_counted(limited: InProcess) -> None:
    files = [("documents", b"f%d" % n, documents(1, 1, title=f"{n}")) for n in range(6)]
    body = refusal(sent(limited, *files), 413, "too-large")
    assert body["detail"] == "an import has at most 5 files"


def test_documents_are_counted_while_they_are_read(limited: InProcess) -> None:
    body = refusal(sent(limited, ("documents", b"d", documents(21) + b"{")), 413, "too-large")
    assert body["detail"] == "topic t0: a topic has at most 20 documents"
    many = documents(31, topics=3) + b"{"
    body = refusal(sent(limited, ("documents", b"d", many)), 413, "too-large")
    assert body["detail"] == "an import has at most 30 documents in all"
    assert sent(limited, ("documents", b"d", documents(30, topics=3))).status_code == 200


def test_documents_of_runs_are_counted(limited: InProcess) -> None:
    def run(topics: int, size: int) -> bytes:
        lines = [f"{t} Q0 d{n} {n + 1} {-n} tag" for t in range(topics) for n in range(size)]
        return "\n".join(lines).encode()

    body = refusal(sent(limited, ("runs", b"r", run(1, 21))), 413, "too-large")
    assert body["detail"] == "topic 0: a topic has at most 20 documents"
    body = refusal(sent(limited, ("runs", b"r", run(4, 10))), 413, "too-large")
    assert body["detail"] == "an import has at most 30 documents in all"


def test_features_do_not_multiply(limited: InProcess) -> None:
    # All documents of a topic have the features of any of them: 20 x 20 x 20 values.
    lines = [
        json.dumps({"id": f"d{n}", "topic": "t", "features": {f"f{n}-{m}": 1 for m in range(20)}})
        for n in range(20)
    ]
    body = refusal(sent(limited, ("documents", b"d", "\n".join(lines).encode())), 413, "too-large")
    assert body["detail"] == "the documents of an import have at most 3,000 features in all"


def test_a_form_that_cannot_be_read_is_refused(limited: InProcess) -> None:
    told = limited.send("POST", f"{AT}/imports", content=b"--edge\r\nx", headers=FORM)
    refusal(told, 422, "invalid")
    broken = b'--edge\r\nContent-Disposition: form-data; name="documents"; filename="d'
    told = limited.send("POST", f"{AT}/imports", content=broken, headers=FORM)
    refusal(told, 422, "invalid")


LONG = "long " * 60_000
WORD = "w" * 300_000


@pytest.mark.parametrize("text", [LONG, WORD], ids=["text", "word"])
@pytest.mark.parametrize(
    "content",
    [
        '{"id": "TEXT", "topic": "t"}',
        '{"id": "a", "topic": "TEXT"}',
        '{"TEXT": "a"}',
        '{"id": "a", "topic": "t", "prior": "TEXT"}',
        '{"id": "a", "topic": "t", "features": {"TEXT": "x"}}',
        '{"id": "a", "TEXT": 1, "TEXT": 2}',
        "id,topic,TEXT\na,t,x\n",
        "id,topic,prior\na,t,TEXT\n",
        "TEXT",
        "id,id,topic,TEXT\na,t,x,x\n",
    ],
)
def test_an_error_never_repeats_much_of_what_was_sent(
    light: InProcess, content: str, text: str
) -> None:
    light.make_study()
    told = sent(light, ("documents", b"d", content.replace("TEXT", text).encode()))
    assert told.status_code == 422, told.text[:500]
    assert repeated(told, text) <= 250
    assert len(told.text) < 2000


RUN = "1 Q0 TEXT 1 1 tag\n1 Q0 TEXT 1 1 tag\n"
TOPICS = ["<top><num>TEXT</num></top>", "TEXT\tquery\nTEXT\tquery\n", "<topic number='TEXT'/>"]


@pytest.mark.parametrize(
    ("kind", "content"),
    [("runs", RUN), ("runs", "1 Q0 d TEXT 1 tag"), *(("topics", one) for one in TOPICS)],
)
def test_no_file_of_trec_is_repeated_either(light: InProcess, kind: str, content: str) -> None:
    light.make_study()
    files = [(kind, b"f", content.replace("TEXT", WORD).encode()), ("documents", b"d", GOOD)]
    told = sent(light, *files)
    refusal(told, 422)
    assert repeated(told, WORD) <= 250


def test_no_name_in_an_address_or_body_is_repeated(light: InProcess) -> None:
    light.make_study()
    for told in (
        light.send("GET", f"/{WORD[:60_000]}"),
        light.send("GET", "/v1/studies", params={WORD[:60_000]: "1"}),
        light.send("POST", "/v1/studies", {WORD: 1}),
        light.send("POST", "/v1/studies", {"selector": LONG[:900]}),
        light.send("POST", "/v1/studies", {"options": {LONG[:900]: 1}}),
        light.send("GET", f"/{WORD[:60_000]}", headers={"Accept": "text/html"}),
    ):
        assert told.status_code >= 400
        assert repeated(told, LONG if "long long" in told.text else WORD) <= 250


def test_a_warning_is_short_too(light: InProcess) -> None:
    light.make_study()
    run = b"1 Q0 a 1 1 tag\n1 Q0 b 2 0 tag\n"
    other = json.dumps({"id": WORD, "text": "x"}).encode()
    told = sent(light, ("runs", b"r", run), ("documents", b"d", other))
    assert told.status_code == 200, told.text[:500]
    assert repeated(told, WORD) <= 250


def repeated(told: Response, text: str) -> int:
    """Count how many characters in a row of a text an answer has, at most."""
    runs = re.findall(r"(?:long ?)+" if text == LONG else r"w+", told.text)
    return max(map(len, runs), default=0)
