"""Routes of hiring: status, start and stop, plan, activity log; and webhooks of platforms."""

import hmac
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi import Path as InPath
from starlette.concurrency import run_in_threadpool

from nextpair.app.errors import BadNotice
from nextpair.app.hiring import inbox, management
from nextpair.app.platforms.messages import Webhook
from nextpair.app.platforms.registry import read_access
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.schemas.hiring import (
    ActivityOut,
    ActivityPage,
    CallOut,
    HiringIn,
    HiringOut,
    PlanIn,
    PlanOut,
)
from nextpair.app.web.access import Admin, Now, Reader, Svc
from nextpair.app.web.api_description import Limit, StudyName, problem_response, problems
from nextpair.app.web.authenticated_route import AuthenticatedRoute
from nextpair.app.web.middleware import BodyLimit
from nextpair.storage import offers, outbox, studies
from nextpair.storage.hiring_rows import HiringState, OutboxState

router = APIRouter(prefix="/v1/studies/{study}", tags=["hiring"], route_class=AuthenticatedRoute)

WebhookSecret = Annotated[str, InPath(pattern=r"^[0-9a-f]{32}$")]


@router.get("/hiring", responses=problems(404))
def get_hiring(study: StudyName, caller: Admin, service: Svc) -> HiringOut:
    """Say how a study's hiring stands, and what it has cost."""
    found = management.hiring_status(service, study)
    rules, row = found.study.settings.hiring, found.hiring
    return HiringOut(
        platform=found.study.settings.platform,
        state=HiringState(row.state) if row else None,
        message=row.message if row else "",
        retry_at=row.retry_at if row else None,
        currency=rules.currency,
        budget=rules.budget,
        spent=found.budget_use.spent,
        reserved=found.budget_use.reserved,
        offers=dict(found.offers),
        submissions=dict(found.submissions),
        warnings=list(found.warnings),
        enter=f"{_address(service)}/judge/{quote(study, safe='')}/enter",
        news=f"{_address(service)}/v1/studies/{quote(study, safe='')}/news/"
        f"{service.receipts.webhook_secret(found.study.id)}",
    )


def _address(service: ServiceContext) -> str:
    return service.settings.public_url.rstrip("/")


@router.post("/hiring", responses=problems(404, 409))
def set_hiring(
    study: StudyName, body: HiringIn, caller: Admin, service: Svc, now: Now
) -> HiringOut:
    """Let a study hire on its platform, pause that, or stop it."""
    management.set_state(service, study, body.state, now)
    return get_hiring(study, caller, service)


@router.post("/hiring/plan", responses=problems(404, 409))
def plan_hiring(study: StudyName, body: PlanIn, caller: Admin, service: Svc) -> PlanOut:
    """Say what hiring would create and cost; nothing is changed and nothing is sent."""
    found, plan = management.plan_hiring(
        service, study, body.model_dump(exclude_unset=True, mode="json")
    )
    session = plan.each + plan.bonus
    return PlanOut(
        platform=found.settings.platform,
        currency=found.settings.hiring.currency,
        offers=list(plan.places),
        calls=[CallOut(name=name, content=dict(content)) for name, content in plan.calls],
        session_cost=plan.each,
        bonus_cost=plan.bonus,
        cost=sum(plan.places) * session,
        sessions=plan.sessions,
        study_cost=plan.sessions
        and (
            plan.sessions[0] * session,
            plan.sessions[1] * session,
            plan.sessions[2] * session,
        ),
        budget=found.settings.hiring.budget,
        free=plan.free,
    )


@router.get("/activity", responses=problems(404))
def list_activity(
    study: StudyName,
    caller: Reader,
    service: Svc,
    after: Annotated[int, Query(ge=0, le=10**15, description="`next` of the page before")] = 0,
    limit: Limit = 100,
) -> ActivityPage:
    """List what was done at the study's platform, with what it cost."""
    study_id = service.study_id(study)
    with service.database.read() as connection:
        rows = outbox.list_entries(connection, study_id, after, limit + 1)
        shown = rows[:limit]
        references = {
            offer.id: offer.reference for offer in offers.list_offers(connection, study_id)
        }
        submission_ids = {row.submission_id for row in shown}
        submissions = offers.submissions_of(connection, study_id) if submission_ids - {None} else []
        sessions = {
            submission.id: submission
            for submission in submissions
            if submission.id in submission_ids
        }
        workers = {row.worker_id for row in shown} | {
            session.worker_id for session in sessions.values()
        }
        names = studies.worker_names(
            connection, [worker for worker in workers if worker is not None]
        )
    items = [
        ActivityOut(
            number=row.id,
            platform=row.platform,
            kind=row.kind,
            state=OutboxState(row.state),
            cost=row.cost,
            offer=references.get(row.offer_id or 0),
            session=sessions[row.submission_id].session if row.submission_id in sessions else None,
            worker=names.get(row.worker_id or 0),
            attempts=row.attempts,
            message=row.message,
            created_at=row.created_at,
            ended_at=row.ended_at,
        )
        for row in shown
    ]
    return ActivityPage(items=items, next=shown[-1].id if len(rows) > limit else None)


@router.post("/news/{word}", responses=problem_response(400, 401, 404, 413, 422, 502, 503, 507))
async def take_news(
    study: StudyName, word: WebhookSecret, request: Request, service: Svc, now: Now
) -> dict[str, bool]:
    """Take what the study's platform posts; it is stored, and looked at later."""
    study_id = await run_in_threadpool(_addressed, service, study, word)
    body: BodyLimit = request.scope[BodyLimit.SCOPE_KEY]
    body.allow(service.settings.max_body_mb)
    webhook = Webhook(dict(request.headers), await request.body())
    await run_in_threadpool(_take, service, study_id, webhook, now)
    return {"taken": True}


def _addressed(service: ServiceContext, name: str, word: str) -> int:
    """Return the study that a webhook is for, after checking its secret."""
    study_id = service.study_id(name)
    # Platforms have no API key: the secret in the URL stands for one, and most sign what they post.
    if not hmac.compare_digest(word, service.receipts.webhook_secret(study_id)):
        raise BadNotice("there is no such address")
    return study_id


def _take(service: ServiceContext, study_id: int, webhook: Webhook, now: float) -> None:
    with service.database.read() as connection:
        study = service.study(connection, study_id)
    access = read_access(study.settings.platform, service.settings.platforms)
    inbox.receive(service, study_id, study.platform.read_webhook(webhook, access), now)
