"""A Mechanical Turk of our own: it refuses what the real one refuses, and keeps the money."""

import hashlib
import itertools
import json
import uuid
from collections.abc import Callable

from platforms.fake_mturk_model import (
    Assignment,
    Booked,
    Hit,
    Json,
    Refusal,
    cents,
    check_question,
    check_type,
    fee,
)


class MTurk:
    """All that happens there, behind the wire."""

    def __init__(self, balance: int = 10_000) -> None:
        self.balance = balance
        self.ledger: list[Booked] = []
        self.now = 1_800_000_000.0
        self.types: dict[str, Json] = {}
        self.hits: dict[str, Hit] = {}
        self.tokens: dict[str, str] = {}
        self.bonuses: list[Json] = []
        self.qualifications: dict[str, str] = {}
        self.granted: set[tuple[str, str]] = set()
        self.notifications: dict[str, Json] = {}
        self.queue: dict[str, str] = {}
        self.done: list[tuple[str, Json]] = []
        self._numbers = itertools.count(1)

    def _id(self, prefix: str) -> str:
        return f"{prefix}{next(self._numbers):025d}"

    def call(self, operation: str, body: Json) -> Json:
        """Do what a requester asks."""
        act: Callable[[Json], Json] | None = getattr(self, f"_{operation}", None)
        if act is None:
            raise Refusal("ParameterValidationError", f"this fake has no {operation}")
        answer = act(body)
        self.done.append((operation, body))
        return answer

    def count(self, operation: str) -> int:
        """Count how often something was done, not only asked for."""
        return sum(name == operation for name, _ in self.done)

    # -- HITs -----------------------------------------------------------------------------------

    def _CreateHITType(self, body: Json) -> Json:
        if len(body.get("QualificationRequirements", [])) > 10:
            raise Refusal("ParameterValidationError", "at most 10 requirements")
        for one in body.get("QualificationRequirements", []):
            name = one["QualificationTypeId"]
            if not name.startswith("0000") and name not in self.qualifications:
                raise Refusal("QualificationTypeDoesNotExist", f"no qualification {name}")
        check_type(body)
        cents(body["Reward"])
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        name = f"3TYPE{digest[:20].upper()}"
        self.types[name] = body
        return {"HITTypeId": name}

    def _CreateHITWithHITType(self, body: Json) -> Json:
        token = body.get("UniqueRequestToken")
        if token in self.tokens:
            known = self.tokens[str(token)]
            raise Refusal("HitAlreadyExists", f"The HIT with ID {known} already exists")
        if body["HITTypeId"] not in self.types:
            raise Refusal("HITTypeDoesNotExist", "no such HIT type")
        check_question(body["Question"])
        places = body.get("MaxAssignments", 1)
        reward = cents(self.types[body["HITTypeId"]]["Reward"])
        each = reward + fee(reward, 20 if places < 10 else 40)
        if self._held() + places * each > self.balance:
            raise Refusal("InsufficientFunds", "Your account has not enough funds")
        hit = Hit(
            self._id("3HIT"),
            body["HITTypeId"],
            body["Question"],
            places,
            body.get("RequesterAnnotation", ""),
            self.now + body["LifetimeInSeconds"],
        )
        self.hits[hit.id] = hit
        if token:
            self.tokens[token] = hit.id
        return {"HIT": self._shown(hit)}

    def _held(self) -> int:
        held = 0
        for hit in self.hits.values():
            reward = cents(self.types[hit.type]["Reward"])
            decided = sum(one.status in ("Approved", "Rejected") for one in hit.assignments)
            waiting = hit.places - decided if hit.expires > self.now else self._undecided(hit)
            held += waiting * (reward + fee(reward, 20 if hit.places < 10 else 40))
        return held

    def _undecided(self, hit: Hit) -> int:
        return sum(one.status in ("Accepted", "Submitted") for one in hit.assignments)

    def _shown(self, hit: Hit) -> Json:
        return {
            "HITId": hit.id,
            "HITTypeId": hit.type,
            "MaxAssignments": hit.places,
            "RequesterAnnotation": hit.annotation,
            "Expiration": hit.expires,
            "HITStatus": self._status(hit),
            "NumberOfAssignmentsPending": _count(hit, "Accepted"),
            "NumberOfAssignmentsAvailable": max(0, hit.places - self._taken(hit)),
            "NumberOfAssignmentsCompleted": _count(hit, "Approved", "Rejected"),
        }

    def _taken(self, hit: Hit) -> int:
        return _count(hit, "Accepted", "Submitted", "Approved", "Rejected")

    def _status(self, hit: Hit) -> str:
        if hit.disposed:
            return "Disposed"
        if hit.expires > self.now and self._taken(hit) < hit.places:
            return "Assignable"
        return "Unassignable" if _count(hit, "Accepted") else "Reviewable"

    def _GetHIT(self, body: Json) -> Json:
        return {"HIT": self._shown(self._hit(body))}

    def _DeleteHIT(self, body: Json) -> Json:
        hit = self._hit(body)
        if self._status(hit) != "Reviewable" or _count(hit, "Submitted"):
            raise Refusal("RequestError", f"Hit {hit.id} is {self._status(hit)}")
        hit.disposed = True
        return {}

    def _ListHITs(self, body: Json) -> Json:
        return self._paged(body, "HITs", [self._shown(hit) for hit in self.hits.values()])

    def _UpdateExpirationForHIT(self, body: Json) -> Json:
        self._hit(body).expires = body["ExpireAt"]
        return {}

    def _hit(self, body: Json) -> Hit:
        if body["HITId"] not in self.hits:
            raise Refusal("HITDoesNotExist", f"Hit {body['HITId']} does not exist.")
        return self.hits[body["HITId"]]

    def _UpdateNotificationSettings(self, body: Json) -> Json:
        self.notifications[body["HITTypeId"]] = body["Notification"]
        return {}

    # -- assignments ----------------------------------------------------------------------------

    def _ListAssignmentsForHIT(self, body: Json) -> Json:
        wanted = body.get("AssignmentStatuses", ["Submitted", "Approved", "Rejected"])
        found = [one for one in self._hit(body).assignments if one.status in wanted]
        return self._paged(body, "Assignments", [self._told(one) for one in found])

    def _told(self, one: Assignment) -> Json:
        return {
            "AssignmentId": one.id,
            "WorkerId": one.worker,
            "HITId": one.hit,
            "AssignmentStatus": one.status,
            "Answer": one.answer,
            "SubmitTime": self.now,
        }

    def _paged(self, body: Json, name: str, items: list[Json]) -> Json:
        # Two at a time, so that nobody gets by with the first page.
        start = int(body.get("NextToken", "0"))
        size = min(body.get("MaxResults", 10), 2)
        page = {name: items[start : start + size], "NumResults": len(items[start : start + size])}
        return page | ({"NextToken": str(start + size)} if start + size < len(items) else {})

    def _GetAssignment(self, body: Json) -> Json:
        one = self.assignment(body["AssignmentId"])
        return {"Assignment": self._told(one), "HIT": self._shown(self.hits[one.hit])}

    def assignment(self, name: str) -> Assignment:
        """Return an assignment as it stands: the last worker's who has it."""
        for hit in self.hits.values():
            for one in reversed(hit.assignments):
                if one.id == name:
                    return one
        raise Refusal("AssignmentDoesNotExist", f"no assignment {name}")

    def _submitted(self, name: str) -> Assignment:
        one = self.assignment(name)
        if one.status != "Submitted":
            raise Refusal(
                "InvalidAssignmentState", f"This HIT assignment is {one.status}, not Submitted"
            )
        return one

    def _ApproveAssignment(self, body: Json) -> Json:
        one = self._submitted(body["AssignmentId"])
        one.status = "Approved"
        hit = self.hits[one.hit]
        reward = cents(self.types[hit.type]["Reward"])
        taken = fee(reward, 20 if hit.places < 10 else 40)
        self.pay(Booked("reward", one.worker, reward, taken))
        self.notify("AssignmentApproved", one)
        return {}

    def _RejectAssignment(self, body: Json) -> Json:
        if not body["RequesterFeedback"].strip():
            raise Refusal("ParameterValidationError", "RequesterFeedback must not be empty")
        one = self._submitted(body["AssignmentId"])
        one.status, one.feedback = "Rejected", body["RequesterFeedback"]
        self.notify("AssignmentRejected", one)
        return {}

    @property
    def spent(self) -> int:
        """All that was paid, fees included."""
        return sum(one.pay + one.fee for one in self.ledger)

    def pay(self, booked: Booked) -> None:
        """Take money out of the requester's account."""
        if booked.pay + booked.fee > self.balance:
            raise Refusal("InsufficientFunds", "Your account has not enough funds")
        self.balance -= booked.pay + booked.fee
        self.ledger.append(booked)

    def _SendBonus(self, body: Json) -> Json:
        token = body.get("UniqueRequestToken")
        if token in self.tokens:
            raise Refusal("DuplicateRequest", "the token was used before")
        one = self.assignment(body["AssignmentId"])
        if one.worker != body["WorkerId"] or one.status not in ("Submitted", "Approved"):
            raise Refusal("InvalidAssignmentState", "there is nothing to pay a bonus for")
        amount = cents(body["BonusAmount"])
        self.pay(Booked("bonus", one.worker, amount, fee(amount, 20)))
        self.bonuses.append({**body, "GrantTime": self.now})
        if token:
            self.tokens[token] = one.id
        return {}

    def _ListBonusPayments(self, body: Json) -> Json:
        mine = [one for one in self.bonuses if one["AssignmentId"] == body["AssignmentId"]]
        shown = ("WorkerId", "BonusAmount", "AssignmentId", "Reason", "GrantTime")
        told = [{name: one[name] for name in shown} for one in mine]
        return self._paged(body, "BonusPayments", told)

    # -- qualifications -------------------------------------------------------------------------

    def _CreateQualificationType(self, body: Json) -> Json:
        if body["Name"] in self.qualifications.values():
            raise Refusal("QualificationTypeAlreadyExists", "the name is taken")
        name = self._id("3QUAL")
        self.qualifications[name] = body["Name"]
        return {"QualificationType": {"QualificationTypeId": name, "Name": body["Name"]}}

    def _ListQualificationTypes(self, body: Json) -> Json:
        found = [
            {"QualificationTypeId": one, "Name": name}
            for one, name in self.qualifications.items()
            if body.get("Query", "") in name
        ]
        return self._paged(body, "QualificationTypes", found)

    def _AssociateQualificationWithWorker(self, body: Json) -> Json:
        if body.get("SendNotification", True):
            raise Refusal("ParameterValidationError", "a worker would be told that they are out")
        self.granted.add((body["QualificationTypeId"], body["WorkerId"]))
        return {}

    # -- the workers' side ----------------------------------------------------------------------

    def accept(self, hit_id: str, worker: str) -> Assignment:
        """Let a worker take a HIT; one that was given back keeps its assignment's id."""
        hit = self.hits[hit_id]
        for one in self.types[hit.type].get("QualificationRequirements", []):
            has = (one["QualificationTypeId"], worker) in self.granted
            if one["Comparator"] == "DoesNotExist" and has:
                raise Refusal("NotQualified", f"{worker} is kept away")
        active = [one for one in hit.assignments if one.status != "Returned"]
        if hit.expires <= self.now or len(active) >= hit.places:
            raise Refusal("NoHITs", "there are no more of these HITs")
        if any(one.worker == worker for one in active):
            raise Refusal("NoHITs", "one assignment of a HIT for each worker")
        free = [one for one in hit.assignments if one.status == "Returned"]
        taken = {one.id for one in active}
        again = next((one.id for one in free if one.id not in taken), None)
        made = Assignment(again or self._id("3ASG"), hit.id, worker)
        hit.assignments.append(made)
        self.notify("AssignmentAccepted", made)
        return made

    def give_back(self, one: Assignment) -> None:
        """Let a worker return a HIT."""
        one.status = "Returned"
        self.notify("AssignmentReturned", one)

    def submit(self, name: str, answer: str) -> None:
        """Take what a worker's browser posts."""
        one = self.assignment(name)
        if one.status != "Accepted":
            raise Refusal("InvalidAssignmentState", f"{name} is {one.status}")
        one.status, one.answer = "Submitted", answer
        self.notify("AssignmentSubmitted", one)

    def notify(self, event: str, one: Assignment) -> None:
        """Put a notification into the queue, twice as queues may."""
        told = self.notifications.get(self.hits[one.hit].type)
        if told is None or event not in told["EventTypes"]:
            return
        if self.hits[one.hit].expires <= self.now:
            # As requesters report: of a HIT that has ended nothing is notified.
            return
        about = {"HITId": one.hit, "AssignmentId": one.id, "HITTypeId": self.hits[one.hit].type}
        events = [{"EventType": event, "EventTimestamp": "2026-11-18T00:00:00Z", **about}]
        body = {"Events": events, "EventDocId": uuid.uuid4().hex, "EventDocVersion": "2014-08-15"}
        for _ in range(2):
            self.queue[uuid.uuid4().hex] = json.dumps(body)


def _count(hit: Hit, *statuses: str) -> int:
    return sum(one.status in statuses for one in hit.assignments)
