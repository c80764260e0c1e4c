"""How a study is judged: its settings as people give them and as they are kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from nextpair.selectors.base import find_selector, make_options
from nextpair.selectors.topic.settings import DEFAULT_SELECTOR, ConflictPolicy
from nextpair.selectors.topic.settings import Settings as TopicSettings
from nextpair.storage.rows import StudyRow

SAFE_INTEGER = 2**53 - 1
"""What every JSON reader reads exactly."""

# NUL is the one character PostgreSQL's text cannot hold.
Line = Annotated[str, StringConstraints(max_length=1000, pattern=r"^[^\x00]*$")]
Prose = Annotated[str, StringConstraints(max_length=100_000, pattern=r"^[^\x00]*$")]
# Strict: "3" is not 3, and true is not 1.
Whole = Annotated[int, Field(strict=True)]
Real = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Flag = Annotated[bool, Field(strict=True)]
Seed = Annotated[Whole, Field(ge=0, le=SAFE_INTEGER)]
OptionValue = (
    bool
    | Annotated[int, Field(ge=-SAFE_INTEGER, le=SAFE_INTEGER)]
    | Annotated[float, Field(allow_inf_nan=False)]
    | Line
    | Annotated[list[Line], Field(max_length=1000)]
)


class StudySettings(BaseModel):
    """What all topics of a study have in common."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: Line = ""
    instructions: Prose = Field("", description="what workers are told")
    design: Literal["preference"] = Field("preference", description="what a worker answers")
    ties: Flag = Field(True, description="whether two documents may be called equal")
    selector: Annotated[str, StringConstraints(max_length=100)] = Field(
        DEFAULT_SELECTOR, description="what decides which pair is asked next"
    )
    options: Annotated[dict[Line, OptionValue], Field(max_length=100)] = Field(
        default_factory=dict, description="the selector's options, by name"
    )
    votes: Whole = Field(1, ge=1, le=99, description="workers per pair")
    on_conflict: ConflictPolicy = ConflictPolicy.OLDER_WINS
    reopenings: Whole = Field(3, ge=0, le=1000, description="how often a document may be re-opened")
    seed: Seed = Field(0, description="the study's chance")
    lease_seconds: Real = Field(
        600, gt=0, le=10**7, description="how long a question is one worker's alone"
    )
    undo_seconds: Real = Field(
        60, ge=0, le=10**7, description="how long a worker can take back their last answer"
    )
    judgments_per_worker: Whole | None = Field(
        None, ge=1, le=10**9, description="the most one worker answers in this study"
    )

    def for_topic(self, seed: int) -> TopicSettings:
        """Return what the mind needs to know."""
        return TopicSettings(
            self.selector, self.options, self.votes, self.on_conflict, self.reopenings, seed
        )

    def check(self) -> None:
        """Raise if the selector or one of its options is unknown or impossible."""
        make_options(find_selector(self.selector), self.options)


@dataclass(frozen=True, slots=True)
class Study:
    """A study as one process remembers it.

    Parameters
    ----------
    blocked
        The names of workers who get no questions.
    """

    id: int
    name: str
    settings: StudySettings
    status: str
    version: int
    created_at: float
    blocked: frozenset[str] = frozenset()


def read_settings(kept: Mapping[str, Any]) -> StudySettings:
    """Read settings back from where they are kept."""
    return StudySettings.model_validate(kept)


def study_of(row: StudyRow, blocked: frozenset[str] = frozenset()) -> Study:
    """Read a study back from where it is kept."""
    return Study(
        row.id,
        row.name,
        read_settings(row.settings),
        row.status,
        row.version,
        row.created_at,
        blocked,
    )
