"""The fake MTurk on the wire: signatures and shapes are checked, workers have pages."""

import html
import json
import os
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit
from xml.sax.saxutils import escape

import botocore.session
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.model import Shape
from botocore.validate import ParamValidator
from platforms.fake_mturk import MTurk
from platforms.fake_mturk_model import Json, Refusal

KEY, SECRET = "AKIAFAKE", "sesame"
PREFIX = "MTurkRequesterServiceV20170117."
_MODELS = {
    name: botocore.session.get_session().get_service_model(name) for name in ("mturk", "sqs")
}
ANSWERS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/"


class Server:
    """A running fake.

    Parameters
    ----------
    faults
        What happens to the next calls instead: throttled, fault, lost (done, but nobody is told).
    kill_after, victim
        After which call a process is killed before it is told, and which.
    """

    def __init__(self, mturk: MTurk, port: int) -> None:
        self.mturk = mturk
        self.url = f"http://127.0.0.1:{port}"
        self.faults: list[str] = []
        self.secrets = {KEY: SECRET}
        self.calls: list[str] = []
        self.callers: list[str] = []
        self.kill_after = ""
        self.victim = 0
        self.lock = threading.Lock()

    def access(self, secret: str = SECRET) -> dict[str, str]:
        """What an installation says to reach it."""
        return {
            "access_key_id": KEY,
            "secret_access_key": secret,
            "endpoint": self.url,
            "queue_endpoint": self.url,
            "submit_sites": self.url,
            "frame_sites": self.url,
        }


class _Handler(BaseHTTPRequestHandler):
    server_version = "FakeMTurk"
    protocol_version = "HTTP/1.1"
    # Head and body are sent apart: the second would wait 40 ms for the first to be acknowledged.
    disable_nagle_algorithm = True
    fake: Server

    def log_message(self, *args: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/mturk/externalSubmit":
            return self._submit(body)
        target = self.headers.get("X-Amz-Target", "")
        service, operation = target.split(".", 1)
        with self.fake.lock:
            self._requester("sqs" if service == "AmazonSQS" else "mturk", operation, body)

    def _requester(self, service: str, operation: str, body: bytes) -> None:
        fault = self.fake.faults.pop(0) if self.fake.faults and service == "mturk" else ""
        self.fake.calls.append(operation)
        if not self._is_signed(body, service):
            return self._fail("UnrecognizedClientException", "The security token is invalid.")
        if fault == "throttled":
            return self._fail("ThrottlingException", "Rate exceeded")
        if fault == "fault":
            return self._fail("ServiceFault", "Something is wrong here", 500)
        told: Json = json.loads(body)
        model = _MODELS[service].operation_model(operation)
        wrong = _wrong(told, model.input_shape)
        if wrong:
            return self._fail("ValidationException", wrong)
        try:
            answer = (
                self._queue(operation, told) if service == "sqs" else self._call(operation, told)
            )
        except Refusal as error:
            return self._fail("RequestError", str(error), TurkErrorCode=error.code)
        assert not _wrong(answer, model.output_shape), "the fake itself says something wrong"
        if operation == self.fake.kill_after:
            os.kill(self.fake.victim, signal.SIGKILL)
            fault = "lost"
        if fault == "lost":
            self.close_connection = True
            self.connection.close()
            return None
        return self._send(200, json.dumps(answer).encode(), "application/x-amz-json-1.1")

    def _call(self, operation: str, told: Json) -> Json:
        return self.fake.mturk.call(operation, told)

    def _queue(self, operation: str, told: Json) -> Json:
        queue = self.fake.mturk.queue
        if operation == "DeleteMessage":
            queue.pop(told["ReceiptHandle"], None)
            return {}
        most = told.get("MaxNumberOfMessages", 1)
        return {
            "Messages": [
                {"MessageId": name, "ReceiptHandle": name, "Body": body}
                for name, body in list(queue.items())[:most]
            ]
        }

    def _is_signed(self, body: bytes, service: str) -> bool:
        found = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=(\w+)/(\d+)/([\w-]+)/([\w-]+)/aws4_request,"
            r" SignedHeaders=([\w;-]+), Signature=(\w+)",
            self.headers.get("Authorization", ""),
        )
        if not found or found[1] not in self.fake.secrets:
            return False
        self.fake.callers.append(found[1])
        headers = {name: self.headers[name] for name in found[5].split(";")}
        request = AWSRequest("POST", self.fake.url + self.path, headers, body)
        request.context["timestamp"] = self.headers["X-Amz-Date"]
        name = "sqs" if service == "sqs" else "mturk-requester"
        signer = SigV4Auth(Credentials(found[1], self.fake.secrets[found[1]]), name, found[3])
        canonical = signer.canonical_request(request)
        expected = signer.signature(signer.string_to_sign(request, canonical), request)
        return bool(expected == found[6] and found[4] == name)

    def _fail(self, kind: str, message: str, status: int = 400, **more: str) -> None:
        body = json.dumps({"__type": kind, "Message": message, **more})
        self._send(status, body.encode(), "application/x-amz-json-1.1")

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    # -- the workers' side ----------------------------------------------------------------------

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(asked.query).items()}
        if asked.path != "/work":
            return self._send(404, b"", "text/plain")
        with self.fake.lock:
            hit = self.fake.mturk.hits[query["hit"]]
            shown = {"assignmentId": query["assignment"], "hitId": hit.id}
            if "worker" in query:
                shown |= {"workerId": query["worker"], "turkSubmitTo": self.fake.url + "/"}
            join = "&" if "?" in hit.url else "?"
            source = html.escape(f"{hit.url}{join}{urlencode(shown)}")
        frame = f'<iframe name="task" src="{source}" width="1200" height="900"></iframe>'
        page = f"<!doctype html><title>MTurk</title>{frame}"
        return self._send(200, page.encode(), "text/html")

    def _submit(self, body: bytes) -> None:
        if self.headers.get("Content-Type") != "application/x-www-form-urlencoded":
            return self._send(400, b"not a form", "text/plain")
        fields = dict(parse_qsl(body.decode(), keep_blank_values=True))
        name = fields.pop("assignmentId", "")
        if not fields:
            return self._send(400, b"There was a problem submitting your results", "text/html")
        with self.fake.lock:
            try:
                self.fake.mturk.submit(name, answer_xml(fields))
            except Refusal as error:
                return self._send(400, str(error).encode(), "text/plain")
        return self._send(200, b"<!doctype html><h1>Submitted</h1>", "text/html")


