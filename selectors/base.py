"""What a selector is, and how selectors are found.

A selector lives in one file of this folder: its class is the one subclass of `Selector` that is
defined there, and says its public name as `name`. Another package adds a selector through an entry
point of the group `nextpair.selectors`, listed under the same name.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

from nextpair.selectors.errors import BadOption, UnknownOption, UnknownSelector
from nextpair.selectors.plugins import Plugins
from nextpair.selectors.state.judgments import Finding, Outcome, Pair, unordered
from nextpair.selectors.state.settings import Forecast, Judges

# A client needs the names of this module, and neither NumPy nor what uses it.
if TYPE_CHECKING:
    import numpy as np

    from nextpair.selectors.state.documents import Documents
    from nextpair.selectors.state.open_pairs import OpenPairs
    from nextpair.selectors.state.order import Merge, Order


class Idle(StrEnum):
    """What a selector says when it has no pair to hand out."""

    WAIT = "wait"
    """Others hold questions, and what to ask this worker may follow from their answers."""
    HELD = "held"
    """Only this worker holds questions, and what to ask next follows from those answers."""
    SEEN = "seen"
    """This worker has been asked everything there is; others are still to be."""
    DONE = "done"
    """Nothing is left to ask."""


class End(StrEnum):
    """Why nothing is left to ask of a topic."""

    KNOWN = "known"
    """Every document is settled: the goal of the selector is reached."""
    BUDGET = "budget"
    """The judgments that may be asked for are spent, and not every document is settled."""
    PLAN = "plan"
    """Everything that was planned beforehand has been answered."""
    EXHAUSTED = "exhausted"
    """Every pair that may be asked has been, and not every document is settled."""


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
    answered: dict[Pair, int] = field(default_factory=dict)
    held: frozenset[Pair] = frozenset()

    @property
    def last(self) -> Pair | None:
        """The pair they judged last."""
        return next(reversed(self.answered), None)

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

    name: ClassVar[str]
    """The public name: what settings, logs and programs write. It never changes."""
    Options: ClassVar[type[Any]] = NoOptions
    """A frozen dataclass of the selector's options, with their defaults."""
    infers: ClassVar[bool] = True
    """Whether a pair whose relation follows from others is left unasked."""
    rating: ClassVar[str] = "order"
    """What the ranking is reported from unless a study says otherwise."""

    @classmethod
    def expectations(cls, judges: Judges, given: Mapping[str, object]) -> Mapping[str, object]:
        """Return the options that suit such judges, where they are not the defaults.

        Parameters
        ----------
        given
            The options that were said; they win over these.
        """
        return {}

    @classmethod
    def variant(cls, options: Any) -> type[Selector]:
        """Return the class that does the work with these options."""
        return cls

    def __init__(self, documents: Documents, order: Order, options: Any, seed: int) -> None:
        self.documents = documents
        self.order = order
        self.options = options
        self.seed = seed

    @abstractmethod
    def absorb(self, finding: Finding, merge: Merge | None) -> None:
        """Learn from a finding, which the order has just taken in or refused as a contradiction.

        Parameters
        ----------
        merge
            Which two classes became one through it, if any did.
        """

    def hear_known(self, truth: Outcome, said: Outcome, worker: str) -> None:  # noqa: B027
        """Learn of a worker from an answer to a question whose answer was known.

        Nothing, unless a selector weighs answers by who gives them.
        """

    def select(self, open_pairs: OpenPairs, worker: Worker, rng: np.random.Generator) -> Choice:
        """Choose the next pair for a worker: votes still missing first, then a new pair."""
        for pair, votes in open_pairs.wanting.items():
            if votes > 0 and not worker.has_seen(pair):
                return pair
        return self.choose(open_pairs, worker, rng)

    @abstractmethod
    def choose(self, open_pairs: OpenPairs, worker: Worker, rng: np.random.Generator) -> Choice:
        """Choose a pair that is not open."""

    def planned(self) -> Iterable[Pair] | None:
        """Return the pairs still to be asked, where no answer can change which they are."""
        return None

    def forecast(self) -> Forecast | None:
        """Say how many more judgments are needed where answers can change that, if it can tell."""
        return None

    @property
    def spent(self) -> bool:
        """Whether a budget that the selector has is spent."""
        return False

    @property
    def reached(self) -> bool:
        """Whether as much is known as the selector was asked to find out."""
        return self.order.complete

    def pause(self) -> Idle:
        """Say why no pair can be handed out: all is known, or `Topic` finds out what is awaited."""
        return Idle.DONE if self.order.complete else Idle.WAIT

    def pair_of(
        self, one: int, other: int, open_pairs: OpenPairs, rng: np.random.Generator
    ) -> Pair:
        """Draw a document of each of two classes that are free.

        A class is asked about through any of its members, so that one document that was merged
        by mistake does not speak for all of them.
        """
        first, second = self.order.members(one), self.order.members(other)
        drawn = first[rng.integers(len(first))], second[rng.integers(len(second))]
        return self.unbarred(*drawn, open_pairs, rng)

    def unbarred(
        self, first: int, second: int, open_pairs: OpenPairs, rng: np.random.Generator
    ) -> Pair:
        """Return a pair, or one that says the same if this one must not go to the worker."""
        if unordered(first, second) not in open_pairs.barred:
            return first, second
        members = self.order.members(self.order.label(first))
        others = self.order.members(self.order.label(second))
        pairs = [
            pair for pair in product(members, others) if unordered(*pair) not in open_pairs.barred
        ]
        return pairs[rng.integers(len(pairs))]


