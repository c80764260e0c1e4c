"""Routes of topics and their documents."""

from collections.abc import AsyncIterator
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool

from nextpair.app.errors import TooLarge
from nextpair.app.provisioning import setup, staging
from nextpair.app.provisioning.setup import IdempotentCall, NewTopic
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.schemas.common import Page
from nextpair.app.schemas.topics import (
    DocumentIn,
    DocumentOut,
    TopicAddedOut,
    TopicChange,
    TopicHeadIn,
    TopicIn,
    TopicOut,
)
from nextpair.app.settings import MB
from nextpair.app.web.access import Admin, Anyone, Idempotency, Now, Svc
from nextpair.app.web.api_description import After, Limit, StudyName, TopicName, problems, repeated
from nextpair.app.web.authenticated_route import AuthenticatedRoute
from nextpair.app.web.omission_warnings import omissions_in
from nextpair.storage import topics
from nextpair.storage.rows import DocumentRow, StudyStatus, TopicRow

router = APIRouter(prefix="/v1/studies/{study}", tags=["topics"], route_class=AuthenticatedRoute)

Shape = TypeVar("Shape", bound=BaseModel)


def new_topic(head: TopicHeadIn, documents: list[DocumentRow]) -> NewTopic:
    """Convert a request to a topic to be added."""
    rule = head.understanding
    return NewTopic(
        head.id,
        head.title,
        head.description,
        head.narrative,
        head.seed,
        documents,
        None if rule is None else rule.model_dump(mode="json"),
    )


def document_row(document: DocumentIn, position: int) -> DocumentRow:
    """Convert a request to a document row."""
    return DocumentRow(
        position,
        document.id,
        document.title,
        document.text,
        document.html,
        document.url,
        document.features or None,
        document.prior,
    )


def topic_out(row: TopicRow) -> TopicOut:
    """Present a topic."""
    return TopicOut(
        id=row.name,
        title=row.title,
        description=row.description,
        narrative=row.narrative,
        seed=row.seed,
        status=StudyStatus(row.status),
        documents=row.documents,
        position=row.position,
        created_at=row.created_at,
    )


def _add(
    service: ServiceContext, call: IdempotentCall, study: str, new: NewTopic, now: float
) -> tuple[TopicAddedOut, int]:
    setup.check_topic(service, study, new)
    answer, done = staging.add_topic(service, call, study, new, now)
    with service.database.read() as connection:
        row = topics.get_topic(connection, service.topic_id(study, answer["name"]))
    out = TopicAddedOut(
        **topic_out(row).model_dump(), not_shown=omissions_in(service, new.documents)
    )
    return out, 201 if done and answer["new"] else 200


@router.post(
    "/topics", status_code=201, responses={**repeated(TopicAddedOut), **problems(404, 409)}
)
def create_topic(
    study: StudyName,
    body: TopicIn,
    caller: Admin,
    call: Idempotency,
    service: Svc,
    now: Now,
    response: Response,
) -> TopicAddedOut:
    """Add a topic with all its documents. The same one again is a success that changes nothing."""
    documents = [document_row(document, place) for place, document in enumerate(body.documents)]
    out, status = _add(service, call, study, new_topic(body, documents), now)
    response.status_code = status
    return out


_UPLOAD = {
    "requestBody": {
        "required": True,
        "description": "A line with the topic, then a line per document.",
        "content": {
            "application/jsonl": {
                "schema": {"type": "string"},
                "example": '{"id": "coffee"}\n{"id": "d1", "text": "…"}\n{"id": "d2"}\n',
            }
        },
    }
}


