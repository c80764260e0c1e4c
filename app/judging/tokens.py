"""Assignment tokens: what workers carry instead of keys, good for one attempt each."""

import hashlib
from dataclasses import dataclass

from itsdangerous import BadData, SignatureExpired, URLSafeTimedSerializer

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
        self._serializer = URLSafeTimedSerializer(
            secret, salt="assignment", signer_kwargs={"digest_method": hashlib.sha256}
        )
        self._seconds = days * DAY

    def sign(self, topic_id: int, number: int, attempt: int) -> str:
        """Make the token of one attempt."""
        signed = self._serializer.dumps([topic_id, number, attempt])
        return PREFIX + (signed if isinstance(signed, str) else signed.decode())

    def read(self, token: str) -> AssignmentRef:
        """Return what a token is for."""
        try:
            topic_id, number, attempt = self._serializer.loads(
                token.removeprefix(PREFIX), max_age=round(self._seconds)
            )
        except SignatureExpired:
            raise ExpiredToken() from None
        except BadData:
            raise BadToken() from None
        return AssignmentRef(topic_id, number, attempt)
