"""The route of retractions, and of their preview."""

from collections.abc import Mapping, Sequence

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from nextpair.app.compute import computations
from nextpair.app.compute.jobs import Job
from nextpair.app.judging import retractions
from nextpair.app.judging.retractions import RetractionCause
from nextpair.app.schemas.retractions import RetractionIn, RetractionOut
from nextpair.app.web.access import Admin, Now, Svc
from nextpair.app.web.api_description import StudyName, problems
from nextpair.app.web.authenticated_route import AuthenticatedRoute
from nextpair.app.web.heavy_calls import Heavy

router = APIRouter(
    prefix="/v1/studies/{study}", tags=["retractions"], route_class=AuthenticatedRoute
)

REFOLD_COST = 5.0
"""The cost of a dry run relative to a ranking: the log is folded again without the judgments."""


@router.post("/retractions", response_model=RetractionOut, responses=problems(404))
async def retract(
    study: StudyName, body: RetractionIn, caller: Admin, service: Svc, heavy: Heavy, now: Now
) -> Response | RetractionOut:
    """Retract judgments: everything is then as if they had never been made.

    They stay in the log, marked. Their workers do not get the same pairs again.
    """
    numbers = tuple((judgment.topic, tuple(judgment.numbers)) for judgment in body.judgments)
    # The preview takes long, so it is computed before anything is locked.
    planned = await heavy.compute(
        Job(computations.dry_run, study, None, (body.worker, numbers), REFOLD_COST)
    )
    if body.dry_run:
        return Response(planned.body, media_type="application/json")
    retraction = RetractionCause(f"key {caller.key_id}", body.reason)

    def carry_out() -> RetractionOut:
        wanted = retractions.requested_judgments(service, study, body.worker, dict(numbers))
        taken = retractions.retract(service, wanted, retraction, now)
        return _carried_out(RetractionOut.model_validate_json(planned.body), taken)

    return await run_in_threadpool(carry_out)


def _carried_out(planned: RetractionOut, taken: Mapping[str, Sequence[int]]) -> RetractionOut:
    """Return the preview with the judgments that were actually retracted.

    They differ from the preview where others judged or retracted in between.
    """
    effects = [
        topic.model_copy(update={"judgments": list(taken.get(topic.topic, ()))})
        for topic in planned.topics
    ]
    count = sum(map(len, taken.values()))
    return RetractionOut(dry_run=False, judgments=count, topics=effects)
