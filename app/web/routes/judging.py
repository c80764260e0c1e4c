"""Routes of the judging loop: next questions, answers, skip and undo."""

from typing import Annotated

from fastapi import APIRouter, Header, Path, Response
from starlette.concurrency import run_in_threadpool

from nextpair.app.judging import (
    assignment_context,
    comprehension,
    next_question,
    skip_and_undo,
    submit_answer,
)
from nextpair.app.judging.next_request import NextRequest
from nextpair.app.judging.submit_answer import SubmittedAnswer
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.schemas.judging import (
    AssignmentOut,
    JudgmentIn,
    JudgmentOut,
    NextIn,
    NextOut,
    SkipIn,
    Skipped,
    UnderstandingIn,
    VerdictOut,
    WorkerIn,
)
from nextpair.app.security.tokens import AssignmentRef
from nextpair.app.web.access import Answerer, Platform
from nextpair.app.web.api_description import StudyName, TopicName, problems, repeated
from nextpair.app.web.authenticated_route import AuthenticatedRoute
from nextpair.app.web.presenters import (
    AssignmentPresenter,
    assignment_out,
    judgment_out,
    ref_of,
    understanding_out,
    verdict_out,
)
from nextpair.storage.rows import State

router = APIRouter(prefix="/v1", tags=["judging"], route_class=AuthenticatedRoute)

AssignmentId = Annotated[
    str, Path(pattern=r"^[0-9]{1,15}-[0-9]{1,15}$", max_length=31, examples=["1-1"])
]


@router.post("/studies/{study}/next", responses=problems(404, 409))
async def next_assignments(
    study: StudyName,
    body: NextIn,
    caller: Platform,
    idempotency_key: Annotated[
        str | None, Header(max_length=200, pattern=r"^[\x21-\x7e]+$")
    ] = None,
) -> NextOut:
    """Hand out the pairs that teach most now; each is this worker's alone until it expires.

    A repeated call with the same Idempotency-Key gives the same assignments.
    """
    request = f"{caller.key_id}:{idempotency_key}" if idempotency_key else None
    wish = NextRequest(body.worker, body.count, request)

    def ask(service: ServiceContext) -> NextOut:
        if body.topic is None:
            issued = next_question.next_in_study(service, service.study_id(study), wish, caller.now)
        else:
            topic_id = service.topic_id(study, body.topic)
            issued = next_question.next_in_topic(service, topic_id, wish, caller.now)
        presenter = AssignmentPresenter(
            service, study, body.worker, None if body.documents else issued.ids
        )
        shown = [
            presenter.assignment(row, issued.topics[row.topic_id]) for row in issued.assignments
        ]
        return NextOut(
            assignments=shown,
            reason=issued.reason,
            understanding=understanding_out(issued),
        )

    if body.topic is None:
        return await run_in_threadpool(ask, caller.service)
    return await caller.service.execute(ask)


@router.get("/assignments/{assignment}", responses=problems(404))
def get_assignment(assignment: AssignmentId, bearer: Answerer) -> AssignmentOut:
    """Show an assignment as it stands, to its worker or to a platform."""
    row, topic = assignment_context.find_assignment(
        bearer.service, bearer.authorize(_ref(assignment))
    )
    # The caller's own token is returned: a new one would last longer, or replace a spent one.
    return assignment_out(bearer.service, row, topic, bearer.token)


@router.post(
    "/assignments/{assignment}/judgment",
    status_code=201,
    responses={**repeated(JudgmentOut), **problems(404, 409)},
)
async def judge(
    assignment: AssignmentId,
    body: JudgmentIn,
    bearer: Answerer,
    response: Response,
) -> JudgmentOut:
    """Answer an assignment. The same answer again is a success; another one is refused."""
    ref = bearer.authorize(_ref(assignment, body.attempt))
    answer = SubmittedAnswer(body.answer, body.worker, body.seconds, body.left)
    judged = await bearer.service.execute(
        lambda service: submit_answer.submit_answer(service, ref, answer, bearer.clock)
    )
    response.status_code = 200 if judged.repeated else 201
    return judgment_out(judged, bearer.service.pseudonyms if bearer.token else None)


@router.post("/assignments/{assignment}/skip", responses=problems(404, 409))
def skip(assignment: AssignmentId, body: SkipIn, bearer: Answerer) -> Skipped:
    """Give a question back: it goes to someone else, and never again to this worker."""
    ref = bearer.authorize(_ref(assignment, body.attempt))
    back = skip_and_undo.skip(bearer.service, ref, body.worker, bearer.clock(), body.reason)
    row, verdict = back.assignment, back.verdict
    return Skipped(
        id=assignment,
        state=State(row.state),
        reason=row.reason,
        verdict=verdict and verdict_out(verdict, back.topic),
    )


@router.post("/assignments/{assignment}/undo", responses=problems(404, 409))
def undo(assignment: AssignmentId, body: WorkerIn, bearer: Answerer) -> AssignmentOut:
    """Take back the worker's last answer, and get the same question again with a new token."""
    ref = bearer.authorize(_ref(assignment, body.attempt))
    row, topic = skip_and_undo.undo(bearer.service, ref, body.worker, bearer.clock())
    token = bearer.token
    if token is not None and row.state == State.OPEN and row.attempt == (ref.attempt or 0) + 1:
        token = bearer.service.tokens.sign(ref_of(row, ref.issued_at))
    return assignment_out(bearer.service, row, topic, token)


@router.post(
    "/studies/{study}/topics/{topic}/understanding",
    responses=problems(404, 409),
)
def show_understanding(
    study: StudyName, topic: TopicName, body: UnderstandingIn, caller: Platform
) -> VerdictOut:
    """Answer a topic's understanding question; the right answer is the way to its questions."""
    topic_id = caller.service.topic_id(study, topic)
    verdict = comprehension.submit_choice(
        caller.service, topic_id, body.worker, body.choice, caller.now
    )
    return verdict_out(verdict, topic)


def _ref(assignment: str, attempt: int | None = None) -> AssignmentRef:
    topic_id, _, number = assignment.partition("-")
    return AssignmentRef(int(topic_id), int(number), attempt)
