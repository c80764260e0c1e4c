"""What MTurk says in documents of its own: answers in XML, notifications in JSON."""

import json
from collections.abc import Mapping
from typing import Any
from xml.parsers import expat

from nextpair.app.errors import Malformed
from nextpair.app.platforms.accounts.payloads import Node, parse
from nextpair.app.platforms.facts import News, Stage, Submission

STAGES = {
    "AssignmentAccepted": Stage.WORKING,
    "AssignmentReturned": Stage.RETURNED,
    "AssignmentAbandoned": Stage.RETURNED,
}
"""What an event says by itself; of the others only that there is something to look at. That
something was handed in is among those: only MTurk's own list has the receipt that came with it."""

PACKED = "taskAnswers"
CONFIRM = "confirm:"
LONGEST_TOKEN = 480
MOST_EVENTS = 1_000


def fields_in(answer: str) -> dict[str, str]:
    """Read the fields of the form that a worker handed in; what cannot be read has none.

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
    """Read the fields of a form made of MTurk's own elements, which come as one, in JSON."""
    try:
        found = json.loads(text) if text else []
    except (ValueError, RecursionError):
        return {}
    forms = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    values = ((str(name), value) for one in forms for name, value in one.items())
    return {name: value for name, value in values if isinstance(value, str)}


class _Doctype(Exception):
    """The document declares something: no answer does, and entities are a trap."""


class _Reader:
    """What expat calls back."""

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


def news_in(content: Mapping[str, Any]) -> list[News]:
    """Read a notification: as it lies in a queue, or in the envelope in which SNS posts it."""
    told = Node(content)
    kind = content.get("Type")
    if kind == "SubscriptionConfirmation":
        token, topic = (told[name].text(LONGEST_TOKEN) for name in ("Token", "TopicArn"))
        return [News(f"{CONFIRM}{token}", handle=f"{topic} {token}")]
    if kind == "Notification":
        told = parse(told["Message"].text())
    events = told["Events"].items(MOST_EVENTS)
    offers = tuple(dict.fromkeys(one["HITId"].identifier() for one in events))
    submissions = [
        Submission(one["AssignmentId"].identifier(), None, stage, one["HITId"].identifier())
        for one in events
        if (stage := STAGES.get(one["EventType"].identifier())) and one.get("AssignmentId")
    ]
    return [News(told["EventDocId"].identifier(), submissions, offers=offers)]


def queued_news(message: Node) -> list[News]:
    """Read a message of a queue; what is not MTurk's tells nothing, and is taken off it."""
    handle = message["ReceiptHandle"].text()
    try:
        told = news_in(parse(message["Body"].text()).mapping())
    except Malformed:
        told = [News()]
    return [News(one.id, one.submissions, offers=one.offers, handle=handle) for one in told]
