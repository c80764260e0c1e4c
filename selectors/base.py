"""What a selector is, and how selectors are found.

A selector lives in one file of this folder; the file's name, with dashes, is its public name, and
its class is the one subclass of `Selector` defined there. Another package adds one through an entry
point of the group `nextpair.selectors`.
"""

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from importlib.metadata import entry_points
from typing import Any, ClassVar

import numpy as np

from nextpair.selectors.errors import BadOption, UnknownOption, UnknownSelector
from nextpair.selectors.topic.documents import Documents
from nextpair.selectors.topic.judgments import Finding, Pair
from nextpair.selectors.topic.open_pairs import OpenPairs
from nextpair.selectors.topic.order import Merge, Order

ENTRY_POINTS = "nextpair.selectors"


class Idle(StrEnum):
    """What a selector says when it has no pair to hand out."""

    WAIT = "wait"
    """Answers are awaited, and everything useful may follow from them."""
    DONE = "done"
    """Nothing is left to ask."""


Choice = Pair | Idle


@dataclass(frozen=True, slots=True)
class Worker:
    """Who asks, and which pairs this topic has put to them.

    Parameters
    ----------
    answered
        The pairs they have judged, oldest first.
    held
        The pairs in their hands, or that must not come to them again.
    """

    id: str
    answered: Mapping[Pair, int] = field(default_factory=dict)
    held: frozenset[Pair] = frozenset()

    def has_seen(self, pair: Pair) -> bool:
        """Say whether a pair, smaller position first, must not be put to this worker (again)."""
        return pair in self.answered or pair in self.held


@dataclass(frozen=True, slots=True)
class NoOptions:
    """A selector without options."""


class Selector(ABC):
    """Decides which pair to ask next.

    What it remembers is a fold over findings; selecting changes nothing that a later choice could
    depend on. Chance that belongs to the topic comes from `seed`, chance that belongs to one
    question from the generator given to `select`.
    """

    Options: ClassVar[type[Any]] = NoOptions
    """A frozen dataclass of the selector's options, with their defaults."""
    infers: ClassVar[bool] = True
    """Whether a pair whose relation follows from others is left unasked."""
    rating: ClassVar[str] = "order"
    """What the ranking is reported from unless a study says otherwise."""

    def __init__(self, documents: Documents, order: Order, options: Any, seed: int) -> None:
        self.documents = documents
        self.order = order
        self.options = options
        self.seed = seed

    def absorb(self, finding: Finding, merge: Merge | None) -> None:  # noqa: B027
        """Learn from a finding that the order has just taken in.

        Parameters
        ----------
        merge
            Which two classes became one through it, if any did.
        """

    def absorb_conflict(self, finding: Finding) -> None:  # noqa: B027
        """Learn of a finding that contradicts the order, which therefore ignores it."""

    def select(self, open_pairs: OpenPairs, worker: Worker, rng: np.random.Generator) -> Choice:
        """Choose the next pair for a worker: votes still missing first, then a new pair."""
        for pair, votes in open_pairs.wanting.items():
            if votes > 0 and not worker.has_seen(pair):
                return pair
        return self.choose(open_pairs, worker, rng)

    @abstractmethod
    def choose(self, open_pairs: OpenPairs, worker: Worker, rng: np.random.Generator) -> Choice:
        """Choose a pair that is not open."""

    def pause(self) -> Idle:
        """Say why no pair can be handed out: answers are awaited, or all is known."""
        return Idle.WAIT if self.order.unknown_pairs else Idle.DONE

    def documents_of(self, one: int, other: int, rng: np.random.Generator) -> Pair:
        """Draw a document of each of two classes.

        A class is asked about through any of its members, so that one document that was merged
        by mistake does not speak for all of them.
        """
        first, second = self.order.members(one), self.order.members(other)
        return first[rng.integers(len(first))], second[rng.integers(len(second))]


def selector_names() -> list[str]:
    """List the public names of all selectors, this package's and other packages'."""
    package = importlib.import_module("nextpair.selectors")
    modules = [module.name for module in pkgutil.iter_modules(package.__path__) if not module.ispkg]
    own = [name.replace("_", "-") for name in modules if name not in ("base", "errors")]
    return sorted({*own, *(entry.name for entry in entry_points(group=ENTRY_POINTS))})


def find_selector(name: str) -> type[Selector]:
    """Return the class of the selector that goes by this name."""
    if name not in selector_names():
        raise UnknownSelector(
            f"there is no selector {name!r}; there are {', '.join(selector_names())}"
        )
    for entry in entry_points(group=ENTRY_POINTS, name=name):
        found: type[Selector] = entry.load()
        return found
    module = importlib.import_module(f"nextpair.selectors.{name.replace('-', '_')}")
    return next(
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Selector)
        and value.__module__ == module.__name__
    )


def make_options(selector: type[Selector], given: Mapping[str, object]) -> Any:
    """Build a selector's options, refusing names it does not know and values of another type.

    Text is read as the type of the option's default, so that options can come from a command line.
    """
    defaults = {option.name: option.default for option in fields(selector.Options)}
    for name in given:
        if name not in defaults:
            known = ", ".join(defaults) or "none"
            raise UnknownOption(f"{selector.__name__} has no option {name!r}; it has {known}")
    values = {name: _read(name, defaults[name], value) for name, value in given.items()}
    return selector.Options(**values)


def _read(name: str, default: object, value: object) -> object:
    kind = type(default)
    try:
        if kind is bool and isinstance(value, str):
            return {"true": True, "false": False}[value.lower()]
        if kind is tuple and isinstance(value, str):
            return tuple(part for part in value.split(",") if part)
        if isinstance(value, str) or (kind is float and isinstance(value, int)):
            return kind(value)  # type: ignore[call-arg]
        if kind is tuple and isinstance(value, list):
            return tuple(value)
    except (KeyError, ValueError):
        raise BadOption(f"option {name!r} must be of type {kind.__name__}, got {value!r}") from None
    if type(value) is not kind:
        raise BadOption(f"option {name!r} must be of type {kind.__name__}, got {value!r}")
    return value
