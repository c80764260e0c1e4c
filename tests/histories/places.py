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
from platforms.fake_figure_eight import FakeFigureEight
from platforms.fake_prolific import WORKSPACE, FakeProlific
from platforms.mturk import MTurk
from platforms.mturk_facts import Refusal
from platforms.mturk_server import Server, answer_xml
from platforms.mturk_server import serving as serving_mturk
from platforms.oddities import NO_JSON
from platforms.serving import Reply, serving

REWARD, BONUS = 50, 10
BALANCE = 10**7
SETTLED_SECONDS = 600.0
"""After so long, a bonus of Prolific is listed."""
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


class Place(ABC):
    """A platform that runs."""

    name: ClassVar[str]
    returns: ClassVar[bool] = True
    """Whether the platform knows of work that was given back."""

    def __init__(self) -> None:
        self.overturned = 0

    @classmethod
    @abstractmethod
    @contextmanager
    def staged(cls) -> Iterator["Place"]:
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
    def calm(self) -> None:
        """Let nothing go wrong any more."""

    def hooks(self) -> list[tuple[dict[str, str], bytes]]:
        """Take the webhooks that are on their way."""
        return []

    def pass_time(self, seconds: float, now: float) -> None:  # noqa: B027
        """Let time pass, where that changes anything."""

    @abstractmethod
    def stop_offer(self, chance: Random) -> None:
        """Let an offer end there: it ran out, or someone has stopped it."""


class AtMTurk(Place):
    """HITs, with a queue of notifications."""

    name = "mturk"

    def __init__(self, fake: Server) -> None:
        super().__init__()
        self.fake = fake

    @classmethod
    @contextmanager
    def staged(cls) -> Iterator[Place]:
        """Let it run."""
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
        """Say how it stands."""
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

    def calm(self) -> None:
        """Be well."""
        self.fake.faults.clear()

    def pass_time(self, seconds: float, now: float) -> None:
        """Follow the clock."""
        self.fake.mturk.now = now

    def stop_offer(self, chance: Random) -> None:
        """Let a HIT run out."""
        hits = list(self.fake.mturk.hits.values())
        if hits:
            chance.choice(hits).expires = 0.0


class AtProlific(Place):
    """Studies of Prolific, with webhooks."""

    name = "prolific"

    def __init__(self, fake: FakeProlific) -> None:
        super().__init__()
        self.fake = fake
        self._passed = 0.0
        self._events: list[Json] = []

    @classmethod
    @contextmanager
    def staged(cls) -> Iterator[Place]:
        """Let it run."""
        with serving(FakeProlific()) as fake:
            yield cls(fake)

    def access(self) -> dict[str, str]:
        """Say what an installation needs."""
        where = {"api": f"{self.fake.url}/api/v1", "workspace": WORKSPACE}
        return {"token": self.fake.token, "hook_secret": self.fake.hook_secret, **where}

    @property
    def each(self) -> int:
        """With Prolific's fee."""
        return _with(REWARD, 42.8)

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
        """Say how it stands."""
        known = {"ACTIVE": "open", "AWAITING REVIEW": "submitted", "TIMED-OUT": "returned"}
        told = str(visit.about["status"])
        return known.get(told, told.lower())

    def decide(self, visit: Visit, *, approve: bool) -> None:
        """Decide by Prolific's own pages."""
        self.overturned += visit.about["status"] == "REJECTED"
        self._end(visit, "APPROVED" if approve else "REJECTED")

    def paid(self) -> int:
        """Add up rewards and bonuses, those on their way too."""
        approved = [one["status"] for one in self.fake.submissions.values()].count("APPROVED")
        bonuses = sum(n for (kind, _), n in self.payments().items() if kind == "bonus")
        return approved * self.each + bonuses * _with(BONUS, 42.8)

    def payments(self) -> Counter[tuple[str, str]]:
        """Count rewards and bonuses."""
        found: Counter[tuple[str, str]] = Counter()
        on_the_way = Counter(name for name, _ in self.fake.unsettled)
        for name, one in self.fake.submissions.items():
            found["reward", one["participant"]] += one["status"] == "APPROVED"
            found["bonus", one["participant"]] += len(one["bonus_payments"]) + on_the_way[name]
        return found

    def fail(self, chance: Random) -> None:
        """Be away, answer oddly, or do something and lose the answer."""
        _fail(self.fake, chance)

    def calm(self) -> None:
        """Be well."""
        self.fake.faults, self.fake.dies_after = [], None

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
            self.fake.settle()

    def stop_offer(self, chance: Random) -> None:
        """Stop a study there."""
        active = [one for one in self.fake.studies.values() if one["status"] == "ACTIVE"]
        if active:
            chance.choice(active)["status"] = chance.choice(["COMPLETED", "AWAITING REVIEW"])


class AtFigureEight(Place):
    """Places of Figure Eight; a contributor who leaves is followed by another one."""

    name = "figure-eight"
    returns = False

    def __init__(self, fake: FakeFigureEight) -> None:
        super().__init__()
        self.fake = fake
        self._taken: dict[str, Visit] = {}
        self._hooks: list[bytes] = []
        self._numbers: dict[str, int] = {}

    @classmethod
    @contextmanager
    def staged(cls) -> Iterator[Place]:
        """Let it run."""
        with serving(FakeFigureEight()) as fake:
            yield cls(fake)

    def access(self) -> dict[str, str]:
        """Say what an installation needs."""
        tokens = {"key": self.fake.key, "hook_tokens": self.fake.hook_token}
        return {**tokens, "api": f"{self.fake.url}/v1"}

    def options(self) -> Json:
        """Show our page."""
        return {"way": "slots"}

    @property
    def each(self) -> int:
        """A fifth is the platform's."""
        return _with(REWARD, 20)

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
        return len(self._judged()) * self.each + len(self.fake.bonuses) * _with(BONUS, 20)

    def payments(self) -> Counter[tuple[str, str]]:
        """Count rewards and bonuses."""
        names = {str(number): worker for worker, number in self._numbers.items()}
        found = Counter(("reward", names[self._number(one)]) for one in self._judged())
        return found + Counter(("bonus", names[worker]) for _, worker, _ in self.fake.bonuses)

    def fail(self, chance: Random) -> None:
        """Be away, answer oddly, or do something and lose the answer."""
        _fail(self.fake, chance)

    def calm(self) -> None:
        """Be well."""
        self.fake.faults, self.fake.dies_after = [], None

    def hooks(self) -> list[tuple[dict[str, str], bytes]]:
        """Take what Figure Eight would post."""
        hooks, self._hooks = self._hooks, []
        return [({}, one) for one in hooks]

    def stop_offer(self, chance: Random) -> None:
        """Cancel units there."""
        for unit in self.fake.open_units():
            unit["state"] = "canceled"


PLACES: tuple[type[Place], ...] = (AtMTurk, AtProlific, AtFigureEight)


def _with(amount: int, percent: float) -> int:
    return amount + math.ceil(amount * percent / 100 - 1e-9)


def _fail(fake: FakeProlific | FakeFigureEight, chance: Random) -> None:
    if chance.random() < 0.4:
        fake.dies_after = chance.choice(["POST /", "PUT /", "GET /"])
    elif chance.random() < 0.7:
        fake.faults.append(Reply(chance.choice(FAULTS)))
    else:
        fake.faults.append(Reply(200, chance.choice(NO_JSON)))
