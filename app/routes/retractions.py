"""Taking judgments back, or seeing first what that would change."""

from dataclasses import asdict

from fastapi import APIRouter

from nextpair.app.judging import retracting
from nextpair.app.judging.retracting import Retraction
from nextpair.app.routes.access import Admin, Now, Svc
from nextpair.app.routes.described import StudyName, problems
from nextpair.app.routes.keyed_route import KeyedRoute
from nextpair.app.wire.retractions import (
    MOST_MOVED,
    EffectOut,
    MovedOut,
    RetractionIn,
    RetractionOut,
    SumOut,
)

router = APIRouter(prefix="/v1/studies/{study}", tags=["retractions"], route_class=KeyedRoute)


@router.post("/retractions", responses=problems(404))
def retract(
    study: StudyName, body: RetractionIn, caller: Admin, service: Svc, now: Now
) -> RetractionOut:
    """Retract judgments: everything is then as if they had never been made.

    They stay in the log, marked. Their workers do not get the same pairs again.
    """
    study_id = service.study_id(study)
    if body.worker is not None:
        wanted = retracting.worker_judgments(service, study_id, body.worker)
    else:
        wanted = {service.topic_id(study, one.topic): one.numbers for one in body.judgments}
    retraction = Retraction(f"key {caller.key_id}", body.reason, body.dry_run)
    effects = retracting.retract(service, wanted, retraction, now)
    return RetractionOut(
        dry_run=body.dry_run,
        judgments=sum(len(effect.judgments) for effect in effects),
        topics=[
            EffectOut(
                topic=effect.topic,
                judgments=list(effect.judgments),
                before=SumOut(**asdict(effect.before)),
                after=SumOut(**asdict(effect.after)),
                moved=[MovedOut(**asdict(one)) for one in effect.moved[:MOST_MOVED]],
                moved_documents=len(effect.moved),
            )
            for effect in effects
        ],
    )
