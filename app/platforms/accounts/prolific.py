"""Calls to Prolific's API."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import quote

from nextpair.app.errors import Malformed, PlatformRefused, PlatformUnreachable
from nextpair.app.platforms.accounts.http_caller import HttpCaller
from nextpair.app.platforms.accounts.payloads import MAX_PAGES, JsonNode, identifier_in, parse
from nextpair.app.platforms.base import Account
from nextpair.app.platforms.messages import (
    CommandAttempt,
    Offer,
    OfferStatus,
    PlatformEvent,
    Stage,
    Submission,
)

PAGE = 100
STUDY, PAYMENT, PAYING_SINCE, PAID_BEFORE = "study", "payment", "paying", "before"
MAX_NOTE_AGE_SECONDS = 20.0
"""How old the saved note of a payment may be when it is sent: a successor counts from the note."""
MAX_TRIES = 3
GROUP, SUBSCRIPTION = "group", "subscription"
EVENT = "submission.status.change"
MIN_REASON_LENGTH = 100
LOOKUP_SECONDS = 2.0
"""How long an arriving worker waits for the look-up of their session; then they go on without."""
_ENDED = ("AWAITING REVIEW", "COMPLETED")
_REASON_SUFFIX = (
    "This study contains questions whose answers are known, and its description says that work is "
    "checked by them. Please write to us if you think that this is a mistake."
)
_STAGES = {
    "RESERVED": Stage.WORKING,
    "ACTIVE": Stage.WORKING,
    "AWAITING REVIEW": Stage.SUBMITTED,
    "APPROVED": Stage.ACCEPTED,
    "PARTIALLY APPROVED": Stage.ACCEPTED,
    "SCREENED OUT": Stage.ACCEPTED,
    "REJECTED": Stage.REJECTED,
    "RETURNED": Stage.RETURNED,
    "TIMED-OUT": Stage.RETURNED,
}


def stage_of(status: str) -> Stage | None:
    """Convert a submission's status; None if it means nothing here."""
    return _STAGES.get(status.upper().replace("_", " "))


class StudyTemplate(Protocol):
    """What the platform's options say of a study at Prolific."""

    def study(self, offer: Offer, internal_name: str, group: str | None) -> dict[str, Any]:
        """Return the definition of a study at Prolific."""


