"""Figure Eight's slots as a simulated platform."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from histories.simulated_platform import BONUS, REWARD, SimulatedPlatform, Visit, fail, with_fee
from in_process import Json
from platforms.fake_figure_eight import FakeFigureEight
from platforms.fake_server import serving


class SimulatedFigureEight(SimulatedPlatform):
    """Places of Figure Eight; a contributor who leaves is followed by another one."""

    name = "figure-eight"
    reports_returns = False

    def __init__(self, fake: FakeFigureEight) -> None:
        super().__init__()
        self.fake = fake
        self._taken: dict[str, Visit] = {}
        self._hooks: list[bytes] = []
        self._numbers: dict[str, int] = {}

    @classmethod
    @contextmanager
    def running_platform(cls) -> Iterator[SimulatedPlatform]:
        """Run it."""
        with serving(FakeFigureEight()) as fake:
            yield cls(fake)

    def access(self) -> dict[str, str]:
        """Return the installation's settings of it."""
        tokens = {"key": self.fake.key, "hook_tokens": self.fake.hook_token}
        return {**tokens, "api": f"{self.fake.url}/v1"}

    def options(self) -> Json:
        """Show our page."""
        return {"way": "slots"}

    @property
    def each(self) -> int:
        """A fifth is the platform's."""
        return with_fee(REWARD, 20)

    def take(self, worker: str, honest: bool) -> Visit | None:
        """Open the first unit that nobody is at."""
        for unit in self.fake.open_units():
            slot = str(unit["data"]["slot"])
            if slot not in self._taken or self._taken[slot].gone:
                query = {name: unit["data"][name] for name in ("slot", "code", "offer")}
                visit = self._taken[slot] = Visit(worker, slot, query, honest, unit)
                return visit
        return None

    def hand_in(self, visit: Visit) -> None:
        """Type the code."""
        number = self._numbers.setdefault(visit.worker, 30_000 + len(self._numbers))
        assert visit.finished is not None
        self.fake.judge(visit.about, {"receipt": visit.finished["code"]}, worker=number)
        self._hooks.append(self.fake.hook(visit.about))

    def _number(self, unit: Json) -> str:
        return str(unit["results"]["judgments"][-1]["worker_id"])

    def status(self, visit: Visit) -> str:
        """Say how it stands: what was handed in is paid unless it is rejected."""
        if visit.about["state"] == "canceled":
            return "returned"
        if visit.about["state"] != "finalized":
            return "open"
        return "rejected" if self._number(visit.about) in self.fake.rejected else "approved"

    def decide(self, visit: Visit, *, approve: bool) -> None:
        """Nobody decides anything there."""

    def _judged(self) -> list[Json]:
        judged = [one for one in self.fake.units.values() if one["state"] == "finalized"]
        return [one for one in judged if self._number(one) not in self.fake.rejected]

    def paid(self) -> int:
        """Add up what was answered and not rejected, and bonuses."""
        bonuses: int = len(self.fake.bonuses) * with_fee(BONUS, 20)
        return len(self._judged()) * self.each + bonuses

    def payments(self) -> Counter[tuple[str, str]]:
        """Count rewards and bonuses."""
        names = {str(number): worker for worker, number in self._numbers.items()}
        found = Counter(("reward", names[self._number(one)]) for one in self._judged())
        return found + Counter(("bonus", names[worker]) for _, worker, _ in self.fake.bonuses)

    def fail(self, chance: Random) -> None:
        """Be away, answer with something else, or lose an answer."""
        fail(self.fake, chance)

    def recover(self) -> None:
        """Fail no more."""
        self.fake.faults, self.fake.loses_answer_after = [], None

    def hooks(self) -> list[tuple[dict[str, str], bytes]]:
        """Take what Figure Eight would post."""
        hooks, self._hooks = self._hooks, []
        return [({}, one) for one in hooks]

    def stop_offer(self, chance: Random) -> None:
        """Cancel units there."""
        for unit in self.fake.open_units():
            unit["state"] = "canceled"
