"""Prolific as a simulated platform."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from histories.simulated_platform import BONUS, REWARD, SimulatedPlatform, Visit, fail, with_fee
from in_process import Json
from platforms.fake_prolific import WORKSPACE, FakeProlific
from platforms.fake_server import serving

SETTLED_SECONDS = 600.0
"""After so long, a bonus of Prolific is listed."""


class SimulatedProlific(SimulatedPlatform):
    """Studies of Prolific, with webhooks."""

    name = "prolific"

    def __init__(self, fake: FakeProlific) -> None:
        super().__init__()
        self.fake = fake
        self._passed = 0.0
        self._events: list[Json] = []

    @classmethod
    @contextmanager
    def running_platform(cls) -> Iterator[SimulatedPlatform]:
        """Run it."""
        with serving(FakeProlific()) as fake:
            yield cls(fake)

    def access(self) -> dict[str, str]:
        """Return the installation's settings of it."""
        where = {"api": f"{self.fake.url}/api/v1", "workspace": WORKSPACE}
        return {"token": self.fake.token, "hook_secret": self.fake.hook_secret, **where}

    @property
    def each(self) -> int:
        """With Prolific's fee."""
        return with_fee(REWARD, 42.8)

    def take(self, worker: str, honest: bool) -> Visit | None:
        """Take a place of the first study that has one."""
        for study, about in self.fake.studies.items():
            if about["status"] == "ACTIVE" and self.fake.has_room(study):
                try:
                    session = self.fake.take(study, worker)
                except PermissionError:
                    continue
                query = {"PROLIFIC_PID": worker, "SESSION_ID": session, "STUDY_ID": study}
                return Visit(worker, session, query, honest, self.fake.submissions[session])
        return None

    def _end(self, visit: Visit, status: str) -> None:
        self.fake.end(visit.session, status)
        about = {"event_type": "submission.status.change", "participant_id": visit.worker}
        self._events.append({**about, "resource_id": visit.session, "status": status})

    def hand_in(self, visit: Visit) -> None:
        """Go back to Prolific."""
        self._end(visit, "AWAITING REVIEW")

    def give_back(self, visit: Visit) -> None:
        """Give it back, or let its time run out."""
        self._end(visit, "TIMED-OUT" if visit.finished else "RETURNED")

    def status(self, visit: Visit) -> str:
        """Return the status there."""
        known = {"ACTIVE": "open", "AWAITING REVIEW": "submitted", "TIMED-OUT": "returned"}
        told = str(visit.about["status"])
        return known.get(told, told.lower())

    def decide(self, visit: Visit, *, approve: bool) -> None:
        """Decide by Prolific's own pages."""
        self.overturned += visit.about["status"] == "REJECTED"
        self._end(visit, "APPROVED" if approve else "REJECTED")

    def paid(self) -> int:
        """Add up rewards and bonuses, those on their way too."""
        approved = sum(one["status"] == "APPROVED" for one in self.fake.submissions.values())
        bonuses = sum(n for (kind, _), n in self.payments().items() if kind == "bonus")
        total: int = approved * self.each + bonuses * with_fee(BONUS, 42.8)
        return total

    def payments(self) -> Counter[tuple[str, str]]:
        """Count rewards and bonuses."""
        found: Counter[tuple[str, str]] = Counter()
        on_the_way = Counter(name for name, _ in self.fake.unsettled)
        for name, one in self.fake.submissions.items():
            found["reward", one["participant"]] += one["status"] == "APPROVED"
            found["bonus", one["participant"]] += len(one["bonus_payments"]) + on_the_way[name]
        return found

    def fail(self, chance: Random) -> None:
        """Be away, answer with something else, or lose an answer."""
        fail(self.fake, chance)

    def recover(self) -> None:
        """Fail no more."""
        self.fake.faults, self.fake.loses_answer_after = [], None

    def hooks(self) -> list[tuple[dict[str, str], bytes]]:
        """Take what Prolific would post."""
        events, self._events = self._events, []
        return [
            self.fake.hook(one, f"event-{one['resource_id']}-{one['status']}") for one in events
        ]

    def pass_time(self, seconds: float, now: float) -> None:
        """List bonuses once there was time for it."""
        self._passed += seconds
        if self._passed >= SETTLED_SECONDS:
            self._passed = 0.0
            self.fake.settle_payments()

    def stop_offer(self, chance: Random) -> None:
        """Stop a study there."""
        active = [one for one in self.fake.studies.values() if one["status"] == "ACTIVE"]
        if active:
            chance.choice(active)["status"] = chance.choice(["COMPLETED", "AWAITING REVIEW"])
