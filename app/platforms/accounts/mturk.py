"""Calls to MTurk through boto3."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nextpair.app.errors import PlatformDenied, PlatformRefused
from nextpair.app.platforms.accounts.mturk_errors import translated_errors
from nextpair.app.platforms.accounts.mturk_hit_type import HitTemplate, HitTypeSpec
from nextpair.app.platforms.accounts.mturk_messages import CONFIRM, fields_in, queued_events
from nextpair.app.platforms.accounts.payloads import MAX_PAGES, JsonNode, identifier_in
from nextpair.app.platforms.base import Account
from nextpair.app.platforms.messages import (
    CommandAttempt,
    Offer,
    OfferStatus,
    PlatformEvent,
    Stage,
    Submission,
)

SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"
TOKEN_SECONDS = 23 * 3600
"""MTurk remembers an idempotency key for a day; after that, only its lists show what was done."""
QUALIFICATION = "qualification"
_STAGES = {
    "Submitted": Stage.SUBMITTED,
    "Approved": Stage.ACCEPTED,
    "Rejected": Stage.REJECTED,
}


class MTurkAccount(Account):
    """A requester's account."""

    def __init__(
        self, platform: HitTemplate, access: Any, *, sandbox: bool, queue: str, topic: str
    ) -> None:
        try:
            import boto3
            from botocore.config import Config
        except ImportError:
            raise PlatformDenied(
                "MTurk needs boto3: install it with `pip install 'nextpair[mturk]'`"
            ) from None
        self._platform = platform
        self._queue = queue
        session = boto3.session.Session(
            access.access_key_id or None,
            access.secret_access_key.get_secret_value() or None,
            region_name=access.region,
        )
        retries = {"total_max_attempts": access.attempts, "mode": "standard"}
        config = Config(retries=retries, connect_timeout=5, read_timeout=20)
        endpoint = access.endpoint or (SANDBOX if sandbox else None)
        with translated_errors():
            self._mturk = session.client("mturk", endpoint_url=endpoint, config=config)
            options = {"endpoint_url": access.queue_endpoint or None, "config": config}
            self._sqs = session.client("sqs", **options) if queue else None
            self._sns = session.client("sns", **options) if topic else None

    def close(self) -> None:
        """Close the connections."""
        for client in filter(None, (self._mturk, self._sqs, self._sns)):
            client.close()

    # -- offers ---------------------------------------------------------------------------------

    def publish(self, offer: Offer, attempt: CommandAttempt) -> str:
        """Create a HIT of the study's type; by the idempotency key there is only one."""
        spec = self._platform.hit_type_spec(offer)
        with translated_errors():
            existing = self._earlier_hit(attempt)
            if existing:
                return existing
            qualification = self._qualification(spec, attempt)
            created = self._mturk.create_hit_type(**spec.hit_type(qualification))
            hit_type = identifier_in(created, "HITTypeId")
            if spec.notification:
                self._mturk.update_notification_settings(HITTypeId=hit_type, **spec.notification)
            hit = self._platform.hit(offer, hit_type, attempt.idempotency_key)
            return self._create_hit(hit)

    def _create_hit(self, hit: Mapping[str, Any]) -> str:
        try:
            return identifier_in(self._mturk.create_hit_with_hit_type(**hit)["HIT"], "HITId")
        except self._mturk.exceptions.RequestError as error:
            if "HitAlreadyExists" not in str(error.response.get("TurkErrorCode")):
                raise
            named = re.search(r"\b[A-Z0-9]{20,64}\b", str(error))
            existing = named[0] if named else self._listed(str(hit["UniqueRequestToken"]))
            if existing is None:
                raise
            return existing

    def _earlier_hit(self, attempt: CommandAttempt) -> str | None:
        """Look up the HIT of an earlier attempt, where MTurk has forgotten the idempotency key."""
        old = attempt.is_retry and attempt.now - attempt.first_attempt_at > TOKEN_SECONDS
        return self._listed(attempt.idempotency_key) if old else None

    def _listed(self, key: str) -> str | None:
        for page in self._mturk.get_paginator("list_hits").paginate():
            for hit in page["HITs"]:
                if hit.get("RequesterAnnotation") == key:
                    return identifier_in(hit, "HITId")
        return None

    def _qualification(self, spec: HitTypeSpec, attempt: CommandAttempt) -> str:
        qualification = attempt.resources.get(QUALIFICATION)
        if qualification is None:
            qualification = self._find_or_create_qualification(spec.qualification)
            attempt.save_resources({QUALIFICATION: qualification})
        return str(qualification)

    def _find_or_create_qualification(self, definition: Mapping[str, Any]) -> str:
        # An attempt may have created it and died before that was stored: names are unique.
        existing = self._find_qualification(definition)
        if existing is not None:
            return existing
        try:
            created = self._mturk.create_qualification_type(**definition)
            return identifier_in(created["QualificationType"], "QualificationTypeId")
        except self._mturk.exceptions.RequestError:
            existing = self._find_qualification(definition)
            if existing is None:
                raise
            return existing

    def _find_qualification(self, definition: Mapping[str, Any]) -> str | None:
        pages = self._mturk.get_paginator("list_qualification_types").paginate(
            Query=definition["Name"], MustBeRequestable=False, MustBeOwnedByCaller=True
        )
        for page in pages:
            for qualification in page["QualificationTypes"]:
                if qualification["Name"] == definition["Name"]:
                    return identifier_in(qualification, "QualificationTypeId")
        return None

    def expire(self, offer: str, attempt: CommandAttempt) -> None:
        """Expire a HIT now."""
        with translated_errors():
            self._mturk.update_expiration_for_hit(HITId=offer, ExpireAt=0)

    def offer_statuses(self, offers: Sequence[str]) -> Iterator[OfferStatus]:
        """Read each HIT: it expires by itself, or a person ends it."""
        for offer in offers:
            with translated_errors():
                yield self._offer_status(offer)

    def _offer_status(self, offer: str) -> OfferStatus:
        try:
            hit = self._mturk.get_hit(HITId=offer)["HIT"]
        except self._mturk.exceptions.RequestError as error:
            if "HITDoesNotExist" not in str(error.response.get("TurkErrorCode")):
                raise
            message = f"HIT {offer} was deleted at MTurk"
            return OfferStatus(offer, is_open=False, by_person=True, message=message, working=0)
        ends_at = hit["Expiration"].timestamp()
        status, working = hit["HITStatus"], int(hit["NumberOfAssignmentsPending"])
        if status == "Disposed":
            message = f"HIT {offer} was deleted at MTurk"
            return OfferStatus(
                offer, is_open=False, by_person=True, message=message, working=working
            )
        return OfferStatus(offer, is_open=True, working=working, ends_at=ends_at)

    # -- events ---------------------------------------------------------------------------------

    def poll(self, offers: Sequence[str], resources: Mapping[str, Any]) -> Iterator[PlatformEvent]:
        """Read the queue, and then MTurk itself: not everything is notified."""
        yield from self._queued()
        for offer in offers:
            with translated_errors():
                submissions = self._submissions(offer)
            yield PlatformEvent(submissions=submissions)

    def _queued(self) -> Iterator[PlatformEvent]:
        for _ in range(MAX_PAGES):
            if self._sqs is None:
                return
            with translated_errors():
                received = self._sqs.receive_message(QueueUrl=self._queue, MaxNumberOfMessages=10)
            node = JsonNode(received).get("Messages")
            messages = [] if node is None else node.items()
            for message in messages:
                yield from queued_events(message)
            if not messages:
                return

    def acknowledge(self, event: PlatformEvent) -> None:
        """Delete a message from the queue, or confirm a subscription of SNS."""
        if event.handle is None:
            return
        with translated_errors():
            if (event.id or "").startswith(CONFIRM) and self._sns is not None:
                topic, _, token = event.handle.partition(" ")
                self._sns.confirm_subscription(TopicArn=topic, Token=token)
            elif self._sqs is not None:
                self._sqs.delete_message(QueueUrl=self._queue, ReceiptHandle=event.handle)

    def _submissions(self, offer: str) -> list[Submission]:
        pages = self._mturk.get_paginator("list_assignments_for_hit")
        statuses = list(_STAGES)
        submissions = []
        for page in pages.paginate(HITId=offer, AssignmentStatuses=statuses, MaxResults=100):
            for assignment in JsonNode(page)["Assignments"].items():
                answer = assignment.get("Answer")
                fields = {} if answer is None else fields_in(answer.text())
                stage = _STAGES[assignment["AssignmentStatus"].identifier()]
                # An empty one where it is missing, and not None: our page always sends one.
                receipt = fields.get("receipt") or fields.get("completion_code") or ""
                session = assignment["AssignmentId"].identifier()
                worker = assignment["WorkerId"].identifier()
                submissions.append(Submission(session, worker, stage, offer, receipt))
        return submissions

    # -- decisions ------------------------------------------------------------------------------

    def accept(self, submission: Submission, attempt: CommandAttempt) -> None:
        """Approve; MTurk may have done so automatically."""
        with translated_errors():
            try:
                self._mturk.approve_assignment(AssignmentId=submission.session)
            except self._mturk.exceptions.RequestError:
                if self._status(submission) != "Approved":
                    raise

    def reject(self, submission: Submission, reason: str, attempt: CommandAttempt) -> None:
        """Reject with a reason; that it was rejected before is a success."""
        with translated_errors():
            try:
                self._mturk.reject_assignment(
                    AssignmentId=submission.session, RequesterFeedback=reason
                )
            except self._mturk.exceptions.RequestError:
                if self._status(submission) != "Rejected":
                    raise

    def _status(self, submission: Submission) -> str:
        response = self._mturk.get_assignment(AssignmentId=submission.session)
        return identifier_in(response["Assignment"], "AssignmentStatus")

    def bonus(
        self, submission: Submission, amount: int, reason: str, attempt: CommandAttempt
    ) -> None:
        """Send a bonus, unless an earlier attempt or another process has sent it."""
        with translated_errors():
            if self._has_bonus(submission, attempt):
                return
            attempt.fence()
            try:
                self._mturk.send_bonus(
                    WorkerId=submission.worker,
                    AssignmentId=submission.session,
                    BonusAmount=f"{amount // 100}.{amount % 100:02d}",
                    Reason=f"{reason} ({attempt.idempotency_key})",
                    UniqueRequestToken=attempt.idempotency_key,
                )
            except self._mturk.exceptions.RequestError:
                # The answer may have been lost, and boto3 have repeated the call by itself.
                if not self._has_bonus(submission, attempt):
                    raise

    def _has_bonus(self, submission: Submission, attempt: CommandAttempt) -> bool:
        pages = self._mturk.get_paginator("list_bonus_payments")
        return any(
            attempt.idempotency_key in payment["Reason"].text()
            for page in pages.paginate(AssignmentId=submission.session)
            for payment in JsonNode(page)["BonusPayments"].items()
        )

    def keep_away(self, worker: str, attempt: CommandAttempt) -> None:
        """Assign the qualification that hides the study's HITs, without notifying the worker."""
        qualification = attempt.resources.get(QUALIFICATION)
        if qualification is None:
            raise PlatformRefused("nothing was published yet from which to keep anyone away")
        with translated_errors():
            self._mturk.associate_qualification_with_worker(
                QualificationTypeId=qualification,
                WorkerId=worker,
                IntegerValue=1,
                SendNotification=False,
            )
