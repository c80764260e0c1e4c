"""Calls to MTurk, by boto3."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nextpair.app.errors import PlatformDenied, PlatformRefused
from nextpair.app.platforms.accounts.mturk_errors import translated
from nextpair.app.platforms.accounts.mturk_messages import CONFIRM, fields_in, queued_news
from nextpair.app.platforms.accounts.mturk_types import Describes, Types
from nextpair.app.platforms.accounts.payloads import MOST_PAGES, Node, identifier_in
from nextpair.app.platforms.base import Account
from nextpair.app.platforms.facts import Deed, News, Offer, OfferStanding, Stage, Submission

SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"
TOKEN_SECONDS = 23 * 3600
"""MTurk knows a token for a day; after that only its own lists tell whether something is done."""
QUALIFICATION = "qualification"
_STAGES = {
    "Submitted": Stage.SUBMITTED,
    "Approved": Stage.ACCEPTED,
    "Rejected": Stage.REJECTED,
}


class MTurkAccount(Account):
    """A requester's account."""

    def __init__(
        self, platform: Describes, access: Any, *, sandbox: bool, queue: str, topic: str
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
        with translated():
            self._mturk = session.client("mturk", endpoint_url=endpoint, config=config)
            beside = {"endpoint_url": access.queue_endpoint or None, "config": config}
            self._sqs = session.client("sqs", **beside) if queue else None
            self._sns = session.client("sns", **beside) if topic else None

    def close(self) -> None:
        """Give back the connections."""
        for client in filter(None, (self._mturk, self._sqs, self._sns)):
            client.close()

    # -- offers ---------------------------------------------------------------------------------

    def publish(self, offer: Offer, deed: Deed) -> str:
        """Create a HIT of the study's type; the same token makes it one HIT for ever."""
        types = self._platform.types(offer)
        with translated():
            known = self._found_hit(deed)
            if known:
                return known
            qualification = self._qualification(types, deed)
            made = self._mturk.create_hit_type(**types.hit_type(qualification))
            hit_type = identifier_in(made, "HITTypeId")
            if types.notification:
                self._mturk.update_notification_settings(HITTypeId=hit_type, **types.notification)
            hit = self._platform.hit(offer, hit_type, deed.token)
            return self._created(hit)

    def _created(self, hit: Mapping[str, Any]) -> str:
        try:
            return identifier_in(self._mturk.create_hit_with_hit_type(**hit)["HIT"], "HITId")
        except self._mturk.exceptions.RequestError as error:
            if "HitAlreadyExists" not in str(error.response.get("TurkErrorCode")):
                raise
            found = re.search(r"\b[A-Z0-9]{20,64}\b", str(error))
            known = found[0] if found else self._listed(str(hit["UniqueRequestToken"]))
            if known is None:
                raise
            return known

    def _found_hit(self, deed: Deed) -> str | None:
        """Look for a HIT that an earlier attempt made, where MTurk has forgotten its token."""
        old = deed.again and deed.now - deed.since > TOKEN_SECONDS
        return self._listed(deed.token) if old else None

    def _listed(self, token: str) -> str | None:
        for page in self._mturk.get_paginator("list_hits").paginate():
            for hit in page["HITs"]:
                if hit.get("RequesterAnnotation") == token:
                    return identifier_in(hit, "HITId")
        return None

    def _qualification(self, types: Types, deed: Deed) -> str:
        known = deed.memory.get(QUALIFICATION)
        if known is None:
            known = self._made_qualification(types.qualification)
            deed.remember({QUALIFICATION: known})
        return str(known)

    def _made_qualification(self, wanted: Mapping[str, Any]) -> str:
        # An attempt may have made it and died before it was noted: names are unique.
        known = self._found_qualification(wanted)
        if known is not None:
            return known
        try:
            made = self._mturk.create_qualification_type(**wanted)
            return identifier_in(made["QualificationType"], "QualificationTypeId")
        except self._mturk.exceptions.RequestError:
            known = self._found_qualification(wanted)
            if known is None:
                raise
            return known

    def _found_qualification(self, wanted: Mapping[str, Any]) -> str | None:
        listed = self._mturk.get_paginator("list_qualification_types").paginate(
            Query=wanted["Name"], MustBeRequestable=False, MustBeOwnedByCaller=True
        )
        for page in listed:
            for one in page["QualificationTypes"]:
                if one["Name"] == wanted["Name"]:
                    return identifier_in(one, "QualificationTypeId")
        return None

    def expire(self, offer: str, deed: Deed) -> None:
        """Let a HIT end now."""
        with translated():
            self._mturk.update_expiration_for_hit(HITId=offer, ExpireAt=0)

    def standing(self, offers: Sequence[str]) -> Iterator[OfferStanding]:
        """Ask for each HIT: MTurk ends it by itself, or a person does."""
        for offer in offers:
            with translated():
                yield self._standing(offer)

    def _standing(self, offer: str) -> OfferStanding:
        try:
            hit = self._mturk.get_hit(HITId=offer)["HIT"]
        except self._mturk.exceptions.RequestError as error:
            if "HITDoesNotExist" not in str(error.response.get("TurkErrorCode")):
                raise
            gone = f"HIT {offer} was deleted at MTurk"
            return OfferStanding(offer, is_open=False, by_person=True, message=gone, working=0)
        ends_at = hit["Expiration"].timestamp()
        status, working = hit["HITStatus"], int(hit["NumberOfAssignmentsPending"])
        if status == "Disposed":
            gone = f"HIT {offer} was deleted at MTurk"
            return OfferStanding(
                offer, is_open=False, by_person=True, message=gone, working=working
            )
        return OfferStanding(offer, is_open=True, working=working, ends_at=ends_at)

    # -- news -----------------------------------------------------------------------------------

    def poll(self, offers: Sequence[str], memory: Mapping[str, Any]) -> Iterator[News]:
        """Ask the queue, and then MTurk itself: not all that happens is notified."""
        yield from self._queued()
        for offer in offers:
            with translated():
                submissions = self._submissions(offer)
            yield News(submissions=submissions)

    def _queued(self) -> Iterator[News]:
        for _ in range(MOST_PAGES):
            if self._sqs is None:
                return
            with translated():
                got = self._sqs.receive_message(QueueUrl=self._queue, MaxNumberOfMessages=10)
            told = Node(got).get("Messages")
            messages = [] if told is None else told.items()
            for message in messages:
                yield from queued_news(message)
            if not messages:
                return

    def heard(self, news: News) -> None:
        """Take a message off the queue, or confirm what SNS asks to confirm."""
        if news.handle is None:
            return
        with translated():
            if (news.id or "").startswith(CONFIRM) and self._sns is not None:
                topic, _, token = news.handle.partition(" ")
                self._sns.confirm_subscription(TopicArn=topic, Token=token)
            elif self._sqs is not None:
                self._sqs.delete_message(QueueUrl=self._queue, ReceiptHandle=news.handle)

    def _submissions(self, offer: str) -> list[Submission]:
        pages = self._mturk.get_paginator("list_assignments_for_hit")
        statuses = list(_STAGES)
        found = []
        for page in pages.paginate(HITId=offer, AssignmentStatuses=statuses, MaxResults=100):
            for one in Node(page)["Assignments"].items():
                answer = one.get("Answer")
                fields = {} if answer is None else fields_in(answer.text())
                stage = _STAGES[one["AssignmentStatus"].identifier()]
                # Not None where there is none: our page has sent one along.
                receipt = fields.get("receipt") or fields.get("completion_code") or ""
                who = one["AssignmentId"].identifier(), one["WorkerId"].identifier()
                found.append(Submission(*who, stage, offer, receipt))
        return found

    # -- decisions ------------------------------------------------------------------------------

    def accept(self, submission: Submission, deed: Deed) -> None:
        """Approve; MTurk may have done so by itself meanwhile."""
        with translated():
            try:
                self._mturk.approve_assignment(AssignmentId=submission.session)
            except self._mturk.exceptions.RequestError:
                if self._status(submission) != "Approved":
                    raise

    def reject(self, submission: Submission, reason: str, deed: Deed) -> None:
        """Reject with a reason; that it is rejected already is a success."""
        with translated():
            try:
                self._mturk.reject_assignment(
                    AssignmentId=submission.session, RequesterFeedback=reason
                )
            except self._mturk.exceptions.RequestError:
                if self._status(submission) != "Rejected":
                    raise

    def _status(self, submission: Submission) -> str:
        found = self._mturk.get_assignment(AssignmentId=submission.session)
        return identifier_in(found["Assignment"], "AssignmentStatus")

    def bonus(self, submission: Submission, amount: int, reason: str, deed: Deed) -> None:
        """Send a bonus, unless an earlier attempt did, or another process that took over."""
        with translated():
            if self._has_bonus(submission, deed):
                return
            deed.fence()
            try:
                self._mturk.send_bonus(
                    WorkerId=submission.worker,
                    AssignmentId=submission.session,
                    BonusAmount=f"{amount // 100}.{amount % 100:02d}",
                    Reason=f"{reason} ({deed.token})",
                    UniqueRequestToken=deed.token,
                )
            except self._mturk.exceptions.RequestError:
                # An answer may have been lost, and boto3 have asked once more by itself.
                if not self._has_bonus(submission, deed):
                    raise

    def _has_bonus(self, submission: Submission, deed: Deed) -> bool:
        pages = self._mturk.get_paginator("list_bonus_payments")
        return any(
            deed.token in one["Reason"].text()
            for page in pages.paginate(AssignmentId=submission.session)
            for one in Node(page)["BonusPayments"].items()
        )

    def keep_away(self, worker: str, deed: Deed) -> None:
        """Give a worker the qualification that hides the study's HITs, and do not tell them."""
        known = deed.memory.get(QUALIFICATION)
        if known is None:
            raise PlatformRefused("nothing was published yet from which to keep anyone away")
        with translated():
            self._mturk.associate_qualification_with_worker(
                QualificationTypeId=known, WorkerId=worker, IntegerValue=1, SendNotification=False
            )
