"""Studies that hire, played on a platform from the first offer to the last payment."""

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
"""In place of a moment's name: the runner looks, and nothing happens to it."""


class Scenario(ABC):
    """A platform that runs, and what its workers do between the runner's looks."""

    platform: ClassVar[str]
    study: ClassVar[Json] = {}
    size: ClassVar[int] = 6
    uncertain_message: ClassVar[str] = "(never)"
    """What a deed says that has failed since nobody can find out whether it was done."""

    @classmethod
    @abstractmethod
    def running_platform(cls) -> AbstractContextManager["Scenario"]:
        """Let the platform run."""

    @abstractmethod
    def access(self) -> dict[str, str]:
        """Say what an installation needs to reach it."""

    @abstractmethod
    def run(self, service: InProcess) -> Iterator[str]:
        """Let workers do what they do; at each moment that is named, the runner looks."""

    @abstractmethod
    def outcome_at_platform(self) -> Json:
        """Say what there is, and what was paid, on the platform."""

    @abstractmethod
    def snapshot(self) -> Any:
        """Copy all that happened there."""

    @abstractmethod
    def restore_snapshot(self, kept: Any) -> None:
        """Let it be as it was."""

    @abstractmethod
    def revoke_key(self) -> None:
        """Let the platform take our key no more."""

    @abstractmethod
    def restore_key(self) -> None:
        """Let it take our key again."""

    @abstractmethod
    def settle_payments(self) -> None:
        """Let the time pass that payments take there."""

    def options(self) -> Json:
        """Say how the study uses the platform."""
        return {}

    def prepare(self, service: InProcess, size: int | None = None) -> None:
        """Add a study that hires here, with questions that check workers."""
        more = {"platform_options": self.options(), "lease_seconds": 10**6, **self.study}
        set_up(service, size or self.size, platform=self.platform, **more)
        service.post(f"{AT}/hiring", {"state": "running"})


class FakeScenario(Scenario, Generic[Fake]):
    """A platform whose fake keeps everything itself."""

    secret: ClassVar[str]
    """The fake's attribute that holds its key."""

    def __init__(self, fake: Fake) -> None:
        self.fake = fake
        self._key = str(getattr(fake, self.secret))

    @classmethod
    @abstractmethod
    def make_fake(cls) -> Fake:
        """Make the fake."""

    @classmethod
    @contextmanager
    def running_platform(cls) -> Iterator[Scenario]:
        """Let the platform run."""
        with serving(cls.make_fake()) as fake:
            yield cls(fake)

    def snapshot(self) -> Any:
        """Copy all that happened there."""
        return self.fake.snapshot()

    def restore_snapshot(self, kept: Any) -> None:
        """Let it be as it was."""
        self.fake.restore_snapshot(kept)

    def settle_payments(self) -> None:
        """Nothing there takes time."""

    def revoke_key(self) -> None:
        """Let the platform take our key no more."""
        setattr(self.fake, self.secret, "another")

    def restore_key(self) -> None:
        """Let it take our key again."""
        setattr(self.fake, self.secret, self._key)


class FigureEightScenario(FakeScenario[FakeFigureEight]):
    """Figure Eight, whichever way it is used."""

    platform: ClassVar[str] = "figure-eight"
    secret: ClassVar[str] = "key"

    @classmethod
    def make_fake(cls) -> FakeFigureEight:
        """Make the fake."""
        return FakeFigureEight()

    def access(self) -> dict[str, str]:
        """Say what an installation needs to reach it."""
        tokens = {"key": self.fake.key, "hook_tokens": self.fake.hook_token}
        return {**tokens, "api": f"{self.fake.url}/v1"}

    def outcome_at_platform(self) -> Json:
        """Say what there is, and what was paid."""
        return self.fake.outcome_at_platform()


def finished(service: InProcess) -> bool:
    """Say whether nothing is left to ask."""
    return bool(service.get(f"{AT}/progress")["finished"])


def post_news(
    service: InProcess, body: bytes, headers: dict[str, str] | None = None, status: int = 200
) -> None:
    """Let the platform post news to where it was told to."""
    where = str(service.get(f"{AT}/hiring")["news"]).removeprefix(PUBLIC)
    response = service.http.post(where, content=body, headers=headers)
    assert response.status_code == status, response.text
