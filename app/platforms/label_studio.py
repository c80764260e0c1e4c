"""Label Studio: batches of pairs in a project of its Pairwise template."""

import hmac
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from xml.sax.saxutils import quoteattr

from pydantic import Field, SecretStr

from nextpair.app.errors import BadArrival, BadNotice
from nextpair.app.field_types import Line
from nextpair.app.platforms import base
from nextpair.app.platforms.accounts.label_studio import (
    SECRET_HEADER,
    LabelStudioAccount,
    answer_in,
    data_of,
)
from nextpair.app.platforms.accounts.payloads import parse
from nextpair.app.platforms.base import Account, Platform, QuestionDisplay
from nextpair.app.platforms.messages import Arrival, Offer, PlatformEvent, Price, Webhook

_ANSWERS = ("ANNOTATION_CREATED", "ANNOTATION_UPDATED")


class LabelStudioAccess(base.Access):
    """The server's address, and the token to it."""

    url: str = "http://127.0.0.1:8080"
    token: SecretStr = SecretStr("")
    scheme: str = Field("Token", description="before the token: Token, or Bearer for new ones")
    hook_secret: SecretStr = Field(SecretStr(""), description="without it, no webhooks")


class LabelStudio(Platform):
    """Fill a project with pairs; its annotators answer there, and are paid elsewhere or not."""

    name: ClassVar[str] = "label-studio"
    Access: ClassVar[type[base.Access]] = LabelStudioAccess
    hires: ClassVar[bool] = True
    question_display: ClassVar[QuestionDisplay] = QuestionDisplay.TASKS
    # Each batch is one offer, so that the next one follows as soon as it is answered.
    max_places: ClassVar[int] = 1

    title: Line = Field("", description="of the project; left out, the study's")
    question: Line = "Which is better?"
    equal: Line = Field("Both equally good", description="the name of a tie")

    def identify(self, query: Mapping[str, str], access: LabelStudioAccess) -> Arrival:
        """Admit nobody: questions are answered in Label Studio."""
        raise BadArrival("this study is judged in Label Studio")

    @property
    def hands_in(self) -> bool:
        """No: nobody has a session here."""
        return False

    def price(self, offer: Offer) -> Price:
        """Return nothing: Label Studio pays nobody."""
        return Price(0, 0)

    def plan(self, offer: Offer) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """List the calls that publishing makes."""
        tasks = {"tasks": [data_of(task, offer.number) for task in offer.tasks]}
        return [
            ("POST api/projects/", self.project(offer, "…")),
            ("POST api/projects/(of POST api/projects/)/import", tasks),
        ]

    def project(self, offer: Offer, mark: str) -> dict[str, Any]:
        """Return the definition of the project."""
        return {
            "title": (self.title or offer.title or offer.study)[:50],
            "description": f"nextpair {mark}",
            "expert_instruction": offer.instructions,
            "show_instruction": bool(offer.instructions),
            "maximum_annotations": 1,
            "label_config": self.config(offer.ties_allowed),
        }

    def config(self, ties: bool) -> str:
        """Write the template: two texts to choose from, and a box for ties."""
        tie = (
            '<Choices name="tie" toName="text1" choice="single-radio" required="false">'
            f'<Choice value={quoteattr(self.equal)} alias="equal"/></Choices>'
        )
        return (
            f'<View><Header value={quoteattr(self.question)}/><Text name="topic" value="$topic"/>'
            '<Pairwise name="pw" toName="text1,text2"/>'
            '<Text name="text1" value="$text_a"/><Text name="text2" value="$text_b"/>'
            f"{tie if ties else ''}</View>"
        )

    def open(self, access: LabelStudioAccess) -> Account:
        """Connect."""
        return LabelStudioAccount(self, access)

    def read_webhook(self, webhook: Webhook, access: LabelStudioAccess) -> Sequence[PlatformEvent]:
        """Read a webhook; Label Studio signs none, so a header has a secret of ours."""
        headers = {name.lower(): value for name, value in webhook.headers.items()}
        secret = access.hook_secret.get_secret_value()
        given = headers.get(SECRET_HEADER.lower(), "")
        if not secret or not hmac.compare_digest(given.encode(errors="replace"), secret.encode()):
            raise BadNotice("the webhook does not bring the secret it was given")
        content = parse(webhook.body)
        if content["action"].identifier() not in _ANSWERS:
            return []
        annotation = content["annotation"]
        answer = answer_in(annotation, content["task"]["data"])
        updated_at = annotation.get("updated_at")
        version = "" if updated_at is None else updated_at.identifier()
        name = f"{annotation['id'].identifier()}:{version}"
        return [PlatformEvent(name, answers=[answer] if answer else [])]
