"""Scenarios: a study that hires on a fake platform, from the first offer to the last payment."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar, Generic

from in_process import InProcess, Json
from platforms.fake_figure_eight import FakeFigureEight
from platforms.fake_server import Fake, serving
from platforms.hiring_study import AT, STUDY, set_up

PUBLIC = "https://judge.example.org"
ENTRANCE = f"{PUBLIC}/judge/{STUDY}/enter"
NO_CRASH = ""
"""In place of a checkpoint's name: the runner ticks here without a crash."""


class Scenario(ABC):
    """A running platform, and what its workers do between the ticks of the runner."""

    platform: ClassVar[str]
    study: ClassVar[Json] = {}
    size: ClassVar[int] = 6
    uncertain_message: ClassVar[str] = "(never)"
    """The message of a command that has failed because its outcome is unknown."""

    @classmethod
    @abstractmethod
    def running_platform(cls) -> AbstractContextManager["Scenario"]:
        """Run the platform."""

    @abstractmethod
    def access(self) -> dict[str, str]:
        """Return the installation's settings of it."""

    @abstractmethod
    def run(self, service: InProcess) -> Iterator[str]:
        """Let workers act; the runner ticks at each checkpoint that is yielded."""

    @abstractmethod
    def outcome_at_platform(self) -> Json:
        """Return what exists, and what was paid, at the platform."""

    @abstractmethod
    def snapshot(self) -> Any:
        """Copy the state of the platform."""

    @abstractmethod
    def restore_snapshot(self, snapshot: Any) -> None:
        """Restore the state of the platform."""

    @abstractmethod
    def revoke_key(self) -> None:
        """Revoke our key at the platform."""

    @abstractmethod
    def restore_key(self) -> None:
        """Accept our key again."""

    @abstractmethod
    def settle_payments(self) -> None:
        """Complete the payments that are under way."""

    def options(self) -> Json:
        """Return the study's options of the platform."""
        return {}

    def prepare(self, service: InProcess, size: int | None = None) -> None:
        """Add a study that hires here, with traps."""
        more = {"platform_options": self.options(), "lease_seconds": 10**6, **self.study}
        set_up(service, size or self.size, platform=self.platform, **more)
        service.post(f"{AT}/hiring", {"state": "running"})


class FakeScenario(Scenario, Generic[Fake]):
    """A scenario whose fake holds all of its state."""

    secret: ClassVar[str]
    """The name of the fake's attribute with its key."""

    def __init__(self, fake: Fake) -> None:
        self.fake = fake
        self._key = str(getattr(fake, self.secret))

    @classmethod
    @abstractmethod
    def make_fake(cls) -> Fake:
        """Create the fake."""

    @classmethod
    @contextmanager
    def running_platform(cls) -> Iterator[Scenario]:
        """Run the platform."""
        with serving(cls.make_fake()) as fake:
            yield cls(fake)

    def snapshot(self) -> Any:
        """Copy the state of the platform."""
        return self.fake.snapshot()

    def restore_snapshot(self, snapshot: Any) -> None:
        """Restore the state of the platform."""
        self.fake.restore_snapshot(snapshot)

    def settle_payments(self) -> None:
        """Payments are immediate there."""

    def revoke_key(self) -> None:
        """Revoke our key at the platform."""
        setattr(self.fake, self.secret, "another")

    def restore_key(self) -> None:
        """Accept our key again."""
        setattr(self.fake, self.secret, self._key)


class FigureEightScenario(FakeScenario[FakeFigureEight]):
    """Figure Eight, with units or slots."""

    platform: ClassVar[str] = "figure-eight"
    secret: ClassVar[str] = "key"

    @classmethod
    def make_fake(cls) -> FakeFigureEight:
        """Create the fake."""
        return FakeFigureEight()

    def access(self) -> dict[str, str]:
        """Return the installation's settings of it."""
        tokens = {"key": self.fake.key, "hook_tokens": self.fake.hook_token}
        return {**tokens, "api": f"{self.fake.url}/v1"}

    def outcome_at_platform(self) -> Json:
        """Return what exists, and what was paid."""
        return self.fake.outcome_at_platform()


def finished(service: InProcess) -> bool:
    """Say whether the study is finished."""
    return bool(service.get(f"{AT}/progress")["finished"])


def post_webhook(
    service: InProcess, body: bytes, headers: dict[str, str] | None = None, status: int = 200
) -> None:
    """Post a webhook of the platform to the study's address."""
    path = str(service.get(f"{AT}/hiring")["news"]).removeprefix(PUBLIC)
    response = service.http.post(path, content=body, headers=headers)
    assert response.status_code == status, response.text
