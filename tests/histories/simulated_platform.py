"""Simulated platforms: their workers, and a person who decides there."""

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
    """A worker who has taken a place of an offer.

    Parameters
    ----------
    honest
        Answers correctly; others answer wrongly and do not pass.
    careful
        Has skipped nothing: the study's rules decide on skipped checks.
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
    """A running fake platform, with the actions of people on it."""

    name: ClassVar[str]
    reports_returns: ClassVar[bool] = True
    """Whether the platform reports work that was given back."""

    def __init__(self) -> None:
        self.overturned = 0

    @classmethod
    @abstractmethod
    @contextmanager
    def running_platform(cls) -> Iterator["SimulatedPlatform"]:
        """Run the platform."""
        raise NotImplementedError

    @abstractmethod
    def access(self) -> dict[str, str]:
        """Return the installation's settings of it."""

    def options(self) -> Json:
        """Return the study's options of it."""
        return {}

    @property
    @abstractmethod
    def each(self) -> int:
        """The cost of a session without a bonus, with fees."""

    @abstractmethod
    def take(self, worker: str, honest: bool) -> Visit | None:
        """Let a worker take a place, if there is one for them."""

    @abstractmethod
    def hand_in(self, visit: Visit) -> None:
        """Hand in there, with the receipt of our page if there is one."""

    def give_back(self, visit: Visit) -> None:  # noqa: B027
        """Return a place, or let its time run out, where the platform supports that."""

    @abstractmethod
    def status(self, visit: Visit) -> str:
        """Return the status there: open, submitted, approved, rejected, returned."""

    @abstractmethod
    def decide(self, visit: Visit, *, approve: bool) -> None:
        """Let a person decide there, instead of the service or against it."""

    @abstractmethod
    def paid(self) -> int:
        """Return what was really paid, fees included."""

    @abstractmethod
    def payments(self) -> Counter[tuple[str, str]]:
        """Count the payments of each kind for each session."""

    @abstractmethod
    def fail(self, chance: Random) -> None:
        """Let the next call fail, before or after it does anything."""

    @abstractmethod
    def recover(self) -> None:
        """Let nothing fail any more."""

    def hooks(self) -> list[tuple[dict[str, str], bytes]]:
        """Take the webhooks that are under way."""
        return []

    def pass_time(self, seconds: float, now: float) -> None:  # noqa: B027
        """Let time pass, where that changes the platform."""

    @abstractmethod
    def stop_offer(self, chance: Random) -> None:
        """End an offer there: it expires, or a person stops it."""


def with_fee(amount: int, percent: float) -> int:
    """Add the platform's fee."""
    return amount + math.ceil(amount * percent / 100 - 1e-9)


def fail(fake: FakePlatform, chance: Random) -> None:
    """Let a fake be away, answer with something else, or do something and lose the answer."""
    if chance.random() < 0.4:
        fake.loses_answer_after = chance.choice(["POST /", "PUT /", "GET /"])
    elif chance.random() < 0.7:
        fake.faults.append(Reply(chance.choice(FAULTS)))
    else:
        fake.faults.append(Reply(200, chance.choice(NO_JSON)))
