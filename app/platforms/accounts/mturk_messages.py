"""MTurk's documents: answers in XML, notifications in JSON."""

import json
from collections.abc import Mapping
from typing import Any
from xml.parsers import expat

from nextpair.app.errors import Malformed
from nextpair.app.platforms.accounts.payloads import JsonNode, parse
from nextpair.app.platforms.messages import PlatformEvent, Stage, Submission

STAGES = {
    "AssignmentAccepted": Stage.WORKING,
    "AssignmentReturned": Stage.RETURNED,
    "AssignmentAbandoned": Stage.RETURNED,
}
"""The stages that an event reports by itself. Of other events only the HIT is taken, to be polled:
also of a submission, because only MTurk's own list has the receipt that came with it."""

PACKED = "taskAnswers"
CONFIRM = "confirm:"
MAX_TOKEN_LENGTH = 480
MAX_EVENTS = 1_000


def fields_in(answer: str) -> dict[str, str]:
    """Read the fields of the form that a worker handed in; none if it cannot be parsed.

    >>> fields_in("<A><Answer><QuestionIdentifier>q</QuestionIdentifier>"
    ...           "<FreeText>1 &lt; 2</FreeText></Answer></A>")
    {'q': '1 < 2'}
    """
    reader = _Reader()
    try:
        reader.parser.Parse(answer, True)
    except (expat.ExpatError, _Doctype, UnicodeError):
        return {}
    return {**_packed(reader.fields.get(PACKED, "")), **reader.fields}


def _packed(text: str) -> dict[str, str]:
    """Read the fields of a form made of MTurk's own elements, which come as one field of JSON."""
    try:
        content = json.loads(text) if text else []
    except (ValueError, RecursionError):
        return {}
    items = content if isinstance(content, list) else []
    forms = [item for item in items if isinstance(item, dict)]
    values = ((str(name), value) for form in forms for name, value in form.items())
    return {name: value for name, value in values if isinstance(value, str)}


class _Doctype(Exception):
    """The document has a DOCTYPE: no answer has one, and entities could expand without limit."""


class _Reader:
    """Collects the fields in the callbacks of expat."""

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self._name, self._text = "", ""
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.StartElementHandler = self._start
        self.parser.CharacterDataHandler = self._characters
        self.parser.EndElementHandler = self._end

    def _refuse(self, *declared: object) -> None:
        raise _Doctype()

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._text = ""

    def _characters(self, text: str) -> None:
        self._text += text

    def _end(self, name: str) -> None:
        if name == "QuestionIdentifier":
            self._name = self._text.strip()
        elif name == "FreeText" and self._name:
            self.fields[self._name] = self._text.strip()
        self._text = ""


def events_in(content: Mapping[str, Any]) -> list[PlatformEvent]:
    """Read a notification, from a queue or from the envelope in which SNS posts it."""
    document = JsonNode(content)
    kind = content.get("Type")
    if kind == "SubscriptionConfirmation":
        token, topic = (document[name].text(MAX_TOKEN_LENGTH) for name in ("Token", "TopicArn"))
        return [PlatformEvent(f"{CONFIRM}{token}", handle=f"{topic} {token}")]
    if kind == "Notification":
        document = parse(document["Message"].text())
    events = document["Events"].items(MAX_EVENTS)
    offers = tuple(dict.fromkeys(event["HITId"].identifier() for event in events))
    submissions = [
        Submission(event["AssignmentId"].identifier(), None, stage, event["HITId"].identifier())
        for event in events
        if (stage := STAGES.get(event["EventType"].identifier())) and event.get("AssignmentId")
    ]
    return [PlatformEvent(document["EventDocId"].identifier(), submissions, offers=offers)]


def queued_events(message: JsonNode) -> list[PlatformEvent]:
    """Read a message of a queue; a foreign one becomes an empty event, and is deleted."""
    handle = message["ReceiptHandle"].text()
    try:
        events = events_in(parse(message["Body"].text()).mapping())
    except Malformed:
        events = [PlatformEvent()]
    return [
        PlatformEvent(event.id, event.submissions, offers=event.offers, handle=handle)
        for event in events
    ]
