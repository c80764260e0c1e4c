"""Assignment tokens: what workers carry instead of keys, good for one attempt each."""

import hashlib
from dataclasses import dataclass

from itsdangerous import BadData, SignatureExpired, TimestampSigner

from nextpair.app.errors import BadToken, ExpiredToken

PREFIX = "npa_"
DAY = 86_400


@dataclass(frozen=True, slots=True)
class AssignmentRef:
    """Which assignment is meant, and which attempt at it if that matters."""

    topic_id: int
    number: int
    attempt: int | None = None

    @property
    def id(self) -> str:
        """How the outside calls the assignment."""
        return f"{self.topic_id}-{self.number}"


class TokenSigner:
    """Signs references to assignments, and reads them back."""

    def __init__(self, secret: str, days: float) -> None:
        self._signer = TimestampSigner(secret, salt="assignment", digest_method=hashlib.sha256)
        self._seconds = round(days * DAY)

    def sign(self, topic_id: int, number: int, attempt: int) -> str:
        """Make the token of one attempt."""
        return PREFIX + self._signer.sign(f"{topic_id}-{number}-{attempt}").decode()

    def read(self, token: str) -> AssignmentRef:
        """Return what a token is for."""
        try:
            signed = self._signer.unsign(token.removeprefix(PREFIX), max_age=self._seconds)
        except SignatureExpired:
            raise ExpiredToken() from None
        except BadData:
            raise BadToken() from None
        topic_id, number, attempt = (int(part) for part in signed.split(b"-"))
        return AssignmentRef(topic_id, number, attempt)
