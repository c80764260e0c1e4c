"""Calls to Prolific."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import quote

from nextpair.app.errors import Malformed, PlatformRefused, PlatformUnreachable
from nextpair.app.platforms.accounts.http_caller import Caller
from nextpair.app.platforms.accounts.payloads import MOST_PAGES, Node, identifier_in, parse
from nextpair.app.platforms.base import Account
from nextpair.app.platforms.facts import Deed, News, Offer, OfferStanding, Stage, Submission

PAGE = 100
STUDY, PAYMENT, PAYING, BEFORE = "study", "payment", "paying", "before"
NOTE_SECONDS = 20.0
"""How old the note of a payment may be when it is told: whoever takes over counts from the note."""
TRIES = 3
GROUP, SUBSCRIPTION = "group", "subscription"
EVENT = "submission.status.change"
LEAST_REASON = 100
AT_ONCE_SECONDS = 2.0
"""How long a worker waits until Prolific has said that they are theirs; then they go on unheard."""
_ENDED = ("AWAITING REVIEW", "COMPLETED")
_MORE = (
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
    """Read a submission's status; None of one that tells nothing yet."""
    return _STAGES.get(status.upper().replace("_", " "))


class Describes(Protocol):
    """What the account asks the platform's options."""

    def study(self, offer: Offer, internal_name: str, group: str | None) -> dict[str, Any]:
        """Say what a study at Prolific is."""


