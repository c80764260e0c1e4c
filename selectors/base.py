"""The interface of a selector, and the registry of selectors.

A selector lives in one file of this folder: its class is the one subclass of `Selector` that is
defined there, with its public name as `name`. Another package adds a selector through an entry
point of the group `nextpair.selectors`, listed under the same name.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

from nextpair.selectors.errors import BadOption, UnknownOption, UnknownSelector
from nextpair.selectors.plugins import Plugins
from nextpair.selectors.state.judgments import Comparison, Outcome, Pair, unordered
from nextpair.selectors.state.settings import Forecast, Judges, Reliability

# A client imports this module, and must load neither NumPy nor what uses it: defaults that compute
# import it where they run.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nextpair.selectors.state.documents import Documents
    from nextpair.selectors.state.open_pairs import OpenPairs
    from nextpair.selectors.state.order import Merge, Order


class Idle(StrEnum):
    """Why a selector has no pair for a worker."""

    WAIT = "wait"
    """Other workers hold questions, and their answers may make a pair useful for this worker."""
    HELD = "held"
    """Only this worker holds questions, and the next pair depends on those answers."""
    SEEN = "seen"
    """This worker has been asked every pair; other workers have not."""
    DONE = "done"
    """Nothing is left to ask."""


class End(StrEnum):
    """Why nothing is left to ask of a topic."""

    KNOWN = "known"
    """Every document is settled: the goal of the selector is reached."""
    BUDGET = "budget"
    """The budget of judgments is spent, and not every document is settled."""
    PLAN = "plan"
    """Every pair of a plan made beforehand has been answered."""
    EXHAUSTED = "exhausted"
    """Every pair that may be asked has been asked, and not every document is settled."""


Choice = Pair | Idle


@dataclass(frozen=True, slots=True)
class WorkerHistory:
    """The worker who asks, and the pairs that this topic has put to them.

    Parameters
    ----------
    answered
        The pairs they have judged, oldest first.
    held
        The pairs that they hold, or that must not be put to them again.
    """

    id: str
    answered: dict[Pair, int] = field(default_factory=dict)
    held: frozenset[Pair] = frozenset()

    @property
    def last_pair(self) -> Pair | None:
        """The pair that they judged last."""
        return next(reversed(self.answered), None)

    def has_seen(self, pair: Pair) -> bool:
        """Return whether a pair, smaller position first, must not be put to this worker (again)."""
        return pair in self.answered or pair in self.held


@dataclass(frozen=True, slots=True)
class NoOptions:
    """A selector without options."""


class Selector(ABC):
    """Decides which pair to ask next.

    Its memory is a fold over comparisons; selecting changes nothing that a later choice could
    depend on. The randomness of the topic comes from `seed`, that of one question from the
    generator given to `select`.

    There are three kinds. A transitive selector (the default) concludes relations from the majority
    of the votes on each pair. One that does not infer leaves the order to a rating. A Bayesian one
    counts no votes but weighs every judgment by itself (`state/bayesian_selector.py`).
    """

    name: ClassVar[str]
    """The public name: what settings, logs and programs write. It never changes."""
    Options: ClassVar[type[Any]] = NoOptions
    """A frozen dataclass of the selector's options, with their defaults."""
    infers: ClassVar[bool] = True
    """Whether relations are inferred by transitivity, and pairs with a known relation not asked."""
    counts_votes: ClassVar[bool] = True
    """Whether the majority of the votes on a pair decides it."""
    rating: ClassVar[str] = "order"
    """The rating that the reported order is made from unless a study names another one."""

    @classmethod
    def defaults_for(cls, judges: Judges, given: Mapping[str, object]) -> Mapping[str, object]:
        """Return the options that suit these judges, where they differ from the defaults.

        Parameters
        ----------
        given
            The options that a study sets; they take precedence.
        """
        return {}

    @classmethod
    def implementation(cls, options: Any) -> type[Selector]:
        """Return the class that implements the selector with these options."""
        return cls

    def __init__(self, documents: Documents, order: Order, options: Any, seed: int) -> None:
        self.documents = documents
        self.order = order
        self.options = options
        self.seed = seed
        self._known_order = order if self.infers else order.copy()
        """Without inference: the order as it is here, without any relation."""

    @abstractmethod
    def absorb(self, comparison: Comparison, merge: Merge | None) -> None:
        """Learn from a comparison that the order has just absorbed, or refused as a contradiction.

        Parameters
        ----------
        merge
            The two classes that became one through it, if any did.
        """

    def observe(self, first: int, second: int, outcome: Outcome, worker: str) -> None:  # noqa: B027
        """Learn from a single judgment, if this selector weighs judgments by themselves."""

    def observe_gold(self, truth: Outcome, answer: Outcome, worker: str) -> None:  # noqa: B027
        """Learn about a worker from the answer to a gold question, if workers are modelled."""

    def select(
        self, open_pairs: OpenPairs, worker: WorkerHistory, rng: np.random.Generator
    ) -> Choice:
        """Choose the next pair for a worker: one with votes missing first, then a new one."""
        for pair, votes in open_pairs.votes_wanted.items():
            if votes > 0 and not worker.has_seen(pair):
                return pair
        return self.choose(open_pairs, worker, rng)

    @abstractmethod
    def choose(
        self, open_pairs: OpenPairs, worker: WorkerHistory, rng: np.random.Generator
    ) -> Choice:
        """Choose a new pair."""

    def planned_pairs(self) -> Iterable[Pair] | None:
        """Return the rest of a plan that no answer changes; None if there is no such plan."""
        return None

    def forecast(self) -> Forecast | None:
        """Predict how many more pairs will be asked where answers change that; None if unknown."""
        return None

    @property
    def budget_spent(self) -> bool:
        """Whether the selector has a budget of judgments and it is spent."""
        return False

    @property
    def goal_reached(self) -> bool:
        """Whether the stopping rule is met: as much is known as was asked for."""
        return self.order.complete

    # -- what is concluded ----------------------------------------------------------------------

    def settled_order(self) -> Order:
        """Return the relations that are taken as known."""
        return self._known_order

    def settled_documents(self) -> NDArray[np.bool_]:
        """Return which documents need no more judgments."""
        import numpy as np

        from nextpair.selectors.state.rank_bounds import rank_bounds

        settled: NDArray[np.bool_] = np.ones(len(self.documents), dtype=np.bool_)
        planned = self.planned_pairs()
        if planned is not None:
            settled[[document for pair in planned for document in pair]] = False
        elif self.infers:
            ranks = rank_bounds(self.order)
            settled = ranks.best == ranks.worst
        return settled

    def point_estimates(self) -> NDArray[np.float64]:
        """Return a number for each document, settled or not; larger is better."""
        import numpy as np

        return np.array(self.order.copeland_scores(), dtype=np.float64)

    @property
    def has_classes(self) -> bool:
        """Whether documents with equal point estimates are taken for tied."""
        return self.infers

    def standard_errors(self) -> NDArray[np.float64]:
        """Return the standard error of each point estimate, NaN where they are no scores."""
        import numpy as np

        return np.full(len(self.documents), np.nan)

    def certainty(self) -> NDArray[np.float64] | None:
        """Return the posterior probability of each document's place, if there is a posterior."""
        return None

    def place_intervals(self) -> NDArray[np.int64] | None:
        """Return the first and the last credible place of each document in the order's layout.

        The places are those of `lay_out`: classes at the odd ones, gaps at the even ones. None if
        no more is known than the order says.
        """
        return None

    def win_probability(self, first: int, second: int) -> float | None:
        """Return the probability that the first document is better, a tie counting half.

        None if the selector has no model of that.
        """
        return None

    def reliabilities(self) -> Sequence[Reliability]:
        """Describe the workers who have answered, if the selector models workers."""
        return ()

    # -- helpers of selectors -------------------------------------------------------------------

    def idle_reason(self) -> Idle:
        """Return why there is no pair: all is known, or answers are awaited; `Topic` says whose."""
        return Idle.DONE if self.order.complete else Idle.WAIT

    def draw_pair(
        self, first_label: int, second_label: int, open_pairs: OpenPairs, rng: np.random.Generator
    ) -> Pair:
        """Draw a document of each of two free classes.

        Any member may stand for its class, so that a document that was merged into it by mistake
        does not decide for all of them.
        """
        first, second = self.order.members(first_label), self.order.members(second_label)
        drawn = first[rng.integers(len(first))], second[rng.integers(len(second))]
        return self.avoid_barred(*drawn, open_pairs, rng)

    def avoid_barred(
        self, first: int, second: int, open_pairs: OpenPairs, rng: np.random.Generator
    ) -> Pair:
        """Return the pair, or an equivalent one of the same classes if this one is barred."""
        if unordered(first, second) not in open_pairs.barred:
            return first, second
        firsts = self.order.members(self.order.label(first))
        seconds = self.order.members(self.order.label(second))
        pairs = [
            pair for pair in product(firsts, seconds) if unordered(*pair) not in open_pairs.barred
        ]
        return pairs[rng.integers(len(pairs))]


_SELECTORS: Plugins[Selector] = Plugins(
    Selector, "nextpair.selectors", "nextpair.selectors", ("base", "errors", "plugins")
)


def load_selectors() -> None:
    """Import this package's selectors and the libraries they need."""
    _SELECTORS.load()


def selector_names() -> list[str]:
    """List the public names of all selectors, those of other packages included."""
    return _SELECTORS.names()


@cache
def find_selector(name: str) -> type[Selector]:
    """Return the selector class of a public name."""
    selector = _SELECTORS.find(name)
    if selector is None:
        known = ", ".join(selector_names())
        raise UnknownSelector(f"there is no selector {name!r}; there are {known}")
    return selector


def with_judges_defaults(
    selector: type[Selector], judges: Judges, given: Mapping[str, object]
) -> Mapping[str, object]:
    """Return the given options, and those that suit the judges where none is given."""
    return {**selector.defaults_for(judges, given), **given}


def make_options(selector: type[Selector], given: Mapping[str, object]) -> Any:
    """Build a selector's options; unknown names and values of another type are errors.

    Text is parsed as the type of the option's default, so that options can come from a command
    line.
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
