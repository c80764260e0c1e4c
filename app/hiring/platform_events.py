"""Validation of platform events: typed, bounded, and storable in every database."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints, TypeAdapter
from pydantic import ValidationError as Invalid
from pydantic.dataclasses import dataclass

from nextpair.app.errors import Malformed
from nextpair.app.field_types import Real
from nextpair.app.names import clean_name
from nextpair.app.platforms import messages
from nextpair.app.validation_messages import first_error

LONGEST_ANSWER = 10_000
"""Characters of an answer, written as JSON."""
LONGEST_SECONDS = 10.0 * 365 * 86_400
MAX_ITEMS = 10_000
"""Items of one event."""

Id = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00]*$")]
Text = Annotated[str, StringConstraints(max_length=10_000, pattern=r"^[^\x00]*$")]


def _is_name(text: str) -> str:
    # An answer that was withdrawn names no worker.
    return clean_name(text) if text else text


def _is_storable(answer: Any) -> Any:
    try:
        written = json.dumps(answer, allow_nan=False)
        written.encode()
    except (ValueError, TypeError, RecursionError):
        raise ValueError("must be an answer of text, numbers, lists and objects") from None
    if len(written) > LONGEST_ANSWER or "\\u0000" in written or "\\ud" in written.lower():
        raise ValueError(f"must be an answer of at most {LONGEST_ANSWER} plain characters")
    return answer


Worker = Annotated[str, AfterValidator(_is_name)]
Answer = Annotated[dict[str, Any], AfterValidator(_is_storable)]


@dataclass(frozen=True)
class _Submission:
    session: Id
    worker: Worker | None
    stage: messages.Stage
    offer: Id | None = None
    receipt: Text | None = None
    code: Text | None = None


@dataclass(frozen=True)
class _TaskAnswer:
    id: Id
    task: Id
    worker: Worker
    answer: Answer | None
    seconds: Annotated[Real, Field(ge=0, le=LONGEST_SECONDS)] | None = None


@dataclass(frozen=True)
class _PlatformEvent:
    id: Id | None = None
    submissions: Annotated[list[_Submission], Field(max_length=MAX_ITEMS)] = Field(
        default_factory=list
    )
    answers: Annotated[list[_TaskAnswer], Field(max_length=MAX_ITEMS)] = Field(default_factory=list)
    offers: Annotated[list[Id], Field(max_length=MAX_ITEMS)] = Field(default_factory=list)
    handle: Text | None = None


_EVENT = TypeAdapter(_PlatformEvent)


def parse_event(content: Mapping[str, Any]) -> messages.PlatformEvent:
    """Read an event as it is stored; `Malformed` says what is wrong with it."""
    try:
        event = _EVENT.validate_python(dict(content))
    except Invalid as error:
        where, what = first_error(error)
        raise Malformed(f"{where}: {what}" if where else what) from None
    if any(answer.answer is not None and not answer.worker for answer in event.answers):
        raise Malformed("answers: an answer must say whose it is")
    return messages.PlatformEvent(
        event.id,
        [messages.Submission(**vars(submission)) for submission in event.submissions],
        [messages.TaskAnswer(**vars(answer)) for answer in event.answers],
        event.offers,
        event.handle,
    )


def validated(event: messages.PlatformEvent) -> messages.PlatformEvent:
    """Return an event if every value of it is valid; `Malformed` says which is not."""
    return parse_event(_as_dict(event))


def _as_dict(event: messages.PlatformEvent) -> dict[str, Any]:
    if not isinstance(event, messages.PlatformEvent):
        raise Malformed("it is not an event")
    return asdict(event)