class ProlificAccount(Account):
    """A researcher's account."""

    def __init__(
        self,
        platform: Describes,
        access: Any,
        *,
        project: str,
        category: str,
        settling: float,
    ) -> None:
        token = access.token.get_secret_value()
        headers = {"Authorization": f"Token {token}"}
        self._api = Caller("Prolific", access.api, headers, secret=token)
        self._platform = platform
        self._project = project
        self._category = category
        self._settling = settling
        self._workspace = access.workspace
        self._hears = bool(access.hook_secret.get_secret_value() and access.workspace)

    def close(self) -> None:
        """Give back the connections."""
        self._api.close()

    # -- offers ---------------------------------------------------------------------------------

    def publish(self, offer: Offer, deed: Deed) -> str:
        """Make a study, and publish it; each step is looked up before it is taken again."""
        group = self._group(offer, deed)
        if self._hears and offer.news_url and SUBSCRIPTION not in deed.memory:
            self._subscribe(offer, deed, group)
        study = deed.kept.get(STUDY) or self._made_before(deed)
        if study is None:
            told = self._platform.study(offer, deed.token, group)
            study = identifier_in(self._api.call("POST", "studies/", json=told), "id")
        deed.keep({STUDY: study})
        if self._status(study) == "UNPUBLISHED":
            self._move(f"studies/{study}", "PUBLISH")
        return str(study)

    def _status(self, study: str) -> str:
        return identifier_in(self._api.call("GET", f"studies/{study}/"), "status")

    def _results(self, path: str, where: Mapping[str, Any] | None = None) -> list[Node]:
        told = Node(self._api.call("GET", path, params=where))
        return told["results"].items()

    def _made_before(self, deed: Deed) -> str | None:
        """Look for a study that an attempt made before it died, by the name that only we see."""
        if not deed.again:
            return None
        path = f"projects/{self._project}/studies/" if self._project else "studies/"
        for one in self._results(path):
            if one.mapping().get("internal_name") == deed.token:
                return one["id"].identifier()
        return None

    def _group(self, offer: Offer, deed: Deed) -> str | None:
        """Return the group of those who are kept away; it needs a workspace to be in."""
        known = deed.memory.get(GROUP)
        if known is None and self._workspace:
            short = hashlib.sha256(offer.url.encode()).hexdigest()[:8]
            name = f"nextpair {offer.study} {short}"
            known = self._group_named(name)
            deed.remember({**deed.memory, GROUP: known})
        return known

    def _group_named(self, name: str) -> str:
        where = {"workspace_id": self._workspace}
        for one in self._results("participant-groups/", where):
            if one["name"].value == name and not one.mapping().get("is_deleted"):
                return one["id"].identifier()
        told = {**where, "name": name, "description": "Those who are offered nothing more."}
        return identifier_in(self._api.call("POST", "participant-groups/", json=told), "id")

    def _subscribe(self, offer: Offer, deed: Deed, group: str | None) -> None:
        """Ask for webhooks; the secret that they are signed with is the installation's to make."""
        where = {"workspace_id": self._workspace}
        listed = self._results("hooks/subscriptions/", where)
        # One that was never confirmed tells nothing, and what confirms it was told only once.
        mine = (one for one in listed if one["target_url"].value == offer.news_url)
        known = [one for one in mine if one.mapping().get("is_enabled", True)]
        if known:
            name = known[0]["id"].identifier()
        else:
            told = {**where, "event_type": EVENT, "target_url": offer.news_url}
            made = self._api.send("POST", "hooks/subscriptions/", json=told)
            name = _id_in(parse(made.content), offer.news_url)
            confirmed = {"secret": made.headers.get("X-Hook-Secret", "")}
            self._api.call("POST", f"hooks/subscriptions/{name}/", json=confirmed)
        deed.remember({**deed.memory, **({GROUP: group} if group else {}), SUBSCRIPTION: name})

    def expire(self, offer: str, deed: Deed) -> None:
        """Stop a study that is open; who has begun may end."""
        if self._status(offer) in ("ACTIVE", "PAUSED"):
            self._move(f"studies/{offer}", "STOP")

    def _move(self, what: str, action: str, **more: str) -> None:
        self._api.call("POST", f"{what}/transition/", json={"action": action, **more})

    def standing(self, offers: Sequence[str]) -> Iterator[OfferStanding]:
        """Ask for each study: who stops one there, or pauses it, has decided that."""
        for offer in offers:
            study = self._api.call("GET", f"studies/{offer}/")
            status = str(study["status"]).upper().replace("_", " ")
            if status == "PAUSED":
                message = (
                    f"study {offer} is paused at Prolific: it goes on when it is started there"
                )
                yield OfferStanding(offer, is_open=True, by_person=True, message=message)
            elif status in _ENDED:
                yield self._ended(offer, status, int(study["total_available_places"]))
            else:
                yield OfferStanding(offer, is_open=True)

    def _ended(self, offer: str, status: str, places: int) -> OfferStanding:
        stages = [one.stage for one in self._submissions(offer)]
        working = stages.count(Stage.WORKING)
        left = places - sum(one is not Stage.RETURNED for one in stages)
        if left > 0:
            message = f"study {offer} was stopped at Prolific, with {left} of {places} places left"
            return OfferStanding(
                offer, is_open=False, by_person=True, message=message, working=working
            )
        # All places are taken: whoever gives one back opens it to another.
        return OfferStanding(offer, is_open=status == "AWAITING REVIEW", working=working)

    # -- news -----------------------------------------------------------------------------------

    def session(self, session: str) -> Submission | None:
        """Ask for one submission."""
        try:
            path = f"submissions/{quote(session, safe='')}/"
            found = Node(self._api.call("GET", path, timeout=AT_ONCE_SECONDS))
        except PlatformRefused:
            return None
        stage = stage_of(found["status"].identifier()) or Stage.WORKING
        worker = (found.get("participant") or found["participant_id"]).identifier()
        study = found["study_id"].identifier()
        return Submission(found["id"].identifier(), worker, stage, study)

    def poll(self, offers: Sequence[str], memory: Mapping[str, Any]) -> Iterator[News]:
        """Ask for the submissions of each study."""
        for offer in offers:
            yield News(submissions=list(self._submissions(offer)))

    def _submissions(self, offer: str) -> Iterator[Submission]:
        for page in range(1, MOST_PAGES + 1):
            found = self._results("submissions/", {"study": offer, "page": page, "page_size": PAGE})
            for one in found:
                stage = stage_of(one["status"].identifier())
                if stage is not None:
                    who = one["participant_id"].identifier()
                    yield Submission(one["id"].identifier(), who, stage, offer)
            if len(found) < PAGE:
                return

    # -- decisions ------------------------------------------------------------------------------

    def accept(self, submission: Submission, deed: Deed) -> None:
        """Approve; Prolific takes the same once more as done, and approves by itself in time."""
        self._decide(submission, Stage.ACCEPTED, "APPROVE")

    def reject(self, submission: Submission, reason: str, deed: Deed) -> None:
        """Reject, with as many words as Prolific asks for."""
        message = reason if len(reason) >= LEAST_REASON else f"{reason} {_MORE}"
        about = {"message": message, "rejection_category": self._category}
        self._decide(submission, Stage.REJECTED, "REJECT", **about)

    def _decide(self, submission: Submission, stage: Stage, action: str, **more: str) -> None:
        try:
            self._move(f"submissions/{submission.session}", action, **more)
        except PlatformRefused:
            if stage_of(self._detail(submission)["status"].identifier()) is not stage:
                raise

    def _detail(self, submission: Submission) -> Node:
        return Node(self._api.call("GET", f"submissions/{submission.session}/"))

    def bonus(self, submission: Submission, amount: int, reason: str, deed: Deed) -> None:
        """Set up a bonus, and pay it: once, for Prolific would pay it each time it is told to.

        That it is being paid is kept before it is told. Where nobody knows whether that came to
        pass, the submission's own list of bonuses tells, once there was time to pay it. A process
        may sleep between any two steps while another one takes over and pays: so right before it is
        told, the list is read again, and this process must still lead with a note that is fresh.
        """
        paid = self._paid(submission)
        if PAYING in deed.kept:
            if paid > deed.kept[BEFORE]:
                return
            if deed.now - deed.kept[PAYING] < self._settling:
                raise PlatformUnreachable("Prolific may be paying a bonus: to be seen soon")
        payment = deed.kept.get(PAYMENT) or self._set_up(submission, amount)
        deed.keep({PAYMENT: payment})
        for _ in range(TRIES):
            noted = deed.fence()
            deed.keep({PAYMENT: payment, PAYING: noted, BEFORE: paid})
            if self._paid(submission) > paid:
                return
            if deed.fence() - noted <= NOTE_SECONDS:
                self._api.call("POST", f"bulk-bonus-payments/{payment}/pay/")
                return
        raise PlatformUnreachable("Prolific takes too long to tell what it has paid")

    def _paid(self, submission: Submission) -> int:
        """Count the bonuses that Prolific lists."""
        listed = self._detail(submission).get("bonus_payments")
        return 0 if listed is None else len(listed.items())

    def _set_up(self, submission: Submission, amount: int) -> str:
        study = submission.offer or self._detail(submission)["study_id"].identifier()
        line = f"{submission.session},{amount // 100}.{amount % 100:02d}\n"
        told = {"study_id": study, "csv_bonuses": line}
        return identifier_in(self._api.call("POST", "submissions/bonus-payments/", json=told), "id")

    def keep_away(self, worker: str, deed: Deed) -> None:
        """Put a worker into the group that the study's offers leave out."""
        group = deed.memory.get(GROUP)
        if group is None:
            raise PlatformRefused(
                "to keep workers away, name the Prolific workspace (…__WORKSPACE)"
            )
        told = {"participant_ids": [worker]}
        self._api.call("POST", f"participant-groups/{group}/participants/", json=told)


def _id_in(made: Node, url: str) -> str:
    """Find the subscription, which is told alone or in a list."""
    listed = made.get("results")
    for one in [made] if listed is None else listed.items():
        if one.mapping().get("target_url") == url:
            return one["id"].identifier()
    raise Malformed("the webhook that was asked for is not among those that are told")
