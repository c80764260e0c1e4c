"""A study and its settings, as people give them and as they are stored."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from nextpair.app.designs.base import Design, Shape, make_design
from nextpair.app.field_types import Flag, Integer, Line, OptionValue, Prose, Real, Seed
from nextpair.app.platforms.base import Platform
from nextpair.app.platforms.registry import make_platform
from nextpair.app.studies.pay_rules import HiringRules
from nextpair.app.studies.quality_rules import QualityRules
from nextpair.selectors.base import find_selector, make_options, with_judges_defaults
from nextpair.selectors.errors import BadOption
from nextpair.selectors.state.settings import DEFAULT_SELECTOR, ConflictPolicy, Judges
from nextpair.selectors.state.settings import Settings as TopicSettings
from nextpair.storage.rows import StudyRow, WorkerRow, WorkerStatus

Price = Annotated[Real, Field(ge=0, le=10**6)]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]


class StudySettings(BaseModel):
    """What all topics of a study have in common."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: Line = ""
    instructions: Prose = Field("", description="what workers are told")
    design: Annotated[str, StringConstraints(max_length=100)] = Field(
        "preference", description="what a worker sees and answers"
    )
    design_options: Annotated[dict[Line, OptionValue], Field(max_length=100)] = Field(
        default_factory=dict, description="the design's options, by name"
    )
    ties: Flag = Field(True, description="whether two documents may be called equal")
    selector: Annotated[str, StringConstraints(max_length=100)] = Field(
        DEFAULT_SELECTOR, description="what decides which pair is asked next"
    )
    options: Annotated[dict[Line, OptionValue], Field(max_length=100)] = Field(
        default_factory=dict, description="the selector's options, by name"
    )
    judges: Judges = Field(
        Judges.CROWD,
        description="who judges: one careful person (answers are taken for true, and no pair is"
        " asked twice), a few careful people, or a crowd; sets the selector's options that are not"
        " given",
    )
    votes: Integer = Field(1, ge=1, le=99, description="workers per question")
    on_conflict: ConflictPolicy = ConflictPolicy.OLDER_WINS
    reopenings: Integer = Field(
        3, ge=0, le=1000, description="how often a document may be re-opened"
    )
    seed: Seed = Field(0, description="the study's chance")
    lease_seconds: Real = Field(
        600, gt=0, le=10**7, description="how long a question is one worker's alone"
    )
    undo_seconds: Real = Field(
        60, ge=0, le=10**7, description="how long a worker can take back their last answer"
    )
    undos: Integer = Field(
        3, ge=0, le=100, description="how often a worker can take back the answer to one question"
    )
    judgments_per_worker: Integer | None = Field(
        None, ge=1, le=10**9, description="the most one worker answers in this study"
    )
    quality: QualityRules = Field(
        default_factory=QualityRules, description="how workers are checked"
    )
    platform: Annotated[str, StringConstraints(max_length=100)] = Field(
        "invited", description="where workers come from"
    )
    platform_options: Annotated[dict[Line, OptionValue], Field(max_length=100)] = Field(
        default_factory=dict, description="the platform's options, by name; never its keys"
    )
    hiring: HiringRules = Field(
        default_factory=HiringRules, description="what workers are paid, and when"
    )
    price: Price | None = Field(None, description="what one answer costs")
    currency: Currency = Field("USD", description="of the price, by its three letters")

    def for_topic(self, seed: int) -> TopicSettings:
        """Return the settings that a topic's state needs."""
        return TopicSettings(
            self.selector,
            self.options,
            self.votes,
            self.on_conflict,
            self.reopenings,
            seed,
            self.judges,
        )

    def all_options(self) -> dict[str, Any]:
        """Return every option of the selector: as given, by the kind of judges, or its default."""
        selector = find_selector(self.selector)
        made = make_options(selector, with_judges_defaults(selector, self.judges, self.options))
        return dict(asdict(made))

    def make_design(self) -> Design:
        """Return the design with its options."""
        return make_design(self.design, self.design_options)

    def make_platform(self) -> Platform:
        """Return the platform with its options."""
        return make_platform(self.platform, self.platform_options)

    def check(self) -> None:
        """Raise if the design, the selector, the platform or one of their options is impossible."""
        design = self.make_design()
        self.make_platform()
        self.all_options()
        if design.shape is Shape.SINGLE:
            self._check_single()

    def _check_single(self) -> None:
        for name in ("selector", "options", "on_conflict", "reopenings", "ties"):
            if name in self.model_fields_set:
                raise BadOption(
                    f"design {self.design!r} shows one document at a time: {name!r} is for pairs"
                )
        if self.quality.audits:
            raise BadOption("audits are pairs drawn at random: this design asks for no pairs")


@dataclass(frozen=True)
class Study:
    """A study at one version, as this process caches it.

    Parameters
    ----------
    blocked, stopped
        The names of workers who get no questions: by the study's owner, or its quality rules.
    unserved, blocked_ids
        The ids of all of them, whose leases are ignored; and of those that the owner has blocked,
        whose answers are refused.
    """

    id: int
    name: str
    settings: StudySettings
    status: str
    version: int
    created_at: float
    blocked: frozenset[str] = frozenset()
    stopped: frozenset[str] = frozenset()
    unserved: frozenset[int] = frozenset()
    blocked_ids: frozenset[int] = frozenset()

    @cached_property
    def design(self) -> Design:
        """What a worker sees and answers."""
        return self.settings.make_design()

    @cached_property
    def platform(self) -> Platform:
        """Where workers come from."""
        return self.settings.make_platform()


def read_settings(stored: Mapping[str, Any]) -> StudySettings:
    """Read settings from the form in which they are stored."""
    return StudySettings.model_validate(stored)


def study_of(row: StudyRow, unserved: Iterable[WorkerRow] = ()) -> Study:
    """Make a study from its row.

    Parameters
    ----------
    unserved
        Its workers who get no questions.
    """
    names: dict[str, set[str]] = {status: set() for status in WorkerStatus}
    ids: dict[str, set[int]] = {status: set() for status in WorkerStatus}
    for worker in unserved:
        names[worker.status].add(worker.name)
        ids[worker.status].add(worker.id)
    return Study(
        row.id,
        row.name,
        read_settings(row.settings),
        row.status,
        row.version,
        row.created_at,
        frozenset(names[WorkerStatus.BLOCKED]),
        frozenset(names[WorkerStatus.STOPPED]),
        frozenset().union(*ids.values()),
        frozenset(ids[WorkerStatus.BLOCKED]),
    )
