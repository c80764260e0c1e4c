"""What is known, on the wire."""

from typing import Any

from pydantic import BaseModel, Field

from nextpair.app.schemas.common import Moment
from nextpair.selectors.base import End
from nextpair.selectors.state.judgments import Outcome
from nextpair.selectors.state.status import Status as DocumentStatus
from nextpair.storage.rows import Purpose


class RankedOut(BaseModel):
    """A document in the ranking."""

    document: str
    status: DocumentStatus = Field(
        description="settled, judged but open, or unjudged: nobody has judged it"
    )
    level: int | None = Field(
        description="the place of its group of equals, 1 for the best; null where it is unjudged"
    )
    ranks: tuple[int, int] = Field(description="the best and the worst rank it can still have")
    score: float | None = Field(description="null where it is unjudged")
    uncertainty: float | None = Field(description="the score's standard error, if there is one")
    interval: tuple[float, float] | None = Field(
        description="between these bounds its score is with a chance of 90 %, if that is known"
    )
    certainty: float | None = Field(
        description="how likely it is of this class, if the selector weighs that"
    )


class RankingOut(BaseModel):
    """The reported order of a topic: every file and page says the same."""

    rating: str
    position: int = Field(description="the newest entry of the log that this rests on")
    complete: bool = Field(description="whether every document is settled")
    classes: list[list[str]] = Field(
        description="the judged documents in groups of equals, best first"
    )
    documents: list[RankedOut]


class ForecastOut(BaseModel):
    """How many more judgments there will be."""

    expected: float
    low: float
    high: float


class FiguresOut(BaseModel):
    """How far a topic has come, in numbers."""

    documents: int
    judgments: int
    judged_pairs: int = Field(description="pairs people were asked about")
    inferred_pairs: int = Field(description="other pairs whose relation is known")
    unknown_pairs: int = Field(description="all other pairs")
    classes: int = Field(description="groups of equals among the judged documents")
    settled: int = Field(description="documents about which nothing more needs to be asked")
    unjudged: int = Field(description="documents nobody has judged")
    conflicts: int
    open: int = Field(description="questions in workers' hands")
    finished: bool = Field(description="whether nothing is left to ask")
    ended: End | None = Field(
        description="why nothing is left to ask: known (every document is settled), budget (the"
        " judgments that may be asked for are spent), plan (everything planned is answered) or"
        " exhausted (every pair was asked, and documents are open); null while something is left"
    )
    forecast: ForecastOut | None = Field(
        description="if the selector can tell; null once nothing is left to ask"
    )


class ProgressOut(FiguresOut):
    """How far a topic has come."""

    topic: str


class StudyProgressOut(BaseModel):
    """How far a study has come."""

    documents: int
    judgments: int
    conflicts: int
    open: int
    judged_pairs: int = Field(description="pairs people were asked about")
    inferred_pairs: int = Field(description="other pairs whose relation is known")
    unknown_pairs: int = Field(description="all other pairs")
    settled: int = Field(description="documents about which nothing more needs to be asked")
    finished: int = Field(description="topics with nothing left to ask")
    ended: dict[End, int] = Field(
        description="how many of those topics ended why: of them only `known` has every document"
        " settled"
    )
    forecast: ForecastOut | None = Field(
        description="of all topics, if it can be told of each; null once all are finished"
    )
    topics: list[ProgressOut]


class ReliabilityOut(BaseModel):
    """How far a worker's answers about a topic can be relied on."""

    worker: str
    answers: int
    right: float = Field(description="the share of right answers to be expected")
    information: float = Field(
        description="how much an answer tells: 1 as much as one without errors, 0 nothing"
    )


class ReliabilitiesOut(BaseModel):
    """How far the workers of a topic can be relied on, least first."""

    workers: list[ReliabilityOut]


class ReasonOut(BaseModel):
    """One step of an explanation: what the judgments on a pair came to."""

    first: str
    second: str
    outcome: Outcome
    judgments: list[int]


class ExplanationOut(BaseModel):
    """Why two documents compare as they do."""

    first: str
    second: str
    relation: Outcome | None = Field(description="of the first against the second; null: unknown")
    chance: float = Field(
        description="how likely the first is the better one, a tie counting half, by the same model"
    )
    because: list[ReasonOut]


class ConflictOut(BaseModel):
    """A finding that contradicted what was known when it came."""

    finding: ReasonOut
    known: Outcome
    because: list[ReasonOut]
    reopened: str | None = Field(description="the document that is asked anew because of it")


class LogEntryOut(BaseModel):
    """A judgment, whether it counts or was retracted."""

    topic: str
    number: int
    assignment: str
    attempt: int
    worker: str
    first: str
    second: str = Field(description="the same as first where one document was shown")
    outcome: Outcome | None
    answer: dict[str, Any]
    purpose: Purpose = Field(description="why it was asked; only work counts for the order")
    reviews: int | None = Field(description="the judgment it reviews, if it does")
    correct: bool | None = Field(description="whether a known answer was given")
    seconds: float | None
    created_at: Moment
    retracted: str | None = Field(description="why it no longer counts, if it does not")
