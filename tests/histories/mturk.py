"""Mechanical Turk as a simulated platform."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from histories.simulated_platform import SimulatedPlatform, Visit
from in_process import Json
from platforms.fake_mturk import MTurk
from platforms.fake_mturk_model import Refusal
from platforms.fake_mturk_server import Server, answer_xml
from platforms.fake_mturk_server import serving as serving_mturk

BALANCE = 10**7


class SimulatedMTurk(SimulatedPlatform):
    """HITs, with a queue of notifications."""

    name = "mturk"

    def __init__(self, fake: Server) -> None:
        super().__init__()
        self.fake = fake

    @classmethod
    @contextmanager
    def running_platform(cls) -> Iterator[SimulatedPlatform]:
        """Run it."""
        with serving_mturk(MTurk(BALANCE)) as fake:
            yield cls(fake)

    def access(self) -> dict[str, str]:
        """Say what an installation needs; it asks once only, as what fails is tried again later."""
        return {**self.fake.access(), "attempts": "1"}

    def options(self) -> Json:
        """Have notifications, and HITs that nothing ends but people."""
        return {"queue": f"{self.fake.url}/queue", "lifetime_hours": 8000}

    @property
    def each(self) -> int:
        """A fifth is MTurk's."""
        return 60

    def take(self, worker: str, honest: bool) -> Visit | None:
        """Accept the first HIT that has room."""
        for hit in self.fake.mturk.hits.values():
            try:
                one = self.fake.mturk.accept(hit.id, worker)
            except Refusal:
                continue
            query = {"assignmentId": one.id, "hitId": hit.id, "workerId": worker}
            return Visit(worker, one.id, {**query, "turkSubmitTo": self.fake.url}, honest, one)
        return None

    def hand_in(self, visit: Visit) -> None:
        """Post the form."""
        fields = dict(visit.finished["fields"]) if visit.finished else {"assignmentId": "", "x": ""}
        fields.pop("assignmentId")
        self.fake.mturk.submit(visit.session, answer_xml(fields))

    def give_back(self, visit: Visit) -> None:
        """Return it."""
        self.fake.mturk.give_back(visit.about)

    def status(self, visit: Visit) -> str:
        """Return the status there."""
        return str(visit.about.status).lower().replace("accepted", "open")

    def decide(self, visit: Visit, *, approve: bool) -> None:
        """Decide by MTurk's own pages."""
        if visit.about.status == "Rejected":
            visit.about.status = "Submitted"
            self.overturned += 1
        operation = "ApproveAssignment" if approve else "RejectAssignment"
        told = {"AssignmentId": visit.session, "RequesterFeedback": "By hand."}
        self.fake.mturk.call(operation, told)

    def paid(self) -> int:
        """Add up the ledger."""
        return self.fake.mturk.spent

    def payments(self) -> Counter[tuple[str, str]]:
        """Count what is in the ledger."""
        return Counter((one.kind, one.worker) for one in self.fake.mturk.ledger)

    def fail(self, chance: Random) -> None:
        """Be throttled, faulty, or lose an answer."""
        self.fake.faults.append(chance.choice(["throttled", "fault", "lost", "lost"]))

    def recover(self) -> None:
        """Fail no more."""
        self.fake.faults.clear()

    def pass_time(self, seconds: float, now: float) -> None:
        """Follow the clock."""
        self.fake.mturk.now = now

    def stop_offer(self, chance: Random) -> None:
        """Let a HIT run out."""
        hits = list(self.fake.mturk.hits.values())
        if hits:
            chance.choice(hits).expires = 0.0
