"""Votes on one pair, and how they resolve.

A pair is asked of `votes` workers. With early stopping it resolves as soon as no remaining vote can
change the majority; when the votes are spent and split, it is asked again, one vote at a time, up
to `most` votes, and a pair that is still split then is a tie: people cannot tell the two apart.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from nextpair.selectors.errors import BadOption, NegativeCount
from nextpair.selectors.state.judgments import Finding, Outcome, Pair


@dataclass(frozen=True, slots=True)
class VoteRule:
    """How many workers are asked about a pair, and when that is enough.

    Parameters
    ----------
    votes
        Workers per pair.
    most
        Where asking again ends when votes are split; 2 * votes + 1 when not given.
    early_stop
        Stop as soon as the majority is certain.
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
        """How many further votes a split may cost."""
        return self.votes + 1 if self.most is None else self.most - self.votes

    @property
    def needed_at_first(self) -> int:
        """How many votes can be asked for at once before there is any."""
        return self.votes // 2 + 1 if self.early_stop else self.votes


class Ballot:
    """The votes on one pair, told from its first document.

    `needed` is how many votes can be asked for at once without the risk that one is wasted, and
    `outcome` what the votes come to, None while more are needed. Both are kept, not derived: they
    change with a vote and are looked at with every question.
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
        self._settle()

    def reopen(self) -> None:
        """Ask for a whole new round; the votes so far still count."""
        self._wanted = len(self.judgments) + self._rule.votes
        self._settle()
        if not self.needed:
            # However large the old lead, what is in doubt is asked at least once more.
            self.needed, self.outcome = 1, None

    def _settle(self) -> None:
        _, second, most = sorted((self._better, self._worse, self._tie))
        self.needed = self._still_needed(most - second)
        if self.needed:
            self.outcome = None
        elif most in (second, self._tie):
            self.outcome = Outcome.TIE
        else:
            self.outcome = Outcome.BETTER if most == self._better else Outcome.WORSE

    def _still_needed(self, lead: int) -> int:
        remaining = self._wanted - len(self.judgments)
        if remaining <= 0:
            return int(lead == 0 and -remaining < self._rule.extra)
        if not self._rule.early_stop:
            return remaining
        # The fewest votes that, all for the leader, put it out of reach: lead + k > remaining - k.
        return max(0, (remaining - lead) // 2 + 1)

    @property
    def score(self) -> float:
        """The share of votes for the first document, ties counting half: Elo's S of a match."""
        return (self._better + self._tie / 2) / len(self.judgments)

    @property
    def ties(self) -> float:
        """The share of votes that are ties."""
        return self._tie / len(self.judgments)


class Ballots:
    """The ballots of a topic, by pair, in the order in which they were begun.

    `voting` are the pairs in the middle of a vote, `dormant` those re-opened and not asked since.
    """

    def __init__(self, rule: VoteRule) -> None:
        self._rule = rule
        self._of: dict[Pair, Ballot] = {}
        self.voting: dict[Pair, None] = {}
        self.dormant: set[Pair] = set()

    def items(self) -> Iterable[tuple[Pair, Ballot]]:
        """Go through all pairs with a vote."""
        return self._of.items()

    def of(self, pair: Pair) -> Ballot | None:
        """Return the votes on a pair, if there are any."""
        return self._of.get(pair)

    def cast(self, pair: Pair, number: int, outcome: Outcome) -> Finding | None:
        """Add one vote; return what the votes come to if that has changed."""
        self.dormant.discard(pair)
        ballot = self._of.get(pair)
        if ballot is None:
            ballot = self._of[pair] = Ballot(self._rule)
        before = ballot.outcome
        ballot.cast(number, outcome)
        if ballot.outcome is before:
            if before is None:
                self.voting[pair] = None
            return None
        self.voting.pop(pair, None)
        if ballot.outcome is None:
            # A late vote split a pair decided before: by itself it contradicts the decision.
            return Finding(*pair, outcome, (number,))
        return Finding(*pair, ballot.outcome, ballot.judgments)

    def reopen(self, pair: Pair) -> None:
        """Ask for a whole new round of votes on a pair."""
        self._of[pair].reopen()
        self.dormant.add(pair)

    def needed(self, pair: Pair) -> int:
        """Say how many votes on a pair can be asked for at once."""
        ballot = self._of.get(pair)
        return ballot.needed if ballot else self._rule.needed_at_first
