"""Platforms as their people see them: workers who come and go, and a person who decides there."""

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

from in_process import Json
from platforms.corruption import NO_JSON
from platforms.fake_server import FakePlatform, Reply

REWARD, BONUS = 50, 10
FAULTS = (429, 500, 503)


@dataclass
class Visit:
    """A worker with a place of an offer.

    Parameters
    ----------
    honest
        Answers truly; others answer the contrary, and do not pass.
    careful
        Has skipped nothing: what follows from a skipped check is for the study's rules to say.
    by_hand
        Was decided on by a person at the platform.
    """

    worker: str
    session: str
    query: Json
    honest: bool
    about: Any
    token: str = ""
    careful: bool = True
    finished: Json | None = None
    handed_in: bool = False
    gone: bool = False
    by_hand: bool = False


class SimulatedPlatform(ABC):
    """A platform that runs."""

    name: ClassVar[str]
    reports_returns: ClassVar[bool] = True
    """Whether the platform knows of work that was given back."""

    def __init__(self) -> None:
        self.overturned = 0

    @classmethod
    @abstractmethod
    @contextmanager
    def running_platform(cls) -> Iterator["SimulatedPlatform"]:
        """Let the platform run."""
        raise NotImplementedError

    @abstractmethod
    def access(self) -> dict[str, str]:
        """Say what an installation needs to reach it."""

    def options(self) -> Json:
        """Say how the study uses it."""
        return {}

    @property
    @abstractmethod
    def each(self) -> int:
        """What a session costs without a bonus, with fees."""

    @abstractmethod
    def take(self, worker: str, honest: bool) -> Visit | None:
        """Let a worker take a place, if there is one for them."""

    @abstractmethod
    def hand_in(self, visit: Visit) -> None:
        """Hand in there, with what our page gave, if it gave anything."""

    def give_back(self, visit: Visit) -> None:  # noqa: B027
        """Give a place back, or let its time run out, where the platform knows of such a thing."""

    @abstractmethod
    def status(self, visit: Visit) -> str:
        """Say how it stands there: open, submitted, approved, rejected, returned."""

    @abstractmethod
    def decide(self, visit: Visit, *, approve: bool) -> None:
        """Let a person decide there, in place of the service or against it."""

    @abstractmethod
    def paid(self) -> int:
        """Say what was really paid, fees included."""

    @abstractmethod
    def payments(self) -> Counter[tuple[str, str]]:
        """Count the payments of each kind for each session."""

    @abstractmethod
    def fail(self, chance: Random) -> None:
        """Let the next call go wrong: before it does anything, or after."""

    @abstractmethod
    def recover(self) -> None:
        """Let nothing go wrong any more."""

    def hooks(self) -> list[tuple[dict[str, str], bytes]]:
        """Take the webhooks that are on their way."""
        return []

    def pass_time(self, seconds: float, now: float) -> None:  # noqa: B027
        """Let time pass, where that changes anything."""

    @abstractmethod
    def stop_offer(self, chance: Random) -> None:
        """Let an offer end there: it ran out, or someone has stopped it."""


def with_fee(amount: int, percent: float) -> int:
    """Add what a platform takes."""
    return amount + math.ceil(amount * percent / 100 - 1e-9)


def fail(fake: FakePlatform, chance: Random) -> None:
    """Let a fake be away, answer oddly, or do something and lose the answer."""
    if chance.random() < 0.4:
        fake.loses_answer_after = chance.choice(["POST /", "PUT /", "GET /"])
    elif chance.random() < 0.7:
        fake.faults.append(Reply(chance.choice(FAULTS)))
    else:
        fake.faults.append(Reply(200, chance.choice(NO_JSON)))
