"""The route of file imports from a browser: `nextpair import` in one request."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException

from nextpair.app.errors import TooLarge
from nextpair.app.formats.files import BadFile
from nextpair.app.formats.pools import Pool
from nextpair.app.formats.quota import ImportQuota
from nextpair.app.formats.sources import ImportSources, read_sources
from nextpair.app.formats.upload_pools import document_in, topic_head_in
from nextpair.app.formats.uploaded_files import (
    UnpackQuota,
    UploadedFile,
    displayed_file_name,
    unpack_upload,
)
from nextpair.app.provisioning import setup, staging
from nextpair.app.provisioning.setup import NewTopic
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.schemas.imports import ImportedTopicOut, ImportIn, ImportOut
from nextpair.app.schemas.omissions import merge_omissions, qualify_with_topic
from nextpair.app.settings import ServiceSettings
from nextpair.app.web.access import Admin, Now, Svc
from nextpair.app.web.api_description import StudyName, problems
from nextpair.app.web.authenticated_route import AuthenticatedRoute
from nextpair.app.web.omission_warnings import omissions_in
from nextpair.app.web.routes.topics import document_row, new_topic

router = APIRouter(prefix="/v1/studies/{study}", tags=["topics"], route_class=AuthenticatedRoute)

KINDS = ("topics", "runs", "documents")
_FILES: dict[str, Any] = {"type": "array", "items": {"type": "string", "format": "binary"}}
_FORM = {
    "requestBody": {
        "required": True,
        "description": "Files, plain or gzip, as `nextpair import` reads them.",
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "topics": {**_FILES, "maxItems": 1, "description": "TREC topics"},
                        "runs": {**_FILES, "description": "TREC runs"},
                        "documents": {**_FILES, "description": "JSON Lines or CSV"},
                        **ImportIn.model_json_schema()["properties"],
                    },
                }
            }
        },
    }
}


@dataclass(frozen=True, slots=True)
class ImportForm:
    """The parsed form: its files by kind, and its options."""

    files: dict[str, list[UploadFile]]
    options: ImportIn


# The form is parsed here and not by the framework, which would read all of it before it
# authenticates the caller.


@router.post("/imports", responses=problems(404, 409), openapi_extra=_FORM)
async def import_files(
    study: StudyName, request: Request, caller: Admin, service: Svc, now: Now
) -> ImportOut:
    """Add the topics that files describe, all of them or none; the same again changes nothing."""
    form = await _form(request, service.settings.max_import_files)
    try:
        return await run_in_threadpool(_import, service, study, _read_form(form), now)
    finally:
        await form.close()


async def _form(request: Request, most: int) -> FormData:
    try:
        return await request.form(max_files=most)
    except HTTPException as error:
        # The framework has no error type for it, only a message.
        if "Too many files" in error.detail:
            raise TooLarge(f"an import has at most {most:,} files") from None
        raise _invalid("files", "cannot be read as a form of files and texts") from None


def _read_form(form: FormData) -> ImportForm:
    files: dict[str, list[UploadFile]] = {kind: [] for kind in KINDS}
    texts: dict[str, str] = {}
    for name, value in form.multi_items():
        if isinstance(value, str):
            texts[name] = value
        elif name in KINDS:
            files[name].append(value)
        else:
            raise _invalid(name, "there is no such file here; give topics, runs or documents")
    if len(files["topics"]) > 1:
        raise _invalid("topics", "give one file of topics")
    if not files["runs"] and not files["documents"]:
        raise _invalid("documents", "give runs or documents: there is nothing to import")
    try:
        return ImportForm(files, ImportIn.model_validate(texts))
    except ValidationError as error:
        errors = [{**item, "loc": ("form", *item["loc"])} for item in error.errors()]
        raise RequestValidationError(errors) from None


def _invalid(name: str, what: str) -> RequestValidationError:
    return RequestValidationError([{"loc": ("form", name), "msg": what}])


def _import(service: ServiceContext, study: str, form: ImportForm, now: float) -> ImportOut:
    service.study_id(study)
    pools, warnings = _pools(form, service.settings)
    new = [_new(pool) for pool in pools]
    for addition in new:
        setup.check_topic(service, study, addition)
    added = staging.add_topics(service, study, new, now, dry_run=form.options.dry_run)
    topics = [
        ImportedTopicOut(
            topic=pool.topic,
            title=pool.title,
            documents=len(pool.documents),
            new=pool.topic in added,
        )
        for pool in pools
    ]
    not_shown = merge_omissions(
        omission
        for addition in new
        for omission in qualify_with_topic(addition.name, omissions_in(service, addition.documents))
    )
    return ImportOut(
        dry_run=form.options.dry_run,
        topics=topics,
        warnings=[*warnings, *(addition.warning() for addition in not_shown)],
        not_shown=not_shown,
    )


def _new(pool: Pool) -> NewTopic:
    documents = [
        document_row(document_in(pool, document), place)
        for place, document in enumerate(pool.documents)
    ]
    return new_topic(topic_head_in(pool), documents)


def _pools(form: ImportForm, settings: ServiceSettings) -> tuple[list[Pool], list[str]]:
    """Read the files; temporary files are deleted in any case."""
    allowance = UnpackQuota(settings.max_upload_mb, settings.max_import_lines, settings.line_bytes)
    with ExitStack() as stack:
        kept = {kind: _keep(files, allowance, stack) for kind, files in form.files.items()}
        sources = ImportSources(
            next(iter(kept["topics"]), None),
            kept["runs"],
            kept["documents"],
            form.options.depth,
            form.options.topic,
        )
        return read_sources(
            sources, ImportQuota(settings.max_documents, settings.max_import_documents)
        )


def _keep(
    files: Sequence[UploadFile], allowance: UnpackQuota, stack: ExitStack
) -> list[UploadedFile]:
    kept: list[UploadedFile] = []
    names = set[str]()
    for upload in files:
        name = displayed_file_name(upload.filename)
        if name in names:
            raise BadFile(f"{name}: two files have this name")
        names.add(name)
        kept.append(unpack_upload(name, upload.file, allowance))
        stack.callback(kept[-1].close)
    return kept