def answer_xml(fields: dict[str, str]) -> str:
    """Write a form as MTurk tells it."""
    answers = "".join(
        f"<Answer><QuestionIdentifier>{escape(name)}</QuestionIdentifier>"
        f"<FreeText>{escape(value)}</FreeText></Answer>"
        for name, value in fields.items()
    )
    space = f'xmlns="{ANSWERS}QuestionFormAnswers.xsd"'
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return f"{head}<QuestionFormAnswers {space}>{answers}</QuestionFormAnswers>"


def _wrong(told: Json, shape: Shape | None) -> str:
    """Say what is wrong with a message by MTurk's own model, patterns and lengths included."""
    if shape is None:
        return ""
    report = ParamValidator().validate(told, shape)
    return report.generate_report() if report.has_errors() else "; ".join(_unfit(told, shape, ""))


def _unfit(value: Any, shape: Any, where: str) -> Iterator[str]:
    if shape.type_name == "structure":
        for name, inner in value.items():
            yield from _unfit(inner, shape.members[name], f"{where}.{name}")
    elif shape.type_name == "list":
        for inner in value:
            yield from _unfit(inner, shape.member, where)
    elif shape.type_name == "string":
        pattern, most = shape.metadata.get("pattern"), shape.metadata.get("max")
        if pattern and not re.fullmatch(pattern.strip("^$"), value):
            yield f"{where}: {value!r} is not {pattern}"
        if most and len(value) > most:
            yield f"{where} is longer than {most}"


@contextmanager
def serving(mturk: MTurk) -> Iterator[Server]:
    """Run a fake MTurk."""
    handler = type("Handler", (_Handler,), {})
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    http.daemon_threads = True
    fake = Server(mturk, http.server_address[1])
    handler.fake = fake  # type: ignore[attr-defined]
    thread = threading.Thread(
        target=http.serve_forever, daemon=True, kwargs={"poll_interval": 0.05}
    )
    thread.start()
    try:
        yield fake
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
