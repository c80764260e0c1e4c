"""The state of the fake Prolific, and the actions of people on it."""

import base64
import hashlib
import hmac
import json
from typing import Any

from platforms.fake_server import FakePlatform, Refused

Json = dict[str, Any]
MOVES = {
    ("UNPUBLISHED", "PUBLISH"): "ACTIVE",
    ("ACTIVE", "PAUSE"): "PAUSED",
    ("ACTIVE", "STOP"): "COMPLETED",
    ("PAUSED", "START"): "ACTIVE",
    ("PAUSED", "STOP"): "COMPLETED",
}


class Workspace(FakePlatform):
    """Studies, submissions, bonuses, groups and webhooks."""

    def __init__(self, token: str = "prolific-token", hook_secret: str = "prolific-secret") -> None:
        super().__init__()
        self.token = token
        self.hook_secret = hook_secret
        self.studies: dict[str, Json] = {}
        self.submissions: dict[str, Json] = {}
        self.payments: dict[str, list[tuple[str, int]]] = {}
        self.unsettled: list[tuple[str, int]] = []
        self.groups: dict[str, Json] = {}
        self.subscriptions: dict[str, Json] = {}
        self._made = 0

    def take(self, study: str, worker: str) -> str:
        """Let a worker take a place, if the study is open to them."""
        about = self.study(study)
        assert about["status"] == "ACTIVE", about["status"]
        if not self.has_room(study):
            raise PermissionError("all places are taken")
        if worker in self.kept_away(about):
            raise PermissionError(worker)
        name = self.new("submission")
        self.submissions[name] = {
            "id": name,
            "participant": worker,
            "study_id": study,
            "status": "ACTIVE",
            "entered_code": None,
            "started_at": "2026-11-18T01:00:00Z",
            "bonus_payments": [],
        }
        return name

    def move(self, study: str, action: str) -> None:
        """Publish, pause, start or stop a study, as a program or a person may."""
        about = self.study(study)
        after = MOVES.get((about["status"], action))
        if after is None:
            raise PermissionError(f"cannot {action} a study that is {about['status']}")
        about["status"] = after

    def has_room(self, study: str) -> bool:
        """Say whether a study has places that nobody has taken, or that were given back."""
        mine = [one for one in self.submissions.values() if one["study_id"] == study]
        taken = sum(one["status"] not in ("RETURNED", "TIMED-OUT") for one in mine)
        return bool(taken < self.study(study)["total_available_places"])

    def kept_away(self, study: Json) -> set[str]:
        """List the workers whom a study's filters exclude."""
        values = {one["filter_id"]: one["selected_values"] for one in study.get("filters", ())}
        away = {
            who
            for group in values.get("participant_group_blocklist", ())
            for who in self.groups[group]["members"]
        }
        earlier = values.get("previous_studies_blocklist", ())
        return away | {
            str(one["participant"])
            for one in self.submissions.values()
            if one["study_id"] in earlier
        }

    def end(self, submission: str, status: str = "AWAITING REVIEW") -> None:
        """Let a worker hand in, or return the session."""
        self.submissions[submission]["status"] = status

    def settle_payments(self) -> None:
        """Complete the bonuses that are under way."""
        for name, amount in self.unsettled:
            self.submissions[name]["bonus_payments"].append(float(amount))
        self.unsettled = []

    def hook(self, content: Json, event: str = "event-1") -> tuple[dict[str, str], bytes]:
        """Sign a webhook."""
        body = json.dumps(content).encode()
        at = "1762300000"
        digest = hmac.new(self.hook_secret.encode(), at.encode() + body, hashlib.sha256).digest()
        headers = {
            "X-Prolific-Request-Timestamp": at,
            "X-Prolific-Request-Signature": base64.b64encode(digest).decode(),
            "X-Event-ID": event,
        }
        return headers, body

    def new(self, kind: str) -> str:
        """Make an id."""
        self._made += 1
        return f"{kind}-{self._made:06d}"

    def study(self, name: str) -> Json:
        """Find a study."""
        if name not in self.studies:
            raise Refused(404, f"no study {name}")
        return self.studies[name]

    def submission(self, name: str) -> Json:
        """Find a submission."""
        if name not in self.submissions:
            raise Refused(404, f"no submission {name}")
        return self.submissions[name]