class ProlificAccount(Account):
    """A researcher's account."""

    def __init__(
        self,
        platform: StudyTemplate,
        access: Any,
        *,
        project: str,
        category: str,
        settling: float,
    ) -> None:
        token = access.token.get_secret_value()
        headers = {"Authorization": f"Token {token}"}
        self._api = HttpCaller("Prolific", access.api, headers, secret=token)
        self._platform = platform
        self._project = project
        self._category = category
        self._settling = settling
        self._workspace = access.workspace
        self._has_webhooks = bool(access.hook_secret.get_secret_value() and access.workspace)

    def close(self) -> None:
        """Close the connections."""
        self._api.close()

    # -- offers ---------------------------------------------------------------------------------

    def publish(self, offer: Offer, attempt: CommandAttempt) -> str:
        """Create a study and publish it; each step is looked up before it is repeated."""
        group = self._group(offer, attempt)
        if self._has_webhooks and offer.webhook_url and SUBSCRIPTION not in attempt.resources:
            self._subscribe(offer, attempt, group)
        study = attempt.progress.get(STUDY) or self._created_before(attempt)
        if study is None:
            definition = self._platform.study(offer, attempt.idempotency_key, group)
            study = identifier_in(self._api.call("POST", "studies/", json=definition), "id")
        attempt.save_progress({STUDY: study})
        if self._status(study) == "UNPUBLISHED":
            self._transition(f"studies/{study}", "PUBLISH")
        return str(study)

    def _status(self, study: str) -> str:
        return identifier_in(self._api.call("GET", f"studies/{study}/"), "status")

    def _results(self, path: str, params: Mapping[str, Any] | None = None) -> list[JsonNode]:
        content = JsonNode(self._api.call("GET", path, params=params))
        return content["results"].items()

    def _created_before(self, attempt: CommandAttempt) -> str | None:
        """Look up the study of an earlier attempt, by the internal name that only we see."""
        if not attempt.is_retry:
            return None
        path = f"projects/{self._project}/studies/" if self._project else "studies/"
        for study in self._results(path):
            if study.mapping().get("internal_name") == attempt.idempotency_key:
                return study["id"].identifier()
        return None

    def _group(self, offer: Offer, attempt: CommandAttempt) -> str | None:
        """Return the participant group of excluded workers, which needs a workspace."""
        group = attempt.resources.get(GROUP)
        if group is None and self._workspace:
            short = hashlib.sha256(offer.url.encode()).hexdigest()[:8]
            name = f"nextpair {offer.study} {short}"
            group = self._find_or_create_group(name)
            attempt.save_resources({**attempt.resources, GROUP: group})
        return group

    def _find_or_create_group(self, name: str) -> str:
        params = {"workspace_id": self._workspace}
        for group in self._results("participant-groups/", params):
            if group["name"].value == name and not group.mapping().get("is_deleted"):
                return group["id"].identifier()
        definition = {**params, "name": name, "description": "Those who are offered nothing more."}
        return identifier_in(self._api.call("POST", "participant-groups/", json=definition), "id")

    def _subscribe(self, offer: Offer, attempt: CommandAttempt, group: str | None) -> None:
        """Subscribe to webhooks; the secret that signs them is made by the installation."""
        params = {"workspace_id": self._workspace}
        listed = self._results("hooks/subscriptions/", params)
        # One that was never confirmed sends nothing, and its confirmation secret came only once.
        mine = (node for node in listed if node["target_url"].value == offer.webhook_url)
        enabled = [node for node in mine if node.mapping().get("is_enabled", True)]
        if enabled:
            name = enabled[0]["id"].identifier()
        else:
            definition = {**params, "event_type": EVENT, "target_url": offer.webhook_url}
            response = self._api.send("POST", "hooks/subscriptions/", json=definition)
            name = _id_in(parse(response.content), offer.webhook_url)
            confirmation = {"secret": response.headers.get("X-Hook-Secret", "")}
            self._api.call("POST", f"hooks/subscriptions/{name}/", json=confirmation)
        attempt.save_resources(
            {**attempt.resources, **({GROUP: group} if group else {}), SUBSCRIPTION: name}
        )

    def expire(self, offer: str, attempt: CommandAttempt) -> None:
        """Stop a study that is open; those at work may finish."""
        if self._status(offer) in ("ACTIVE", "PAUSED"):
            self._transition(f"studies/{offer}", "STOP")

    def _transition(self, path: str, action: str, **fields: str) -> None:
        self._api.call("POST", f"{path}/transition/", json={"action": action, **fields})

    def offer_statuses(self, offers: Sequence[str]) -> Iterator[OfferStatus]:
        """Read each study: a person may stop or pause it there."""
        for offer in offers:
            study = self._api.call("GET", f"studies/{offer}/")
            status = str(study["status"]).upper().replace("_", " ")
            if status == "PAUSED":
                message = (
                    f"study {offer} is paused at Prolific: it goes on when it is started there"
                )
                yield OfferStatus(offer, is_open=True, by_person=True, message=message)
            elif status in _ENDED:
                yield self._ended_status(offer, status, int(study["total_available_places"]))
            else:
                yield OfferStatus(offer, is_open=True)

    def _ended_status(self, offer: str, status: str, places: int) -> OfferStatus:
        stages = [submission.stage for submission in self._submissions(offer)]
        working = stages.count(Stage.WORKING)
        left = places - sum(stage is not Stage.RETURNED for stage in stages)
        if left > 0:
            message = f"study {offer} was stopped at Prolific, with {left} of {places} places left"
            return OfferStatus(
                offer, is_open=False, by_person=True, message=message, working=working
            )
        # All places are taken: one that is given back is open to others again.
        return OfferStatus(offer, is_open=status == "AWAITING REVIEW", working=working)

    # -- events ---------------------------------------------------------------------------------

    def find_session(self, session: str) -> Submission | None:
        """Look up one submission."""
        try:
            path = f"submissions/{quote(session, safe='')}/"
            submission = JsonNode(self._api.call("GET", path, timeout=LOOKUP_SECONDS))
        except PlatformRefused:
            return None
        stage = stage_of(submission["status"].identifier()) or Stage.WORKING
        worker = (submission.get("participant") or submission["participant_id"]).identifier()
        study = submission["study_id"].identifier()
        return Submission(submission["id"].identifier(), worker, stage, study)

    def poll(self, offers: Sequence[str], resources: Mapping[str, Any]) -> Iterator[PlatformEvent]:
        """Read the submissions of each study."""
        for offer in offers:
            yield PlatformEvent(submissions=list(self._submissions(offer)))

    def _submissions(self, offer: str) -> Iterator[Submission]:
        for page in range(1, MAX_PAGES + 1):
            params = {"study": offer, "page": page, "page_size": PAGE}
            results = self._results("submissions/", params)
            for submission in results:
                stage = stage_of(submission["status"].identifier())
                if stage is not None:
                    worker = submission["participant_id"].identifier()
                    yield Submission(submission["id"].identifier(), worker, stage, offer)
            if len(results) < PAGE:
                return

    # -- decisions ------------------------------------------------------------------------------

    def accept(self, submission: Submission, attempt: CommandAttempt) -> None:
        """Approve; idempotent at Prolific, which also approves automatically in time."""
        self._decide(submission, Stage.ACCEPTED, "APPROVE")

    def reject(self, submission: Submission, reason: str, attempt: CommandAttempt) -> None:
        """Reject, with a message as long as Prolific requires."""
        message = reason if len(reason) >= MIN_REASON_LENGTH else f"{reason} {_REASON_SUFFIX}"
        fields = {"message": message, "rejection_category": self._category}
        self._decide(submission, Stage.REJECTED, "REJECT", **fields)

    def _decide(self, submission: Submission, stage: Stage, action: str, **fields: str) -> None:
        try:
            self._transition(f"submissions/{submission.session}", action, **fields)
        except PlatformRefused:
            if stage_of(self._details(submission)["status"].identifier()) is not stage:
                raise

    def _details(self, submission: Submission) -> JsonNode:
        return JsonNode(self._api.call("GET", f"submissions/{submission.session}/"))

    def bonus(
        self, submission: Submission, amount: int, reason: str, attempt: CommandAttempt
    ) -> None:
        """Set up a bonus and pay it, effectively once: paying is not idempotent at Prolific.

        A note that it is being paid is saved before the call. Where the outcome of the call is
        unknown, the submission's own list of bonuses shows it, once there was time to pay. A
        process may sleep between any two steps while another one takes over and pays. So right
        before the call the list is read again, and this process must still pass the fence with a
        fresh note.
        """
        paid = self._count_bonuses(submission)
        if PAYING_SINCE in attempt.progress:
            if paid > attempt.progress[PAID_BEFORE]:
                return
            if attempt.now - attempt.progress[PAYING_SINCE] < self._settling:
                raise PlatformUnreachable("Prolific may be paying a bonus: to be seen soon")
        payment = attempt.progress.get(PAYMENT) or self._set_up(submission, amount)
        attempt.save_progress({PAYMENT: payment})
        for _ in range(MAX_TRIES):
            noted_at = attempt.fence()
            attempt.save_progress({PAYMENT: payment, PAYING_SINCE: noted_at, PAID_BEFORE: paid})
            if self._count_bonuses(submission) > paid:
                return
            if attempt.fence() - noted_at <= MAX_NOTE_AGE_SECONDS:
                self._api.call("POST", f"bulk-bonus-payments/{payment}/pay/")
                return
        raise PlatformUnreachable("Prolific takes too long to tell what it has paid")

    def _count_bonuses(self, submission: Submission) -> int:
        """Count the bonuses that Prolific lists for a submission."""
        listed = self._details(submission).get("bonus_payments")
        return 0 if listed is None else len(listed.items())

    def _set_up(self, submission: Submission, amount: int) -> str:
        study = submission.offer or self._details(submission)["study_id"].identifier()
        line = f"{submission.session},{amount // 100}.{amount % 100:02d}\n"
        bonus = {"study_id": study, "csv_bonuses": line}
        response = self._api.call("POST", "submissions/bonus-payments/", json=bonus)
        return identifier_in(response, "id")

    def keep_away(self, worker: str, attempt: CommandAttempt) -> None:
        """Add a worker to the participant group that the study's offers exclude."""
        group = attempt.resources.get(GROUP)
        if group is None:
            raise PlatformRefused(
                "to keep workers away, name the Prolific workspace (…__WORKSPACE)"
            )
        participants = {"participant_ids": [worker]}
        self._api.call("POST", f"participant-groups/{group}/participants/", json=participants)


def _id_in(content: JsonNode, url: str) -> str:
    """Find the subscription, which is returned alone or in a list."""
    listed = content.get("results")
    for node in [content] if listed is None else listed.items():
        if node.mapping().get("target_url") == url:
            return node["id"].identifier()
    raise Malformed("the webhook that was asked for is not among those that are told")
