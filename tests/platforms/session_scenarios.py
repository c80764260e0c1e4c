"""Scenarios of platforms that send workers to our page: MTurk, Prolific, Figure Eight's slots."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from in_process import InProcess, Json
from platforms.fake_mturk import MTurk
from platforms.fake_mturk_server import KEY, SECRET, Server
from platforms.fake_mturk_server import serving as serving_mturk
from platforms.fake_prolific import WORKSPACE, FakeProlific
from platforms.hiring_study import HIRING, HiringStudy, enter, judge
from platforms.scenarios import (
    ENTRANCE,
    NO_CRASH,
    FakeScenario,
    FigureEightScenario,
    Scenario,
    finished,
    post_webhook,
)


class MTurkScenario(Scenario):
    """HITs, with a queue that reports returned ones."""

    platform: ClassVar[str] = "mturk"

    def __init__(self, fake: Server) -> None:
        self.fake = fake

    @classmethod
    @contextmanager
    def running_platform(cls) -> Iterator[Scenario]:
        """Run the platform."""
        with serving_mturk(MTurk()) as fake:
            yield cls(fake)

    def access(self) -> dict[str, str]:
        """Return the installation's settings of it."""
        return self.fake.access()

    def options(self) -> Json:
        """Have notifications in a queue."""
        return {"queue": f"{self.fake.url}/queue"}

    def run(self, service: InProcess) -> Iterator[str]:
        """One worker passes, one fails the traps, one returns the HIT."""
        study = HiringStudy(service, self.fake)
        yield "nothing is published"
        study.work("AGOOD")
        study.work("ABAD", fool=True)
        gone = study.take("AGONE")
        study.judge(study.enter(gone), most=1)
        self.fake.mturk.give_back(gone)
        yield "two have handed in and one has returned"
        last = 0
        while not finished(service):
            last += 1
            taken = study.take(f"ALAST{last}")
            token = study.enter(taken)
            # The queue reports that it was taken, and from then on its answers count.
            yield NO_CRASH
            study.judge(token)
            study.hand_in(token)
        yield "the last has handed in"

    def outcome_at_platform(self) -> Json:
        """Return what exists, and what was paid."""
        mturk = self.fake.mturk
        assignments = [taken for hit in mturk.hits.values() for taken in hit.assignments]
        return {
            "hits": sorted((hit.places, hit.expires) for hit in mturk.hits.values()),
            "sessions": sorted((taken.worker, taken.status) for taken in assignments),
            "bonuses": sorted(bonus["WorkerId"] for bonus in mturk.bonuses),
            "qualifications": len(mturk.qualifications),
            "away": sorted(worker for _, worker in mturk.granted),
            "paid": mturk.spent,
        }

    def snapshot(self) -> Any:
        """Copy the state of the platform."""
        return copy.deepcopy(self.fake.mturk)

    def restore_snapshot(self, snapshot: Any) -> None:
        """Restore the state of the platform."""
        self.fake.mturk = copy.deepcopy(snapshot)

    def settle_payments(self) -> None:
        """MTurk pays at once."""

    def revoke_key(self) -> None:
        """Revoke our key."""
        self.fake.secrets.clear()

    def restore_key(self) -> None:
        """Accept our key again."""
        self.fake.secrets[KEY] = SECRET