_SELECTORS: Plugins[Selector] = Plugins(
    Selector, "nextpair.selectors", "nextpair.selectors", ("base", "errors", "plugins")
)


def load_selectors() -> None:
    """Import this package's selectors, and the libraries that they compute with."""
    _SELECTORS.load()


def selector_names() -> list[str]:
    """List the public names of all selectors, this package's and other packages'."""
    return _SELECTORS.names()


@cache
def find_selector(name: str) -> type[Selector]:
    """Return the class of the selector that goes by this name."""
    found = _SELECTORS.find(name)
    if found is None:
        known = ", ".join(selector_names())
        raise UnknownSelector(f"there is no selector {name!r}; there are {known}")
    return found


def options_for(
    selector: type[Selector], judges: Judges, given: Mapping[str, object]
) -> Mapping[str, object]:
    """Return what was said of a selector's options, and what suits the judges of the others."""
    return {**selector.expectations(judges, given), **given}


def make_options(selector: type[Selector], given: Mapping[str, object]) -> Any:
    """Build a selector's options, refusing names it does not know and values of another type.

    Text is read as the type of the option's default, so that options can come from a command line.
    """
    defaults = {option.name: option.default for option in fields(selector.Options)}
    for name in given:
        if name not in defaults:
            known = ", ".join(defaults) or "none"
            raise UnknownOption(f"the selector has no option {name!r}; it has {known}")
    values = {name: _read(name, type(defaults[name]), value) for name, value in given.items()}
    return selector.Options(**values)


_FROM_TEXT: dict[type, Callable[[str], object]] = {
    bool: {"true": True, "false": False}.__getitem__,
    int: int,
    float: float,
    str: str,
    tuple: lambda text: tuple(part for part in text.split(",") if part),
}
_IN_WORDS: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    tuple: "a list of names, or text with commas between them",
}


def _read(name: str, kind: type, value: object) -> object:
    if kind is tuple and isinstance(value, list):
        return tuple(value)
    if kind is float and type(value) is int:
        return float(value)
    try:
        read = _FROM_TEXT[kind](value) if isinstance(value, str) else value
    except (KeyError, ValueError):
        read = None
    if type(read) is not kind:
        text = isinstance(value, str)
        shown = repr(value) if text else json.dumps(value, ensure_ascii=False, default=str)
        raise BadOption(f"option {name!r} must be {_IN_WORDS[kind]}, got {shown}")
    return read
