"""What a design is, and how designs are found.

A design lives in one file of this folder: its class is the one subclass of `Design` that is defined
there, and says its public name as `name`. Its fields are its options, which a study gives as
`design_options`. Another package adds a design through an entry point of the group
`nextpair.designs`, listed under the same name.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nextpair.app.errors import BadAnswer
from nextpair.app.validation_messages import findings, first_of
from nextpair.selectors.errors import BadOption
from nextpair.selectors.plugins import Plugins
from nextpair.selectors.state.judgments import Outcome


class Shape(StrEnum):
    """How many documents a question shows."""

    PAIR = "pair"
    SINGLE = "single"


class AnswerModel(BaseModel):
    """The answer to a question of some design: what it does not know is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Preference(StrEnum):
    """What a worker can say of a pair."""

    LEFT = "left"
    RIGHT = "right"
    EQUAL = "equal"
    EQUALLY_GOOD = "equally_good"
    EQUALLY_BAD = "equally_bad"

    @property
    def outcome(self) -> Outcome:
        """How the left document compares with the right one."""
        return _OUTCOMES.get(self, Outcome.TIE)


_OUTCOMES = {Preference.LEFT: Outcome.BETTER, Preference.RIGHT: Outcome.WORSE}


class PreferenceAnswer(AnswerModel):
    """Which of two documents is better."""

    preference: Preference


class Part(BaseModel):
    """A part of the page on which a worker answers.

    Parameters
    ----------
    name
        The field of the answer that it fills.
    """

    kind: str = Field(description="choice, slider, number, text or excerpt")
    name: str
    label: str
    choices: list[str] = Field(default_factory=list, description="what to choose from, in order")
    labels: list[str] = Field(default_factory=list, description="how each choice is shown")
    least: float | None = None
    most: float | None = None
    start: float | None = None
    optional: bool = False
    moved: str | None = Field(
        None, description="of a slider: the field that says whether it was moved"
    )


class Seen:
    """What the worker had in front of them when they answered.

    Parameters
    ----------
    texts
        Reads the documents' texts, from left to right; few designs need them.
    reviewed
        Reads the answer that is being reviewed, if one is.
    ties
        Whether the study lets two documents be called equal.
    """

    def __init__(
        self,
        texts: Callable[[], Sequence[str]],
        reviewed: Callable[[], Mapping[str, Any] | None] = lambda: None,
        *,
        ties: bool = True,
    ) -> None:
        self.texts = texts
        self.reviewed = reviewed
        self.ties = ties


class Design(ABC, BaseModel):
    """What a worker sees and answers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: ClassVar[str]
    """The public name: what studies and programs write. It never changes."""
    Answer: ClassVar[type[AnswerModel]]
    """The shape of an answer."""
    stages: ClassVar[int] = 1
    """2 where every answer becomes a question to someone else."""
    aggregations: ClassVar[tuple[str, ...]] = ()
    """How answers become scores, besides what holds for every design of this shape; own first."""

    @classmethod
    def answer_models(cls) -> tuple[type[AnswerModel], ...]:
        """List the shapes of answers, one per stage."""
        return (cls.Answer,)

    @property
    @abstractmethod
    def shape(self) -> Shape:
        """How many documents a question shows."""

    @abstractmethod
    def parts(self) -> list[Part]:
        """List what the worker's page asks for, in order."""

    def review_parts(self) -> list[Part]:
        """List what a reviewer's page asks for, where there is a second stage."""
        return []

    def read(self, answer: Mapping[str, Any], *, review: bool = False) -> AnswerModel:
        """Read an answer, refusing what is not one of this design's."""
        return read_answer(self.Answer, answer)

    def check(self, answer: Any, seen: Seen) -> None:
        """Refuse an answer that contradicts itself or what the worker has seen."""

    def outcome(self, answer: Any) -> Outcome | None:
        """Say how the left document compares with the right one; None of a single document."""
        return None

    def value(self, answer: Any) -> float | None:
        """Put an answer about one document as a number; None where there is none."""
        return None

    def moved(self, answer: Any) -> bool | None:
        """Say whether the worker moved the slider; None where there is none."""
        return None

    def known(self, answer: Mapping[str, Any]) -> Outcome | float:
        """Read the known answer to a trap: of a pair, how the left document compares."""
        if self.shape is Shape.PAIR:
            return read_answer(PreferenceAnswer, answer).preference.outcome
        value = self.value(self.read(answer))
        assert value is not None, "a single document has a value"
        return value

    def correct(self, answer: Any, known: Outcome | float) -> bool | None:
        """Say whether an answer to a trap is right; None where none is right by itself."""
        return self.outcome(answer) == known if self.shape is Shape.PAIR else None


Model = TypeVar("Model", bound=BaseModel)


def read_answer(model: type[Model], answer: Mapping[str, Any]) -> Model:
    """Read an answer of some shape, saying what is wrong with it, and where."""
    try:
        return model.model_validate(answer)
    except ValidationError as error:
        found = findings(error.errors(include_url=False), answer)
        wrong = (".".join(filter(None, ("answer", where))) + f": {what}" for where, what in found)
        raise BadAnswer("; ".join(wrong)) from None


_DESIGNS: Plugins[Design] = Plugins(
    Design, "nextpair.app.designs", "nextpair.designs", ("base", "grading")
)


def design_names() -> list[str]:
    """List the public names of all designs, this package's and other packages'."""
    return _DESIGNS.names()


@cache
def find_design(name: str) -> type[Design]:
    """Return the class of the design that goes by this name."""
    found = _DESIGNS.find(name)
    if found is None:
        raise BadOption(f"there is no design {name!r}; there are {', '.join(design_names())}")
    return found


def make_design(name: str, options: Mapping[str, Any]) -> Design:
    """Build a design with its options, refusing those it does not have."""
    kind = find_design(name)
    try:
        return kind.model_validate(options)
    except ValidationError as error:
        where, what = first_of(error)
        option = f", option {where!r}" if where else ""
        raise BadOption(f"design {name!r}{option}: {what}") from None


def answer_schemas() -> list[dict[str, Any]]:
    """List the JSON schema of every design's answers, each with the design's name.

    They stand inside other schemas, where a reference to their own definitions would lead nowhere.
    """
    return [
        _inlined(model.model_json_schema()) | {"title": f"{name}: {model.__name__}"}
        for name in design_names()
        for model in find_design(name).answer_models()
    ]


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """Put every definition of a schema in the places that refer to it."""
    known = schema.pop("$defs", {})

    def resolved(part: Any) -> Any:
        if isinstance(part, list):
            return [resolved(one) for one in part]
        if not isinstance(part, dict):
            return part
        named = part.get("$ref", "").removeprefix("#/$defs/")
        whole = {**known[named], **part} if named else part
        return {key: resolved(value) for key, value in whole.items() if key != "$ref"}

    found: dict[str, Any] = resolved(schema)
    return found
