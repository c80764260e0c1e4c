"""What MTurk says in documents of its own: answers in XML, notifications in JSON."""

import json
from collections.abc import Mapping
from typing import Any
from xml.parsers import expat

from nextpair.app.platforms.facts import News, Stage, Submission

STAGES = {
    "AssignmentAccepted": Stage.WORKING,
    "AssignmentReturned": Stage.RETURNED,
    "AssignmentAbandoned": Stage.RETURNED,
}
"""What an event says by itself; of the others only that there is something to look at. That
something was handed in is among those: only MTurk's own list has the receipt that came with it."""

PACKED = "taskAnswers"


def fields_in(answer: str) -> dict[str, str]:
    """Read the fields of the form that a worker handed in; what cannot be read has none.

    >>> fields_in("<A><Answer><QuestionIdentifier>q</QuestionIdentifier>"
    ...           "<FreeText>1 &lt; 2</FreeText></Answer></A>")
    {'q': '1 < 2'}
    """
    reader = _Reader()
    try:
        reader.parser.Parse(answer, True)
    except (expat.ExpatError, _Doctype):
        return {}
    return {**_packed(reader.fields.get(PACKED, "")), **reader.fields}


def _packed(text: str) -> dict[str, str]:
    """Read the fields of a form made of MTurk's own elements, which come as one, in JSON."""
    try:
        found = json.loads(text) if text else []
    except ValueError:
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


def news_in(told: Mapping[str, Any]) -> list[News]:
    """Read a notification: as it lies in a queue, or in the envelope in which SNS posts it."""
    if told.get("Type") == "SubscriptionConfirmation":
        return [News(f"confirm:{told['Token']}", handle=f"{told['TopicArn']} {told['Token']}")]
    if told.get("Type") == "Notification":
        told = json.loads(told["Message"])
    events = told["Events"]
    offers = tuple(dict.fromkeys(str(one["HITId"]) for one in events))
    submissions = [
        Submission(str(one["AssignmentId"]), None, STAGES[one["EventType"]], str(one["HITId"]))
        for one in events
        if one["EventType"] in STAGES and "AssignmentId" in one
    ]
    return [News(str(told["EventDocId"]), submissions, offers=offers)]
