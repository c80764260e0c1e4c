"""The entities of the fake MTurk, and checks of requests."""

import re
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

Json = dict[str, Any]
QUESTION = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/"
LONGEST = {"Title": 128, "Description": 2000, "Keywords": 999}
RESERVED = ("assignmentId", "hitId", "turkSubmitTo", "workerId")


class Refusal(Exception):
    """An error of MTurk."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = f"AWS.MechanicalTurk.{code}"


def cents(amount: str) -> int:
    """Read money, which must be written as MTurk wants it."""
    if not re.fullmatch(r"[0-9]+(\.[0-9]{0,2})?", amount):
        raise Refusal("ParameterValidationError", f"{amount!r} is no amount")
    whole, _, rest = amount.partition(".")
    return int(whole) * 100 + int(rest.ljust(2, "0"))


def fee(amount: int, percent: int) -> int:
    """Return MTurk's fee, a cent at least."""
    return max(1, -(-amount * percent // 100))


@dataclass
class Hit:
    """A HIT."""

    id: str
    type: str
    question: str
    places: int
    annotation: str
    expires: float
    disposed: bool = False
    assignments: list["Assignment"] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Where the worker's frame goes."""
        found = ElementTree.fromstring(self.question).find(
            f"{{{QUESTION}ExternalQuestion.xsd}}ExternalURL"
        )
        return found.text or "" if found is not None else ""


@dataclass
class Assignment:
    """A HIT that a worker has taken."""

    id: str
    hit: str
    worker: str
    status: str = "Accepted"
    answer: str = ""
    feedback: str | None = None


@dataclass(frozen=True)
class Booked:
    """A payment from the requester's account: the worker's pay, and MTurk's fee."""

    kind: str
    worker: str
    pay: int
    fee: int


def check_question(question: str) -> None:
    """Refuse what is no ExternalQuestion."""
    if len(question.encode()) > 65_535:
        raise Refusal("ParameterValidationError", "the question is too long")
    try:
        root = ElementTree.fromstring(question)
    except ElementTree.ParseError as error:
        raise Refusal("XMLParseError", str(error)) from None
    names = [root.tag, *(child.tag for child in root)]
    space = f"{{{QUESTION}ExternalQuestion.xsd}}"
    if names != [f"{space}{one}" for one in ("ExternalQuestion", "ExternalURL", "FrameHeight")]:
        raise Refusal("XMLParseError", f"not an ExternalQuestion: {names}")
    int(root[1].text or "")
    if any(f"{name}=" in (root[0].text or "") for name in RESERVED):
        raise Refusal("ParameterValidationError", "the address has a reserved parameter")


def check_type(body: Json) -> None:
    """Refuse a HIT type that is too long, or too short."""
    for name, most in LONGEST.items():
        if len(body.get(name, "")) > most:
            raise Refusal("ParameterValidationError", f"{name} is longer than {most}")
    if not 30 <= body["AssignmentDurationInSeconds"] <= 365 * 86_400:
        raise Refusal("ParameterValidationError", "AssignmentDurationInSeconds")
