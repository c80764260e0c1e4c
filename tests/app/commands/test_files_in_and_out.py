"""`nextpair import` and `nextpair export` at a live service."""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from installations import new_key, serving

from nextpair.app import examples
from nextpair.app.cli import main
from nextpair.app.client import Client

Captured = pytest.CaptureFixture[str]
EXAMPLES = Path(examples.__file__).parent
ANSWERS = ["--topics", str(EXAMPLES / "topics.xml"), "--documents", str(EXAMPLES / "answers.jsonl")]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    url = f"sqlite:///{tmp_path_factory.mktemp('commands') / 'nextpair.db'}"
    key = new_key(url)
    with serving(url) as (address, _):
        yield address, key


@pytest.fixture
def address(service: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("NEXTPAIR_KEY", service[1])
    return service[0]


@pytest.fixture
def client(service: tuple[str, str]) -> Iterator[Client]:
    with Client(*service) as client:
        yield client


def run(word: str, address: str, study: str, *words: str | Path) -> int:
    return main([word, "--url", address, "--study", study, *map(str, words)])


def test_topics_and_documents_come_into_a_new_study(
    address: str, client: Client, capsys: Captured
) -> None:
    settings = ["--selector", "merge-tie", "--option", "pool=64", "--votes", "3"]
    assert run("import", address, "everyday", *settings, *ANSWERS) == 0
    shown = capsys.readouterr()
    told, onward = shown.out.splitlines()
    assert told == "study everyday: 4 topics, 53 documents; 4 topics new, 0 there already"
    assert onward.endswith(f" {address}/studies/everyday")
    assert shown.err == ""
    study = client.study("everyday")
    assert (study.selector, study.options, study.votes) == ("merge-tie", {"pool": 64}, 3)
    topics = {topic.id: topic for topic in client.topics("everyday")}
    assert topics["coffee"].title == "How do I make better coffee at home?"
    assert topics["coffee"].documents == 14


def test_a_study_that_is_not_there_is_added_with_the_defaults(
    address: str, client: Client, capsys: Captured
) -> None:
    assert run("import", address, "by default", *ANSWERS) == 0
    assert capsys.readouterr().out.endswith(f"{address}/studies/by%20default\n")
    study = client.study("by default")
    assert (study.selector, study.votes, study.platform) == ("placement", 1, "invited")


def test_ids_that_some_exports_cannot_hold_are_told_at_import(
    address: str, client: Client, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "d.jsonl"
    line = '{"id": "%s", "topic": "Kaffee kochen", "text": "A"}\n'
    path.write_text(line % "a" + line % "b c", encoding="utf-8")
    assert run("import", address, "spaced", "--documents", path) == 0
    warned = capsys.readouterr().err
    assert "1 topic with white space in the id" in warned and "'Kaffee kochen'" in warned
    assert "1 document with white space in the id" in warned and "'b c'" in warned


def test_the_same_import_again_changes_nothing(
    address: str, client: Client, capsys: Captured
) -> None:
    words = ["--selector", "quick-sort", *ANSWERS]
    assert run("import", address, "twice", *words) == 0
    before = [*client.topics("twice")]
    capsys.readouterr()
    assert run("import", address, "twice", *words) == 0
    assert "0 topics new, 4 there already" in capsys.readouterr().out
    assert [*client.topics("twice")] == before


def test_other_content_under_the_same_name_is_refused(
    address: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "documents.jsonl"
    for text in ("one", "another"):
        path.write_text(f'{{"id": "d", "topic": "1", "text": "{text}"}}\n', encoding="utf-8")
        code = run("import", address, "changing", "--votes", "1", "--documents", path)
    assert code == 2
    assert "topic '1' is there already, with other content" in capsys.readouterr().err


def test_runs_are_pooled_and_their_ranks_become_features(
    address: str, client: Client, tmp_path: Path, capsys: Captured
) -> None:
    for tag, order in (("a", "xyz"), ("b", "zwx")):
        lines = [f"7 Q0 {doc} {rank} {9 - rank} {tag}\n" for rank, doc in enumerate(order, 1)]
        (tmp_path / tag).write_text("".join(lines), encoding="utf-8")
    texts = tmp_path / "texts.csv"
    texts.write_text("id,text\nx,ex\nz,zed\nq,cue\n", encoding="utf-8")
    words: list[str | Path] = [
        "--runs",
        tmp_path / "a",
        tmp_path / "b",
        "--depth",
        "1",
        "--documents",
        texts,
    ]
    assert run("import", address, "pooled", "--selector", "merge-tie", *words) == 0
    shown = capsys.readouterr()
    assert "1 topic, 2 documents; 1 topic new" in shown.out
    assert "warning: 1 document in no pool, left out: q" in shown.err
    found = client._connection.http.get("/v1/studies/pooled/topics/7/documents").json()["items"]
    assert [(one["id"], one["text"], one["features"]) for one in found] == [
        ("x", "ex", {"a": 1.0, "b": 3.0}),
        ("z", "zed", {"a": 3.0, "b": 1.0}),
    ]


def test_documents_without_a_topic_are_given_one(
    address: str, client: Client, tmp_path: Path
) -> None:
    path = tmp_path / "documents.jsonl"
    path.write_text('{"id": "a", "text": "A"}\n{"id": "b", "text": "B"}\n', encoding="utf-8")
    words: list[str | Path] = ["--votes", "1", "--documents", path, "--topic", "letters"]
    assert run("import", address, "lettered", *words) == 0
    assert [(topic.id, topic.documents) for topic in client.topics("lettered")] == [("letters", 2)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give --runs or --documents"),
        (
            ["--documents", str(EXAMPLES / "grades.qrels")],
            "nextpair import --help lists the fields",
        ),
        ([*ANSWERS, "--depth", "3"], "--depth has no effect without --runs"),
        (["--runs", "no-such-file", "--topic", "1"], "--topic has no effect without --documents"),
        (["--documents", "no-such-file"], "no-such-file: "),
        ([*ANSWERS, "--selector", "best"], "there is no selector 'best'"),
        ([*ANSWERS, "--option", "pool"], "--option must be KEY=VALUE"),
        ([*ANSWERS, "--votes", "0"], "votes: "),
    ],
)
def test_an_import_that_cannot_be_meant_is_one_line(
    address: str, client: Client, capsys: Captured, words: list[str], message: str
) -> None:
    assert run("import", address, "refused", *words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert "refused" not in {study.id for study in client.studies()}


def test_a_study_that_is_there_with_other_settings_is_refused(
    address: str, capsys: Captured
) -> None:
    assert run("import", address, "settled", "--votes", "3", *ANSWERS) == 0
    assert run("import", address, "settled", "--votes", "5", *ANSWERS) == 2
    assert "study 'settled' is there with votes 3, not 5" in capsys.readouterr().err


def test_nothing_is_sent_of_an_import_that_the_service_would_refuse_in_part(
    address: str, client: Client, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "documents.jsonl"
    path.write_text('{"id": "a", "topic": "1"}\n{"id": "b", "topic": "not/one"}\n', "utf-8")
    assert run("import", address, "half", "--votes", "1", "--documents", path) == 2
    assert "topic 'not/one': id: " in capsys.readouterr().err
    assert "half" not in {study.id for study in client.studies()}


@pytest.fixture(scope="module")
def judged(service: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("judged") / "documents.jsonl"
    lines = [f'{{"id": "{name}", "topic": "{topic}"}}\n' for topic in "12" for name in "ab"]
    path.write_text("".join(lines), encoding="utf-8")
    url, key = service
    words = ["--url", url, "--key", key, "--study", "judged"]
    assert main(["import", *words, "--selector", "quick-sort", "--documents", str(path)]) == 0
    with Client(url, key) as client:
        while found := client.next("judged", "ann").assignments:
            for assignment in found:
                client.judge(assignment, "left" if assignment.shown[0].id == "b" else "right")
    return "judged"


def test_results_come_out_on_standard_output(address: str, judged: str, capfd: Captured) -> None:
    assert run("export", address, judged, "--format", "qrels") == 0
    assert capfd.readouterr().out == "1 0 a 0\n1 0 b 1\n2 0 a 0\n2 0 b 1\n"
    assert run("export", address, judged, "--format", "run", "--topic", "2", "--rating", "elo") == 0
    assert [line.split()[:4] for line in capfd.readouterr().out.splitlines()] == [
        ["2", "Q0", "b", "1"],
        ["2", "Q0", "a", "2"],
    ]


@pytest.mark.parametrize(("form", "lines"), [("csv", 3), ("jsonl", 2), ("qrels", 4), ("run", 4)])
def test_results_come_out_in_a_file(
    address: str, judged: str, tmp_path: Path, form: str, lines: int
) -> None:
    path = tmp_path / f"results.{form}"
    path.write_text("something older", encoding="utf-8")
    assert run("export", address, judged, "--format", form, "--output", path) == 0
    assert len(path.read_text(encoding="utf-8").splitlines()) == lines
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["judged", "--format", "csv", "--rating", "elo"], "--rating has no effect"),
        (["nowhere", "--format", "csv"], "there is no study 'nowhere'"),
        (["judged", "--format", "run", "--rating", "stars"], "stars"),
        (["judged", "--format", "csv", "--output", "no-such-folder/x"], "there is no folder"),
        (["judged", "--format", "csv", "--output", os.devnull], "no ordinary file"),
    ],
)
def test_an_export_that_cannot_be_is_one_line(
    address: str, judged: str, capsys: Captured, words: list[str], message: str
) -> None:
    assert run("export", address, *words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


class _BreaksOff(BaseHTTPRequestHandler):
    """A service that is ready, and dies in the middle of an answer."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        if self.path == "/readyz":
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")
        else:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"5\r\n1 0 a\r\n")
            self.close_connection = True

    def log_message(self, format: str, *arguments: object) -> None:
        pass


def test_a_download_that_breaks_off_leaves_what_was_there(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It is tried again at once.
    hasty = partial(Client, sleep=lambda _: None)
    monkeypatch.setattr("nextpair.app.local.service_client.Client", hasty)
    path = tmp_path / "results.qrels"
    path.write_text("something older", encoding="utf-8")
    with HTTPServer(("127.0.0.1", 0), _BreaksOff) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        words: list[str | Path] = ["--key", "np_x", "--format", "qrels", "--output", path]
        assert run("export", url, "any", *words) == 2
        assert run("import", url, "any", "--key", "np_x", *ANSWERS) == 2
        server.shutdown()
    broken, strange = capsys.readouterr().err.splitlines()
    assert "broke off" in broken
    assert [*tmp_path.iterdir()] == [path]
    assert path.read_text(encoding="utf-8") == "something older"
    assert "does not answer" in strange


def test_a_reader_who_has_had_enough_is_no_error_to_tell(address: str, judged: str) -> None:
    words = [sys.executable, "-m", "nextpair.app.cli", "export", "--url", address]
    with subprocess.Popen(
        [*words, "--study", judged, "--format", "csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
