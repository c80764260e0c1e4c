"""Scenes on platforms that send workers to our page: MTurk, Prolific, Figure Eight's slots."""

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
    post_news,
)


class MTurkScenario(Scenario):
    """HITs, with a queue that tells of those given back."""

    platform: ClassVar[str] = "mturk"

    def __init__(self, fake: Server) -> None:
        self.fake = fake

    @classmethod
    @contextmanager
    def running_platform(cls) -> Iterator[Scenario]:
        """Let the platform run."""
        with serving_mturk(MTurk()) as fake:
            yield cls(fake)

    def access(self) -> dict[str, str]:
        """Say what an installation needs to reach it."""
        return self.fake.access()

    def options(self) -> Json:
        """Have notifications in a queue."""
        return {"queue": f"{self.fake.url}/queue"}

    def run(self, service: InProcess) -> Iterator[str]:
        """One is good, one is a fool, one gives back."""
        one = HiringStudy(service, self.fake)
        yield "nothing is published"
        one.work("AGOOD")
        one.work("ABAD", fool=True)
        gone = one.take("AGONE")
        one.judge(one.enter(gone), most=1)
        self.fake.mturk.give_back(gone)
        yield "two have handed in and one has given back"
        last = 0
        while not finished(service):
            last += 1
            taken = one.take(f"ALAST{last}")
            token = one.enter(taken)
            # The queue tells that they have taken it, and from then on what they answer counts.
            yield NO_CRASH
            one.judge(token)
            one.hand_in(token)
        yield "the last has handed in"

    def outcome_at_platform(self) -> Json:
        """Say what there is, and what was paid."""
        mturk = self.fake.mturk
        each = [one for hit in mturk.hits.values() for one in hit.assignments]
        return {
            "hits": sorted((hit.places, hit.expires) for hit in mturk.hits.values()),
            "sessions": sorted((one.worker, one.status) for one in each),
            "bonuses": sorted(one["WorkerId"] for one in mturk.bonuses),
            "qualifications": len(mturk.qualifications),
            "away": sorted(worker for _, worker in mturk.granted),
            "paid": mturk.spent,
        }

    def snapshot(self) -> Any:
        """Copy all that happened there."""
        return copy.deepcopy(self.fake.mturk)

    def restore_snapshot(self, kept: Any) -> None:
        """Let it be as it was."""
        self.fake.mturk = copy.deepcopy(kept)

    def settle_payments(self) -> None:
        """MTurk pays at once."""

    def revoke_key(self) -> None:
        """Let MTurk take our key no more."""
        self.fake.secrets.clear()

    def restore_key(self) -> None:
        """Let it take our key again."""
        self.fake.secrets[KEY] = SECRET


class ProlificScenario(FakeScenario[FakeProlific]):
    """A study there for every offer, with webhooks."""

    platform: ClassVar[str] = "prolific"
    secret: ClassVar[str] = "token"

    @classmethod
    def make_fake(cls) -> FakeProlific:
        """Make the fake."""
        return FakeProlific()

    def access(self) -> dict[str, str]:
        """Say what an installation needs to reach it."""
        return {
            "token": self.fake.token,
            "hook_secret": self.fake.hook_secret,
            "workspace": WORKSPACE,
            "api": f"{self.fake.url}/api/v1",
        }

    def run(self, service: InProcess) -> Iterator[str]:
        """One is good, and a webhook tells; one is a fool, one gives back."""
        yield "nothing is published"
        good = self._work(service, "ann")
        self._work(service, "bob", fool=True)
        gone, _ = self._come(service, "eve")
        self.fake.end(gone, "RETURNED")
        about = {"event_type": "submission.status.change", "participant_id": "ann"}
        change = {**about, "resource_id": good, "status": "AWAITING REVIEW"}
        headers, body = self.fake.hook(change)
        post_news(service, body, headers)
        yield "two have handed in and one has given back"
        last = 0
        while not finished(service):
            last += 1
            self._work(service, f"last{last}")
        yield "the last has handed in"

    def _come(self, service: InProcess, worker: str) -> tuple[str, str]:
        for study, about in self.fake.studies.items():
            if about["status"] == "ACTIVE" and self.fake.has_room(study):
                session = self.fake.take(study, worker)
                names = {"PROLIFIC_PID": worker, "SESSION_ID": session, "STUDY_ID": study}
                return session, enter(service, ENTRANCE, names)
        raise AssertionError("there are no places")

    def _work(self, service: InProcess, worker: str, *, fool: bool = False) -> str:
        session, token = self._come(service, worker)
        judge(service, token, fool=fool)
        service.post("/v1/session/finish", {}, bearer=token)
        self.fake.end(session)
        return session

    def outcome_at_platform(self) -> Json:
        """Say what there is, and what was paid."""
        fake = self.fake
        return {
            "studies": sorted(
                (one["status"], one["total_available_places"]) for one in fake.studies.values()
            ),
            "sessions": sorted(
                (one["participant"], one["status"], *one["bonus_payments"])
                for one in fake.submissions.values()
            ),
            "groups": [sorted(one["members"]) for one in fake.groups.values()],
            "subscriptions": sum(one["is_enabled"] for one in fake.subscriptions.values()),
            "on the way": len(fake.unsettled),
        }

    def settle_payments(self) -> None:
        """Let the minutes pass that bonuses take."""
        self.fake.settle_payments()


class ReadyToHandIn(ProlificScenario):
    """Someone has come by Prolific and answered everything, and has not handed in yet."""

    def __init__(self, fake: FakeProlific) -> None:
        super().__init__(fake)
        self.query: dict[str, str] = {}

    def run(self, service: InProcess) -> Iterator[str]:
        """Stop right before they hand in."""
        yield NO_CRASH
        session, token = self._come(service, "ann")
        judge(service, token)
        (study,) = self.fake.studies
        self.query = {"PROLIFIC_PID": "ann", "SESSION_ID": session, "STUDY_ID": study}
        self.fake.end(session)
        yield "someone is about to hand in"


class SlotsScenario(FigureEightScenario):
    """Places of Figure Eight that frame our page."""

    study: ClassVar[Json] = {"hiring": HIRING}
    uncertain_message: ClassVar[str] = "the bonus may have been paid"

    def options(self) -> Json:
        """Show our page."""
        return {"way": "slots"}

    def run(self, service: InProcess) -> Iterator[str]:
        """One is good, and a webhook tells; one is a fool, and only the report does."""
        yield "nothing is published"
        post_news(service, self.fake.hook(self._work(service, 41)))
        yield "a webhook has told of one"
        foolish = self._work(service, 42, fool=True)
        while not self.fake.tells(foolish):
            yield NO_CRASH
        yield "a report tells of another"
        last = 42
        while not finished(service):
            last += 1
            post_news(service, self.fake.hook(self._work(service, last)))
        yield "the last has handed in"

    def _work(self, service: InProcess, worker: int, *, fool: bool = False) -> Json:
        unit = self.fake.open_units()[0]
        names = {name: unit["data"][name] for name in ("slot", "code", "offer")}
        token = enter(service, ENTRANCE, names)
        judge(service, token, fool=fool)
        told = service.post("/v1/session/finish", {}, bearer=token)
        self.fake.judge(unit, {"receipt": told["code"]}, worker=worker)
        return unit
