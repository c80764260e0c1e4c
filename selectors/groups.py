"""Groups (Yang, Moffat and Turpin, ADCS 2018): pairs of small groups, one new document a pair.

The pool is partitioned at random into groups, several times. In its group each document is paired
with a few others, in a sequence in which consecutive pairs share a document, and a worker goes
through a group from its first pair to its last.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nextpair.selectors.base import Choice, Idle, Selector, WorkerHistory
from nextpair.selectors.errors import BadOption, NegativeCount
from nextpair.selectors.state.documents import Documents
from nextpair.selectors.state.judgments import Comparison, Pair, unordered
from nextpair.selectors.state.open_pairs import OpenPairs
from nextpair.selectors.state.order import Merge, Order

COVERAGE = 0.15
"""The share of the pool that each document is paired with by default, as in the paper."""


@dataclass(frozen=True, slots=True)
class GroupsOptions:
    """Options of `groups`.

    Parameters
    ----------
    size
        Documents per group, the two known ones included.
    partners
        How many others of its group each document is paired with.
    partitions
        How often the pool is partitioned; 0 takes as many as pair a document with 15 % of the pool.
    relevant, not_relevant
        Ids of documents known to be highly relevant and not relevant; every group gets one of each.

    In a group of more than two each document has at least two partners, and where the number of
    documents is odd an odd number of partners is rounded up.
    """

    size: int = 8
    partners: int = 3
    partitions: int = 0
    relevant: tuple[str, ...] = ()
    not_relevant: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("size", "partners", "partitions"):
            if getattr(self, name) < 0:
                raise NegativeCount(f"{name} must not be negative, got {getattr(self, name)}")
        if self.size < 2 or self.partners < 1:
            raise BadOption(
                f"a group needs two documents and a partner for each,"
                f" got size={self.size} and partners={self.partners}"
            )
        both = sorted(set(self.relevant) & set(self.not_relevant))
        if both:
            raise BadOption(f"document {both[0]!r} is named as relevant and as not relevant")
        if self.size <= bool(self.relevant) + bool(self.not_relevant):
            raise BadOption(f"a group of {self.size} has no room beside its known documents")


class Groups(Selector):
    """Asks every pair of groups drawn beforehand; infers nothing by transitivity."""

    name = "groups"
    Options = GroupsOptions
    infers = False
    rating = "win-share"

    def __init__(self, documents: Documents, order: Order, options: Any, seed: int) -> None:
        super().__init__(documents, order, options, seed)
        rng = np.random.default_rng(seed)
        self._groups = [
            [unordered(*pair) for pair in pair_sequence(group, options.partners)]
            for group in self._split(rng)
        ]
        self._pending = {pair for group in self._groups for pair in group}
        self._group_of: dict[Pair, int] = {}
        for number, group in enumerate(self._groups):
            for pair in group:
                self._group_of.setdefault(pair, number)

    def _split(self, rng: np.random.Generator) -> Iterator[list[int]]:
        known = [
            [self.documents.position(document) for document in ids]
            for ids in (self.options.relevant, self.options.not_relevant)
            if ids
        ]
        taken = {place for ids in known for place in ids}
        # By prior score, so that the order of import does not matter.
        pool = [place for place in self.documents.by_prior() if place not in taken]
        room = self.options.size - len(known)
        for _ in range(self._partitions() if pool else 0):
            shuffled = rng.permutation(pool).tolist()
            for start in range(0, len(pool), room):
                group = shuffled[start : start + room]
                # A last group that is too small is filled up with documents drawn before.
                group += shuffled[: min(room - len(group), start)]
                yield group + [ids[rng.integers(len(ids))] for ids in known]

    def _partitions(self) -> int:
        wanted = COVERAGE * (len(self.documents) - 1) / self.options.partners
        return int(self.options.partitions) or max(1, round(wanted))

    def planned_pairs(self) -> Iterable[Pair]:
        """Return the pairs without an answer."""
        return self._pending

    def absorb(self, comparison: Comparison, merge: Merge | None) -> None:
        """Remove an answered pair from the plan."""
        self._pending.discard((comparison.first, comparison.second))

    def select(
        self, open_pairs: OpenPairs, worker: WorkerHistory, rng: np.random.Generator
    ) -> Choice:
        """Choose the next pair of the worker's group, or the first pair of a new one."""
        return self.choose(open_pairs, worker, rng)

    def choose(
        self, open_pairs: OpenPairs, worker: WorkerHistory, rng: np.random.Generator
    ) -> Choice:
        """Choose the first pair that still takes votes, the worker's own group first."""
        if not self._pending:
            return Idle.DONE
        own = self._own_group(worker)
        for group in (*self._groups[own : own + 1], *self._groups):
            for pair in group:
                if pair in self._pending and self._takes(pair, open_pairs, worker):
                    return pair
        return Idle.WAIT

    def _own_group(self, worker: WorkerHistory) -> int:
        begun = [*worker.answered, *worker.held]
        return self._group_of.get(begun[-1], 0) if begun else 0

    @staticmethod
    def _takes(pair: Pair, open_pairs: OpenPairs, worker: WorkerHistory) -> bool:
        return open_pairs.votes_wanted.get(pair, 1) > 0 and not worker.has_seen(pair)


def pair_sequence(group: Sequence[int], partners: int) -> list[Pair]:
    """Pair each document of a group with `partners` others; consecutive pairs share a document.

    The documents form a circle. Each one contributes its pairs across the circle, then the pair
    with its neighbour, which leads on to the next document.

    >>> pair_sequence("ABCD", 2)
    [('A', 'B'), ('B', 'C'), ('C', 'D'), ('D', 'A')]
    """
    size = len(group)
    degree = min(partners, size - 1)
    # An odd number of documents cannot all have an odd number of partners.
    degree += size % 2 * degree % 2
    steps = [*range(2, degree // 2 + 1), *([size // 2] if degree % 2 and degree > 1 else [])]
    pairs: dict[frozenset[int], Pair] = {}
    for place in range(size):
        for step in (*steps, 1):
            across = (place + step) % size
            if across != place:
                pairs.setdefault(frozenset((place, across)), (group[place], group[across]))
    return list(pairs.values())
