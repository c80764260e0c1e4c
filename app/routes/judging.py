"""The loop: the next questions, their answers, skipping, and taking the last answer back."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Header, Path, Response
from starlette.concurrency import run_in_threadpool

from nextpair.app.designs.preference import PreferenceAnswer
from nextpair.app.judging import answering, asking
from nextpair.app.judging.answering import Answer, Judged
from nextpair.app.judging.asking import Wish
from nextpair.app.judging.service import Service
from nextpair.app.judging.tokens import AssignmentRef
from nextpair.app.routes.access import Answerer, Platform
from nextpair.app.routes.described import StudyName, problems, repeated
from nextpair.app.wire.judging import (
    AssignmentOut,
    DocumentShown,
    JudgmentIn,
    JudgmentOut,
    NextIn,
    NextOut,
    Skipped,
    TopicBrief,
    WorkerIn,
)
from nextpair.selectors.topic.judgments import Outcome
from nextpair.storage import studies
from nextpair.storage.rows import AssignmentRow, State, TopicRow

router = APIRouter(prefix="/v1", tags=["judging"])

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
    wish = Wish(body.worker, body.count, request)

    def ask(service: Service) -> NextOut:
        if body.topic is None:
            handed = asking.next_in_study(service, service.study_id(study), wish, caller.now)
        else:
            topic_id = service.topic_id(study, body.topic)
            handed = asking.next_in_topic(service, topic_id, wish, caller.now)
        showing = _Showing(service, study, body.worker, None if body.documents else handed.ids)
        return NextOut(
            assignments=[
                showing.assignment(row, handed.topics[row.topic_id]) for row in handed.assignments
            ],
            reason=handed.reason,
        )

    if body.topic is None:
        return await run_in_threadpool(ask, caller.service)
    return await caller.service.do(ask)


@router.get("/assignments/{assignment}", responses=problems(404))
def get_assignment(assignment: AssignmentId, bearer: Answerer) -> AssignmentOut:
    """Show an assignment as it stands, to its worker or to a platform."""
    row, topic = answering.find(bearer.service, bearer.may_answer(_ref(assignment)))
    return _show(bearer.service, row, topic)


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
    ref = bearer.may_answer(_ref(assignment, body.attempt))
    answer = Answer(body.answer, body.worker, body.seconds)
    judged = await bearer.service.do(
        lambda service: answering.absorb_judgment(service, ref, answer, bearer.now)
    )
    response.status_code = 200 if judged.repeated else 201
    return judgment_out(judged)


@router.post("/assignments/{assignment}/skip", responses=problems(404, 409))
def skip(assignment: AssignmentId, body: WorkerIn, bearer: Answerer) -> Skipped:
    """Give a question back: it goes to someone else, and never again to this worker."""
    row = answering.skip(
        bearer.service, bearer.may_answer(_ref(assignment, body.attempt)), body.worker
    )
    return Skipped(id=assignment, state=State(row.state))


@router.post("/assignments/{assignment}/undo", responses=problems(404, 409))
def undo(assignment: AssignmentId, body: WorkerIn, bearer: Answerer) -> AssignmentOut:
    """Take back the worker's last answer, and get the same question again with a new token."""
    ref = bearer.may_answer(_ref(assignment, body.attempt))
    row, topic = answering.undo(bearer.service, ref, body.worker, bearer.now)
    return _show(bearer.service, row, topic)


def _ref(assignment: str, attempt: int | None = None) -> AssignmentRef:
    topic_id, _, number = assignment.partition("-")
    return AssignmentRef(int(topic_id), int(number), attempt)


def _show(service: Service, row: AssignmentRow, topic: TopicRow) -> AssignmentOut:
    with service.database.read() as connection:
        study = studies.get_study(connection, topic.study_id).name
        worker = studies.get_worker(connection, row.worker_id).name
    return _Showing(service, study, worker).assignment(row, topic)


class _Showing:
    """Describes assignments to the outside.

    Parameters
    ----------
    ids
        The ids of documents by topic; where they are given, nothing else is told of documents.
    """

    def __init__(
        self,
        service: Service,
        study: str,
        worker: str,
        ids: Mapping[int, Sequence[str]] | None = None,
    ) -> None:
        self._service = service
        self._study = study
        self._worker = worker
        self._ids = ids

    def assignment(self, row: AssignmentRow, topic: TopicRow) -> AssignmentOut:
        """Describe one assignment."""
        left, right = self._documents(row)
        return AssignmentOut(
            id=f"{row.topic_id}-{row.number}",
            study=self._study,
            topic=TopicBrief(
                id=topic.name,
                title=topic.title,
                description=topic.description,
                narrative=topic.narrative,
            ),
            worker=self._worker,
            state=State(row.state),
            attempt=row.attempt,
            left=left,
            right=right,
            expires_at=row.expires_at,
            token=self._service.tokens.sign(row.topic_id, row.number, row.attempt),
        )

    def _documents(self, row: AssignmentRow) -> list[DocumentShown]:
        if self._ids is not None and row.topic_id in self._ids:
            ids = self._ids[row.topic_id]
            return [DocumentShown(id=ids[position]) for position in row.sides]
        rows = self._service.texts.of(row.topic_id, row.sides)
        if self._ids is not None:
            return [DocumentShown(id=one.name) for one in rows]
        return [
            DocumentShown(id=one.name, title=one.title, text=one.text, html=one.html, url=one.url)
            for one in rows
        ]


def judgment_out(judged: Judged) -> JudgmentOut:
    """Describe an entry of the log."""
    row, (left, right) = judged.judgment, judged.sides
    first, second = (right, left) if judged.assignment.swapped else (left, right)
    return JudgmentOut(
        study=judged.study,
        topic=judged.topic,
        number=row.number,
        assignment=f"{row.topic_id}-{row.assignment}",
        attempt=row.attempt,
        left=left,
        right=right,
        answer=PreferenceAnswer.model_validate(row.answer),
        first=first,
        second=second,
        outcome=Outcome(row.outcome),
        seconds=row.seconds,
        late=judged.late,
        created_at=row.created_at,
    )
