"""What a dashboard looks at, on the wire: how fast a study goes, and a topic's pairs."""

from pydantic import BaseModel, Field

from nextpair.app.schemas.common import Moment
from nextpair.storage.hiring_rows import HiringState


class HourOut(BaseModel):
    """The answers of one hour."""

    begins_at: Moment
    judgments: int


class PaidOut(BaseModel):
    """What a platform that hires was paid, fees included, and may still have to be."""

    platform: str
    currency: str
    spent: float
    reserved: float
    warnings: list[str]
    state: HiringState
    message: str = Field(description="why hiring pauses or was stopped, or what it waits for")


class PaceOut(BaseModel):
    """How fast a study is judged, and what it has cost; answers that were retracted are in it."""

    topics: int
    documents: int
    judgments: int = Field(description="all answers, checks and retracted ones included")
    latest_at: Moment | None
    last_hour: int
    workers: int = Field(description="who answered in the last hour")
    hours: list[HourOut] = Field(description="up to now, oldest first")
    price: float | None = Field(description="of one answer")
    currency: str
    spent: float | None = Field(description="price times judgments; null without a price")
    paid: PaidOut | None = Field(description="what hiring has really cost; null if nobody is hired")


class LooseOut(BaseModel):
    """Documents that are of none of the boxes yet.

    Of K boxes there are 2 K + 1 places, best first: a box at every odd place, and the gaps before,
    between and after boxes at the even ones. These documents belong at `first`, at `last` or
    somewhere between.
    """

    documents: list[str]
    first: int
    last: int


class ClassesOut(BaseModel):
    """The classes as a picture: boxes in order, and what is open between them."""

    position: int = Field(description="the newest entry of the log that this rests on")
    boxes: list[list[str]] = Field(description="classes that are ordered, best first")
    loose: list[LooseOut]


class BinOut(BaseModel):
    """Documents that stand together in the ranking: a row of the matrix, and a column."""

    documents: int
    first: str
    last: str
    level: int | None = Field(
        description="the place of the first one's group of equals, 1 for the best; null: unjudged"
    )


class MatrixOut(BaseModel):
    """How many pairs are judged, inferred and there at all, for each two bins of documents."""

    position: int = Field(description="the newest entry of the log that this rests on")
    bins: list[BinOut] = Field(description="best first")
    judged: list[list[int]] = Field(description="pairs people were asked about")
    inferred: list[list[int]] = Field(description="pairs that follow from those")
    pairs: list[list[int]] = Field(description="all; what is left is open")
