"""The client: sends again what may be sent again, and says why a call was refused."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest
from in_process import STUDY, TOPIC
from installations import new_key, serving

from nextpair.app.client import Client, Refused, Unreachable
from nextpair.app.schemas.exports import Format
from nextpair.app.schemas.retractions import JudgmentsIn, RetractionIn
from nextpair.app.schemas.topics import DocumentIn, TopicHeadIn, TopicIn
from nextpair.storage.rows import StudyStatus, WorkerStatus

Answer = tuple[int, dict[str, Any]] | None
"""A status and a body; or None, to hang up without a word."""
PROBLEM = {"type": "urn:nextpair:x", "title": "X", "status": 0, "detail": "because"}


class Failing(BaseHTTPRequestHandler):
    """Gives the answers it was told to, one after the other, and notes what it was asked."""

    protocol_version = "HTTP/1.1"
    answers: ClassVar[list[Answer]] = []
    seen: ClassVar[list[tuple[str, str | None, bytes]]] = []

    def _answer(self) -> None:
        body = self._body()
        self.seen.append((self.path, self.headers["Idempotency-Key"], body))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer is None:
            self.close_connection = True
            return
        status, content = answer
        sent = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def _body(self) -> bytes:
        if self.headers["Transfer-Encoding"] != "chunked":
            return self.rfile.read(int(self.headers["Content-Length"] or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    do_GET = do_POST = do_PATCH = _answer

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


Serve = Callable[..., tuple[Client, list[tuple[str, str | None, bytes]]]]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server with answers to give, and a client to it that does not wait."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Failing)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    clients = []

    def start(*answers: Answer, retries: int = 4) -> Any:
        Failing.answers, Failing.seen = list(answers), []
        address = f"http://127.0.0.1:{server.server_port}"
        client = Client(address, "key", retries=retries, sleep=lambda _: None, timeout=10)
        clients.append(client)
        return client, Failing.seen

    yield start
    for client in clients:
        client.close()
    server.shutdown()
    thread.join()
    server.server_close()


NOTHING = (200, {"assignments": [], "reason": "done"})


@pytest.mark.parametrize(
    "failure",
    [(503, PROBLEM), (429, PROBLEM), (502, {}), (504, {}), None],
    ids=["unavailable", "too often", "bad gateway", "gateway timeout", "connection lost"],
)
def test_what_may_go_better_is_sent_again_as_the_same_call(serve: Serve, failure: Answer) -> None:
    client, seen = serve(failure, failure, NOTHING)
    assert client.next("s", "ann").assignments == []
    assert len(seen) == 3
    assert len(set(seen)) == 1, "the same path, key and body each time"
    assert seen[0][1]


def test_each_call_has_an_idempotency_key_of_its_own(serve: Serve) -> None:
    client, seen = serve(NOTHING)
    client.next("s", "ann")
    client.next("s", "ann")
    assert len({key for _, key, _ in seen}) == 2


def test_an_upload_that_broke_off_begins_anew(serve: Serve) -> None:
    client, seen = serve(None, (409, PROBLEM))
    begun = []

    def documents() -> Iterator[DocumentIn]:
        begun.append(True)
        yield DocumentIn(id="a")

    with pytest.raises(Refused):
        client.upload_topic("s", TopicHeadIn(id="t"), documents)
    assert len(begun) == 2
    assert seen[0][2] == seen[1][2] == b'{"id":"t"}\n{"id":"a"}\n'


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 500])
def test_what_is_refused_is_not_sent_again(serve: Serve, status: int) -> None:
    problem = {**PROBLEM, "status": status, "errors": [{"where": "body.x", "what": "bad"}]}
    client, seen = serve((status, problem))
    with pytest.raises(Refused, match=r"body\.x: bad") as refused:
        client.next("s", "ann")
    assert refused.value.problem.status == status
    assert refused.value.problem.type == "urn:nextpair:x"
    assert len(seen) == 1


def test_an_error_that_is_no_problem_document_is_refused_by_its_status(serve: Serve) -> None:
    client, _ = serve((418, {"tea": "pot"}))
    with pytest.raises(Refused, match="418"):
        client.study("s")


def test_a_service_that_stays_busy_is_given_up(serve: Serve) -> None:
    client, seen = serve((503, {**PROBLEM, "status": 503}), retries=2)
    with pytest.raises(Refused) as refused:
        client.next("s", "ann")
    assert refused.value.problem.status == 503
    assert len(seen) == 3


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "nonsense", "http://[", "ftp://x"])
def test_what_does_not_answer_is_unreachable(url: str) -> None:
    def call() -> None:
        with Client(url, "key", retries=1, sleep=lambda _: None) as client:
            client.study("s")

    with pytest.raises(Unreachable):
        call()


def test_an_export_from_what_does_not_answer_is_unreachable_too(serve: Serve) -> None:
    with (
        Client("http://127.0.0.1:1", "key", retries=1, sleep=lambda _: None) as client,
        pytest.raises(Unreachable),
    ):
        list(client.export("s", Format.CSV))
    lost, _ = serve(None)
    with pytest.raises(Unreachable):
        list(lost.export("s", Format.CSV))


def test_a_list_is_read_page_by_page(serve: Serve) -> None:
    def study(name: str) -> dict[str, Any]:
        return {"id": name, "status": "open", "created_at": "2027-01-15T08:00:00+00:00"} | {
            "options_in_force": {}
        }

    client, seen = serve(
        (200, {"items": [study("a"), study("b")], "next": "b"}),
        (503, PROBLEM),
        (200, {"items": [study("c")], "next": None}),
    )
    assert [one.id for one in client.studies()] == ["a", "b", "c"]
    assert [path for path, _, _ in seen] == ["/v1/studies"] + ["/v1/studies?after=b"] * 2


def test_names_are_quoted_in_addresses(serve: Serve) -> None:
    client, seen = serve((404, PROBLEM))
    with pytest.raises(Refused):
        client.ranking("a/../b", "c?d", rating="e&f")
    assert seen[0][0] == "/v1/studies/a%2F..%2Fb/topics/c%3Fd/ranking?rating=e%26f"


def test_a_misspelt_setting_is_told_before_anything_is_sent(serve: Serve) -> None:
    client, seen = serve(NOTHING)
    with pytest.raises(TypeError, match="voets"):
        client.create_study("s", voets=3)
    assert seen == []


def test_the_client_speaks_all_of_the_service(sqlite_url: str) -> None:
    key = new_key(sqlite_url)
    with serving(sqlite_url) as (address, _), Client(address, key) as client:
        client.ready()
        study = client.create_study(STUDY, undo_seconds=30, selector="quick-sort")
        assert client.study(STUDY) == study
        assert client.change_study(STUDY, title="T").title == "T"
        client.add_topic(STUDY, TopicIn(id=TOPIC, documents=[DocumentIn(id=d) for d in "abc"]))
        client.upload_topic(
            STUDY, TopicHeadIn(id="tea"), lambda: map(lambda d: DocumentIn(id=d), "ab")
        )
        assert [topic.id for topic in client.topics(STUDY)] == [TOPIC, "tea"]
        assert client.change_topic(STUDY, "tea", StudyStatus.CLOSED).status == "closed"
        (skipped,) = client.next(STUDY, "bob", topic=TOPIC).assignments
        assert client.skip(skipped).state == "skipped"
        (asked,) = client.next(STUDY, "ann").assignments
        client.judge(asked, "right", seconds=1.5)
        again = client.undo(asked)
        assert again.attempt == 2
        assert client.judge(again, "left").number == 3
        assert client.undo(asked).attempt == 2
        assert client.progress(STUDY, TOPIC).judgments == client.study_progress(STUDY).judgments
        assert client.ranking(STUDY, TOPIC, "elo").rating == "elo"
        better, worse = (one.id for one in asked.shown)
        assert client.explain(STUDY, TOPIC, better, worse).relation == "better"
        assert client.reliability(STUDY, TOPIC) == []
        assert [entry.retracted for entry in client.judgments(STUDY, TOPIC)] == ["undo", None]
        assert len(b"".join(client.export(STUDY, Format.JSONL)).splitlines()) == 2
        with pytest.raises(Refused, match="no topic"):
            list(client.export(STUDY, Format.QRELS, topic="none"))
        assert {worker.id for worker in client.workers(STUDY)} == {"ann", "bob"}
        assert client.change_worker(STUDY, "bob", WorkerStatus.BLOCKED).status == "blocked"
        wanted = [JudgmentsIn(topic=TOPIC, numbers=[3])]
        assert client.retract(STUDY, RetractionIn(judgments=wanted)).judgments == 1
