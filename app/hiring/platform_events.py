"""What platforms tell, before anything believes it: typed, bounded, and fit for every database."""

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
from nextpair.app.platforms import facts
from nextpair.app.validation_messages import first_of

LONGEST_ANSWER = 10_000
"""Characters of an answer, written as JSON."""
LONGEST_SECONDS = 10.0 * 365 * 86_400
MOST = 10_000
"""Items of one piece of news."""

Id = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00]*$")]
Text = Annotated[str, StringConstraints(max_length=10_000, pattern=r"^[^\x00]*$")]


def _is_name(text: str) -> str:
    # Of an answer that was withdrawn, nobody knows the worker.
    return clean_name(text) if text else text


def _is_small(answer: Any) -> Any:
    try:
        written = json.dumps(answer, allow_nan=False)
        written.encode()
    except (ValueError, TypeError, RecursionError):
        raise ValueError("must be an answer of text, numbers, lists and objects") from None
    if len(written) > LONGEST_ANSWER or "\\u0000" in written or "\\ud" in written.lower():
        raise ValueError(f"must be an answer of at most {LONGEST_ANSWER} plain characters")
    return answer


Worker = Annotated[str, AfterValidator(_is_name)]
Answer = Annotated[dict[str, Any], AfterValidator(_is_small)]


@dataclass(frozen=True)
class _Submission:
    session: Id
    worker: Worker | None
    stage: facts.Stage
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
class _News:
    id: Id | None = None
    submissions: Annotated[list[_Submission], Field(max_length=MOST)] = Field(default_factory=list)
    answers: Annotated[list[_TaskAnswer], Field(max_length=MOST)] = Field(default_factory=list)
    offers: Annotated[list[Id], Field(max_length=MOST)] = Field(default_factory=list)
    handle: Text | None = None


_NEWS = TypeAdapter(_News)


def read_news(content: Mapping[str, Any]) -> facts.News:
    """Read news as they are stored; `Malformed` says what about them is not as it must be."""
    try:
        told = _NEWS.validate_python(dict(content))
    except Invalid as error:
        where, what = first_of(error)
        raise Malformed(f"{where}: {what}" if where else what) from None
    if any(one.answer is not None and not one.worker for one in told.answers):
        raise Malformed("answers: an answer must say whose it is")
    return facts.News(
        told.id,
        [facts.Submission(**vars(one)) for one in told.submissions],
        [facts.TaskAnswer(**vars(one)) for one in told.answers],
        told.offers,
        told.handle,
    )


def checked(news: facts.News) -> facts.News:
    """Return news whose every value is what it must be; `Malformed` says which is not."""
    return read_news(_plain(news))


def _plain(news: facts.News) -> dict[str, Any]:
    if not isinstance(news, facts.News):
        raise Malformed("it is no news")
    return asdict(news)