@router.post(
    "/topics.jsonl",
    status_code=201,
    responses={**repeated(TopicAddedOut), **problems(404, 409)},
    openapi_extra=_UPLOAD,
)
async def upload_topic(
    study: StudyName, request: Request, caller: Admin, service: Svc, now: Now, response: Response
) -> TopicAddedOut:
    """Add a topic from JSON Lines: the topic on the first line, then a document on each.

    Lines are checked as they arrive, and everything is stored at the end, in small transactions:
    nobody waits for a slow sender or a large upload, and nobody sees a part of it.
    """
    head: TopicHeadIn | None = None
    documents: list[DocumentRow] = []
    async for number, line in _lines(request, service):
        if head is None:
            head = _read(TopicHeadIn, number, line)
        elif len(documents) >= service.settings.max_documents:
            raise TooLarge(f"a topic has at most {service.settings.max_documents:,} documents")
        else:
            documents.append(document_row(_read(DocumentIn, number, line), len(documents)))
    if head is None:
        raise RequestValidationError([{"loc": ("body",), "msg": "there is no line"}])
    new = new_topic(head, documents)
    call = IdempotentCall(caller.key_id, None, "")
    out, response.status_code = await run_in_threadpool(_add, service, call, study, new, now)
    return out


async def _lines(request: Request, service: ServiceContext) -> AsyncIterator[tuple[int, bytes]]:
    number, rest, size = 0, b"", 0
    longest = service.settings.line_bytes
    async for chunk in request.stream():
        size += len(chunk)
        if size > service.settings.max_upload_mb * MB:
            raise TooLarge(f"an upload has at most {service.settings.max_upload_mb:g} MB")
        *whole, rest = (rest + chunk).split(b"\n")
        if len(rest) > longest:
            raise TooLarge(f"line {number + len(whole) + 1} has more than {longest:,} bytes")
        for line in whole:
            number += 1
            if line.strip():
                yield number, line
    if rest.strip():
        yield number + 1, rest


def _read(shape: type[Shape], number: int, line: bytes) -> Shape:
    try:
        return shape.model_validate_json(line)
    except ValidationError as error:
        errors = [{**item, "loc": ("line", number, *item["loc"])} for item in error.errors()]
        raise RequestValidationError(errors) from None


@router.get("/topics", responses=problems(404))
def list_topics(
    study: StudyName, caller: Anyone, service: Svc, after: After = "", limit: Limit = 100
) -> Page[TopicOut]:
    """List a study's topics by name."""
    study_id = service.study_id(study)
    with service.database.read() as connection:
        rows = topics.list_topics(connection, study_id, after, limit + 1)
    more = rows[limit - 1].name if len(rows) > limit else None
    return Page(items=[topic_out(row) for row in rows[:limit]], next=more)


@router.get("/topics/{topic}", responses=problems(404))
def get_topic(study: StudyName, topic: TopicName, caller: Anyone, service: Svc) -> TopicOut:
    """Describe a topic."""
    topic_id = service.topic_id(study, topic)
    with service.database.read() as connection:
        return topic_out(topics.get_topic(connection, topic_id))


@router.patch("/topics/{topic}", responses=problems(404))
def change_topic(
    study: StudyName, topic: TopicName, body: TopicChange, caller: Admin, service: Svc
) -> TopicOut:
    """Open, pause or close a topic."""
    setup.set_topic_status(service, service.topic_id(study, topic), body.status)
    return get_topic(study, topic, caller, service)


@router.get("/topics/{topic}/documents", responses=problems(404))
def list_documents(
    study: StudyName,
    topic: TopicName,
    caller: Anyone,
    service: Svc,
    after: Annotated[int, Query(ge=-1, le=10**9, description="`next` of the page before")] = -1,
    limit: Limit = 100,
    texts: Annotated[bool, Query(description="whether to send text and HTML along")] = True,
) -> Page[DocumentOut]:
    """List a topic's documents in the order in which they were given."""
    topic_id = service.topic_id(study, topic)
    with service.database.read() as connection:
        read = topics.list_documents if texts else topics.list_titles
        rows = read(connection, topic_id, after, limit + 1)
    more = str(rows[limit - 1].position) if len(rows) > limit else None
    return Page(items=[document_out(row) for row in rows[:limit]], next=more)


def document_out(row: DocumentRow) -> DocumentOut:
    """Present a document."""
    return DocumentOut(
        id=row.name,
        title=row.title,
        text=row.text,
        html=row.html,
        url=row.url,
        features=row.features or {},
        prior=row.prior,
    )