class ProlificScenario(FakeScenario[FakeProlific]):
    """A study there for every offer, with webhooks."""

    platform: ClassVar[str] = "prolific"
    secret: ClassVar[str] = "token"

    @classmethod
    def make_fake(cls) -> FakeProlific:
        """Create the fake."""
        return FakeProlific()

    def access(self) -> dict[str, str]:
        """Return the installation's settings of it."""
        return {
            "token": self.fake.token,
            "hook_secret": self.fake.hook_secret,
            "workspace": WORKSPACE,
            "api": f"{self.fake.url}/api/v1",
        }

    def run(self, service: InProcess) -> Iterator[str]:
        """One worker passes, with a webhook; one fails the traps, one returns the session."""
        yield "nothing is published"
        good = self._work(service, "ann")
        self._work(service, "bob", fool=True)
        gone, _ = self._arrive(service, "eve")
        self.fake.end(gone, "RETURNED")
        fields = {"event_type": "submission.status.change", "participant_id": "ann"}
        change = {**fields, "resource_id": good, "status": "AWAITING REVIEW"}
        headers, body = self.fake.hook(change)
        post_webhook(service, body, headers)
        yield "two have handed in and one has returned"
        last = 0
        while not finished(service):
            last += 1
            self._work(service, f"last{last}")
        yield "the last has handed in"

    def _arrive(self, service: InProcess, worker: str) -> tuple[str, str]:
        for study, definition in self.fake.studies.items():
            if definition["status"] == "ACTIVE" and self.fake.has_room(study):
                session = self.fake.take(study, worker)
                names = {"PROLIFIC_PID": worker, "SESSION_ID": session, "STUDY_ID": study}
                return session, enter(service, ENTRANCE, names)
        raise AssertionError("there are no places")

    def _work(self, service: InProcess, worker: str, *, fool: bool = False) -> str:
        session, token = self._arrive(service, worker)
        judge(service, token, fool=fool)
        service.post("/v1/session/finish", {}, bearer=token)
        self.fake.end(session)
        return session

    def outcome_at_platform(self) -> Json:
        """Return what exists, and what was paid."""
        fake = self.fake
        return {
            "studies": sorted(
                (study["status"], study["total_available_places"])
                for study in fake.studies.values()
            ),
            "sessions": sorted(
                (session["participant"], session["status"], *session["bonus_payments"])
                for session in fake.submissions.values()
            ),
            "groups": [sorted(group["members"]) for group in fake.groups.values()],
            "subscriptions": sum(hook["is_enabled"] for hook in fake.subscriptions.values()),
            "on the way": len(fake.unsettled),
        }

    def settle_payments(self) -> None:
        """Complete the bonuses that are under way."""
        self.fake.settle_payments()


class ReadyToHandIn(ProlificScenario):
    """A worker of Prolific has answered everything and not handed in yet."""

    def __init__(self, fake: FakeProlific) -> None:
        super().__init__(fake)
        self.query: dict[str, str] = {}

    def run(self, service: InProcess) -> Iterator[str]:
        """Stop right before the hand-in."""
        yield NO_CRASH
        session, token = self._arrive(service, "ann")
        judge(service, token)
        (study,) = self.fake.studies
        self.query = {"PROLIFIC_PID": "ann", "SESSION_ID": session, "STUDY_ID": study}
        self.fake.end(session)
        yield "someone is about to hand in"


class SlotsScenario(FigureEightScenario):
    """Places of Figure Eight that show our page in a frame."""

    study: ClassVar[Json] = {"hiring": HIRING}
    uncertain_message: ClassVar[str] = "the bonus may have been paid"

    def options(self) -> Json:
        """Show our page."""
        return {"way": "slots"}

    def run(self, service: InProcess) -> Iterator[str]:
        """One worker passes, with a webhook; one fails the traps, and only the report has it."""
        yield "nothing is published"
        post_webhook(service, self.fake.hook(self._work(service, 41)))
        yield "a webhook has reported one"
        foolish = self._work(service, 42, fool=True)
        while not self.fake.is_reported(foolish):
            yield NO_CRASH
        yield "a report has another"
        last = 42
        while not finished(service):
            last += 1
            post_webhook(service, self.fake.hook(self._work(service, last)))
        yield "the last has handed in"

    def _work(self, service: InProcess, worker: int, *, fool: bool = False) -> Json:
        unit = self.fake.open_units()[0]
        names = {name: unit["data"][name] for name in ("slot", "code", "offer")}
        token = enter(service, ENTRANCE, names)
        judge(service, token, fool=fool)
        ending = service.post("/v1/session/finish", {}, bearer=token)
        self.fake.judge(unit, {"receipt": ending["code"]}, worker=worker)
        return unit
