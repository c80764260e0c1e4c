"""Files from a browser: as `nextpair import`, all or nothing, and errors that say where."""

import gzip
from typing import Any

from httpx2 import Response
from in_process import AT, InProcess, refusal

from nextpair.app.enums import Scope

TOPICS = b"<top><num>401</num><title>foreign minorities</title></top>"
RUN = b"401 Q0 a 1 3.0 tag\n401 Q0 b 2 2.0 tag\n401 Q0 c 3 1.0 tag\n"
DOCUMENTS = b'{"id": "a", "text": "one"}\n{"id": "b", "text": "two"}\n'


def sent(service: InProcess, *files: tuple[str, str, bytes], **said: Any) -> Response:
    uploads = [(kind, (name, content)) for kind, name, content in files]
    data = {name: str(value).lower() for name, value in said.items()}
    return service.send("POST", f"{AT}/imports", files=uploads, data=data)


def test_topics_runs_and_documents_become_topics(service: InProcess) -> None:
    service.make_study()
    files = [
        ("topics", "t.txt", TOPICS),
        ("runs", "r.gz", gzip.compress(RUN)),
        ("documents", "d.jsonl", DOCUMENTS),
    ]
    told = sent(service, *files, depth=2).json()
    assert told["topics"] == [
        {"topic": "401", "title": "foreign minorities", "documents": 2, "new": True}
    ]
    kept = service.get(f"{AT}/topics/401/documents")["items"]
    assert [(one["id"], one["text"], one["features"]) for one in kept] == [
        ("a", "one", {"tag": 1.0}),
        ("b", "two", {"tag": 2.0}),
    ]
    again = sent(service, *files, depth=2).json()
    assert again["topics"][0]["new"] is False


def test_a_dry_run_keeps_nothing(service: InProcess) -> None:
    service.make_study()
    told = sent(service, ("documents", "d.csv", b"id,topic\na,t\nb,t\n"), dry_run=True).json()
    assert told["dry_run"] is True
    assert told["topics"][0]["new"] is True
    assert told["warnings"]
    assert service.get(f"{AT}/topics")["items"] == []


def test_what_is_wrong_in_one_file_keeps_out_all(light: InProcess) -> None:
    light.make_study()
    files = [("documents", "good.jsonl", DOCUMENTS), ("documents", "bad.jsonl", b'{"id": 1}\n{"x')]
    body = refusal(sent(light, *files, topic="t"), 422, "bad-file")
    assert body["detail"].startswith("bad.jsonl:2: not a JSON object")
    assert light.get(f"{AT}/topics")["items"] == []


def test_other_content_under_the_same_name_is_refused(light: InProcess) -> None:
    light.make_study()
    light.make_topic(2, topic="t")
    refusal(sent(light, ("documents", "d.jsonl", DOCUMENTS), topic="t"), 409, "content-conflict")


def test_a_form_that_makes_no_sense_is_refused(light: InProcess) -> None:
    light.make_study()
    refusal(sent(light), 422, "invalid")
    refusal(sent(light, ("topics", "t", TOPICS)), 422, "invalid")
    refusal(sent(light, ("documents", "d", DOCUMENTS), depth=0, topic="t"), 422, "invalid")
    refusal(sent(light, ("documents", "d", DOCUMENTS), deep=3, topic="t"), 422, "invalid")
    refusal(sent(light, ("others", "d", DOCUMENTS), topic="t"), 422, "invalid")
    twice = [("topics", "t", TOPICS), ("topics", "u", TOPICS), ("runs", "r", RUN)]
    refusal(sent(light, *twice), 422, "invalid")
    same = [("documents", "d", DOCUMENTS), ("documents", "d", DOCUMENTS)]
    assert "two files" in refusal(sent(light, *same, topic="t"), 422, "bad-file")["detail"]
    refusal(sent(light, ("documents", "../../d", DOCUMENTS)), 422, "bad-file")
    broken = gzip.compress(DOCUMENTS)[:-9]
    refusal(sent(light, ("documents", "d.gz", broken), topic="t"), 422, "bad-file")


def test_only_an_admin_imports_and_only_into_a_study(light: InProcess) -> None:
    refusal(sent(light, ("documents", "d", DOCUMENTS), topic="t"), 404, "unknown-study")
    light.make_study()
    reader = light.make_key(Scope.READ)
    files = {"documents": ("d", DOCUMENTS)}
    answer = light.send("POST", f"{AT}/imports", files=files, bearer=reader)
    refusal(answer, 403, "forbidden")
