"""Designs, and how a study checks its workers: known answers, and what came of the checks."""

import sys
from dataclasses import fields
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from nextpair.app.designs.base import Shape, design_names, find_design
from nextpair.app.errors import UnknownWorker
from nextpair.app.quality import gold_questions
from nextpair.app.quality.gold_questions import NewGold
from nextpair.app.schemas.common import Page
from nextpair.app.schemas.judging import DesignOut, VerdictOut
from nextpair.app.schemas.topics import GoldsIn, GoldsOut
from nextpair.app.web.access import Admin, Anyone, Now, Reader, Svc
from nextpair.app.web.api_description import StudyName, TopicName, WorkerName, problems
from nextpair.app.web.keyed_route import KeyedRoute
from nextpair.app.web.omission_warnings import omissions
from nextpair.app.web.presenters import design_out, verdict_out
from nextpair.app.web.routes.topics import document_row
from nextpair.selectors.base import find_selector, selector_names
from nextpair.selectors.state.settings import DEFAULT_SELECTOR
from nextpair.storage import checks, studies, topics

router = APIRouter(prefix="/v1", tags=["designs"], route_class=KeyedRoute)


class DesignSummary(BaseModel):
    """A design, with the schemas of its options and of its answers."""

    design: str
    description: str
    shape: Shape = Field(description="pair or single, unless its options say otherwise")
    options: dict[str, Any]
    answers: list[dict[str, Any]] = Field(description="of each stage")


class SelectorSummary(BaseModel):
    """A selector, with the defaults of its options."""

    selector: str
    description: str
    options: dict[str, Any]
    default: bool = Field(description="whether studies have it that name none")


@router.get("/designs", responses=problems())
def list_designs(caller: Anyone) -> Page[DesignSummary]:
    """List what workers can be asked."""
    found = [(name, find_design(name)) for name in design_names()]
    return Page(
        items=[
            DesignSummary(
                design=name,
                description=(design.__doc__ or "").split("\n")[0],
                shape=Shape(design().shape),
                options=design.model_json_schema(),
                answers=[model.model_json_schema() for model in design.answer_models()],
            )
            for name, design in found
        ]
    )


@router.get("/selectors", responses=problems())
def list_selectors(caller: Anyone) -> Page[SelectorSummary]:
    """List what can decide which pair is asked next."""
    found = [(name, find_selector(name)) for name in selector_names()]
    return Page(
        items=[
            SelectorSummary(
                selector=name,
                description=(sys.modules[selector.__module__].__doc__ or "").split("\n")[0],
                options={one.name: one.default for one in fields(selector.Options)},
                default=name == DEFAULT_SELECTOR,
            )
            for name, selector in found
        ]
    )


@router.get("/studies/{study}/design", responses=problems(404))
def get_design(study: StudyName, caller: Anyone, service: Svc) -> DesignOut:
    """Say what a worker's page asks for in a study."""
    with service.database.read() as connection:
        found = service.study(connection, service.study_id(study))
    return design_out(found)


@router.post("/studies/{study}/topics/{topic}/golds", responses=problems(404, 409))
def add_golds(
    study: StudyName, topic: TopicName, body: GoldsIn, caller: Admin, service: Svc, now: Now
) -> GoldsOut:
    """Add questions whose answers are known; the same again is a success that changes nothing."""
    golds = [NewGold(one.documents, one.answer, one.quiz) for one in body.golds]
    documents = [document_row(one, 0) for one in body.documents]
    found = gold_questions.add_golds(service, service.topic_id(study, topic), documents, golds, now)
    quiz = sum(one.quiz for one in found)
    not_shown = omissions(service, documents)
    return GoldsOut(traps=len(found) - quiz, quiz=quiz, not_shown=not_shown)


@router.get("/studies/{study}/workers/{worker}/verdicts", responses=problems(404))
def list_verdicts(
    study: StudyName, worker: WorkerName, caller: Reader, service: Svc
) -> Page[VerdictOut]:
    """List what came of checking a worker, oldest first."""
    study_id = service.study_id(study)
    with service.database.read() as connection:
        row = studies.find_worker(connection, study_id, worker)
        if row is None:
            raise UnknownWorker(f"the study has no worker {worker!r}")
        found = checks.verdicts_of(connection, row.id)
        names = {one.id: one.name for one in topics.list_topics(connection, study_id)}
    return Page(items=[verdict_out(one, names[one.topic_id]) for one in found])
