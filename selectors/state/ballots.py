"""Ballots: the votes on each pair, and their majority.

A pair is put to `votes` workers. With early stopping it is decided as soon as no remaining vote can
change the majority. If all votes are in and split, one more vote at a time is asked for, up to
`most` votes; a pair that is still split then is a tie, because people cannot distinguish the two.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from nextpair.selectors.errors import BadOption, NegativeCount
from nextpair.selectors.state.judgments import Comparison, Outcome, Pair


@dataclass(frozen=True, slots=True)
class VoteRule:
    """How many votes a pair gets, and when it is decided.

    Parameters
    ----------
    votes
        Workers per pair.
    most
        The maximum number of votes if they are split; 2 * votes + 1 when not given.
    early_stop
        Decide as soon as no remaining vote can change the majority.
    """

    votes: int = 1
    most: int | None = None
    early_stop: bool = True

    def __post_init__(self) -> None:
        if self.votes < 0 or (self.most is not None and self.most < 0):
            raise NegativeCount(f"votes must not be negative, got {self.votes} and {self.most}")
        if self.votes == 0 or (self.most is not None and self.most < self.votes):
            raise BadOption(
                f"a pair needs at least one vote and at most no fewer than that,"
                f" got votes={self.votes} and most={self.most}"
            )

    @property
    def extra(self) -> int:
        """How many further votes a split may get."""
        return self.votes + 1 if self.most is None else self.most - self.votes

    @property
    def needed_at_first(self) -> int:
        """How many votes can be asked for at once while there is none."""
        return self.votes // 2 + 1 if self.early_stop else self.votes


class Ballot:
    """The votes on one pair, as outcomes of its first document.

    `needed` is how many votes can be asked for at once without risking a wasted one; `outcome` is
    the majority, None while more votes are needed. Both are stored, not derived: they change with a
    vote and are read with every question.
    """

    __slots__ = ("_better", "_rule", "_tie", "_wanted", "_worse", "judgments", "needed", "outcome")

    def __init__(self, rule: VoteRule) -> None:
        self._rule = rule
        self._better = self._worse = self._tie = 0
        self._wanted = rule.votes
        self.judgments: tuple[int, ...] = ()
        self.needed = rule.needed_at_first
        self.outcome: Outcome | None = None

    def cast(self, number: int, outcome: Outcome) -> None:
        """Add one vote."""
        if outcome is Outcome.BETTER:
            self._better += 1
        elif outcome is Outcome.WORSE:
            self._worse += 1
        else:
            self._tie += 1
        self.judgments += (number,)
        self._decide()

    def reopen(self) -> None:
        """Start a new round of votes; the votes so far still count."""
        self._wanted = len(self.judgments) + self._rule.votes
        self._decide()
        if not self.needed:
            # However large the lead, a pair in doubt gets at least one more vote.
            self.needed, self.outcome = 1, None

    def _decide(self) -> None:
        _, runner_up, most = sorted((self._better, self._worse, self._tie))
        self.needed = self._count_needed(most - runner_up)
        if self.needed:
            self.outcome = None
        elif most in (runner_up, self._tie):
            self.outcome = Outcome.TIE
        else:
            self.outcome = Outcome.BETTER if most == self._better else Outcome.WORSE

    def _count_needed(self, lead: int) -> int:
        remaining = self._wanted - len(self.judgments)
        if remaining <= 0:
            return int(lead == 0 and -remaining < self._rule.extra)
        if not self._rule.early_stop:
            return remaining
        # The fewest votes k that decide it if all are for the leader: lead + k > remaining - k.
        return max(0, (remaining - lead) // 2 + 1)

    @property
    def score(self) -> float:
        """The share of votes for the first document, ties counting half (Elo's S)."""
        return (self._better + self._tie / 2) / len(self.judgments)

    @property
    def ties(self) -> float:
        """The share of votes that are ties."""
        return self._tie / len(self.judgments)


class Ballots:
    """The ballots of a topic by pair, in the order of their first votes.

    `voting` are the undecided pairs with a vote, `dormant` those re-opened and not voted on since.
    """

    def __init__(self, rule: VoteRule) -> None:
        self._rule = rule
        self._of: dict[Pair, Ballot] = {}
        self.voting: dict[Pair, None] = {}
        self.dormant: set[Pair] = set()

    def items(self) -> Iterable[tuple[Pair, Ballot]]:
        """Iterate over all pairs with a vote."""
        return self._of.items()

    def of(self, pair: Pair) -> Ballot | None:
        """Return the votes on a pair, if there are any."""
        return self._of.get(pair)

    def cast(self, pair: Pair, number: int, outcome: Outcome) -> Comparison | None:
        """Add one vote; return the comparison by majority, if the majority has changed."""
        self.dormant.discard(pair)
        ballot = self._of.get(pair)
        if ballot is None:
            ballot = self._of[pair] = Ballot(self._rule)
        previous = ballot.outcome
        ballot.cast(number, outcome)
        if ballot.outcome is previous:
            if previous is None:
                self.voting[pair] = None
            return None
        self.voting.pop(pair, None)
        if ballot.outcome is None:
            # A late vote split a decided pair: the vote alone contradicts the decision.
            return Comparison(*pair, outcome, (number,))
        return Comparison(*pair, ballot.outcome, ballot.judgments)

    def reopen(self, pair: Pair) -> None:
        """Start a new round of votes on a pair."""
        self._of[pair].reopen()
        self.dormant.add(pair)

    def needed(self, pair: Pair) -> int:
        """Return how many votes on a pair can be asked for at once."""
        ballot = self._of.get(pair)
        return ballot.needed if ballot else self._rule.needed_at_first
