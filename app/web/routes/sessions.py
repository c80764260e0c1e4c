"""Routes of judging sessions: a platform opens one for a worker, whose page then uses it."""

from urllib.parse import quote

from fastapi import APIRouter

from nextpair.app.errors import Forbidden
from nextpair.app.hiring import arrivals
from nextpair.app.judging import comprehension, sessions
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.schemas.judging import VerdictOut
from nextpair.app.schemas.sessions import (
    FinishOut,
    Preview,
    SessionBeginIn,
    SessionBegunOut,
    SessionIn,
    SessionNextIn,
    SessionNextOut,
    SessionOut,
    SessionShown,
    SessionUnderstandingIn,
    finish_out,
)
from nextpair.app.security.tokens import Session
from nextpair.app.web.access import Platform, WorkerSession
from nextpair.app.web.api_description import StudyName, problems
from nextpair.app.web.authenticated_route import AuthenticatedRoute
from nextpair.app.web.presenters import (
    AssignmentPresenter,
    design_out,
    understanding_out,
    verdict_out,
)

router = APIRouter(prefix="/v1", tags=["sessions"], route_class=AuthenticatedRoute)

HOUR = 3600


@router.post("/studies/{study}/sessions", status_code=201, responses=problems(404))
def open_session(study: StudyName, body: SessionIn, caller: Platform) -> SessionOut:
    """Open a session for a worker: send them to its `url`, or show that in a frame."""
    service = caller.service
    service.study_id(study)
    if body.topic is not None:
        service.topic_id(study, body.topic)
    ends = caller.now + service.settings.session_hours * HOUR
    begun = 0.0 if body.continues else caller.now
    session = Session(study, body.worker, body.topic, body.count, begun, ends)
    token = service.sessions.sign(session)
    url = f"/judge/{quote(study, safe='')}#{token}"
    return SessionOut(url=url, session=token, expires_at=ends)


@router.get("/session", responses=problems(404))
def get_session(worker: WorkerSession) -> SessionShown:
    """Tell the page what its worker is asked, and how far they are."""
    service = worker.service
    session, standing = arrivals.session_status(service, worker.session)
    return SessionShown(
        **preview(service, session.study).model_dump(),
        worker=session.worker,
        topic=session.topic,
        count=session.count,
        answered=sessions.answered_in(service, session),
        expires_at=session.expires_at,
        hands_in=standing.hands_in,
        finished=standing.finished,
    )


def preview(service: ServiceContext, study: str) -> Preview:
    """Return the public preview of a study."""
    with service.database.read() as connection:
        loaded = service.study(connection, service.study_id(study))
    return Preview(study=study, title=loaded.settings.title, design=design_out(loaded))


@router.post("/session/next", responses=problems(404, 409))
def next_in_session(body: SessionNextIn, worker: WorkerSession) -> SessionNextOut:
    """Hand out the worker's next questions; what the page has lost comes again first."""
    service = worker.service
    session = arrivals.refresh_session(service, worker.session)
    turn = sessions.next_in_session(service, session, body.count, frozenset(body.held), worker.now)
    presenter = AssignmentPresenter(service, session.study, session.worker, opaque=True)
    issued, verdict = turn.issued, turn.verdict
    return SessionNextOut(
        assignments=[
            presenter.assignment(row, issued.topics[row.topic_id]) for row in issued.assignments
        ],
        reason=issued.reason,
        understanding=understanding_out(issued),
        answered=turn.answered,
        count=session.count,
        verdict=verdict and verdict_out(verdict, turn.topics[verdict.topic_id]),
    )


@router.post("/session/finish", responses=problems(404, 409))
def finish_session(worker: WorkerSession) -> FinishOut:
    """Hand in what was done in a session, and tell the page how to go back to the platform."""
    ending = arrivals.finish(worker.service, worker.session, worker.now)
    return finish_out(ending)


@router.post("/session/begin", responses=problems(404, 409))
def begin_session(body: SessionBeginIn, worker: WorkerSession) -> SessionBegunOut:
    """Tell the page all it needs to show the first question, in one answer.

    There is none yet where the worker has instructions to read first, and none any more where they
    have handed their work in.
    """
    about = get_session(worker)
    reads_first = about.design.instructions and not about.answered
    if about.finished or reads_first:
        return SessionBegunOut(about=about, first=None)
    first = next_in_session(SessionNextIn(count=body.count), worker)
    return SessionBegunOut(about=about, first=first)


@router.post("/session/understanding", responses=problems(404, 409))
def show_understanding(body: SessionUnderstandingIn, worker: WorkerSession) -> VerdictOut:
    """Answer a topic's understanding question."""
    session, service = worker.session, worker.service
    if session.topic not in (None, body.topic):
        raise Forbidden("the session is for another topic")
    topic_id = service.topic_id(session.study, body.topic)
    session, choice = arrivals.refresh_session(service, session), (body.choice, worker.now)
    if session.quarantine is None:
        verdict = comprehension.submit_choice(service, topic_id, session.worker, *choice)
    else:
        verdict = comprehension.submit_quarantined_choice(
            service, topic_id, session.quarantine, session.worker, *choice
        )
    return verdict_out(verdict, body.topic)
