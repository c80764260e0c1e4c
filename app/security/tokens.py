"""Signed tokens, which workers hold instead of API keys: for one attempt, or for a session."""

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass

from itsdangerous import BadData, SignatureExpired, TimestampSigner, URLSafeSerializer

from nextpair.app.errors import BadToken, ExpiredToken

PREFIX = "npa_"
SESSION_PREFIX = "nps_"
DAY = 86_400


@dataclass(frozen=True, slots=True)
class AssignmentRef:
    """A reference to an assignment, and to one attempt at it if that matters.

    Parameters
    ----------
    worker_id, issued_at
        Its worker, and when its first token was signed, where the token has these.
    """

    topic_id: int
    number: int
    attempt: int | None = None
    worker_id: int | None = None
    issued_at: float | None = None

    @property
    def id(self) -> str:
        """The public id of the assignment."""
        return f"{self.topic_id}-{self.number}"


class _Timestamps(TimestampSigner):
    """Signs with the time of a clock, as `itsdangerous` lets a subclass do."""

    def __init__(self, secret: str, clock: Callable[[], float]) -> None:
        super().__init__(secret, salt="assignment", digest_method=hashlib.sha256)
        self._clock = clock

    def get_timestamp(self) -> int:
        """Return the time in whole seconds."""
        return int(self._clock())


class TokenSigner:
    """Signs references to assignments, and reads them back.

    Parameters
    ----------
    days
        After how many days a token has expired.
    clock
        Tells the time at which a token is made, and read.
    """

    def __init__(self, secret: str, days: float, clock: Callable[[], float]) -> None:
        self._secret = secret
        self._signer = _Timestamps(secret, clock)
        self._seconds = round(days * DAY)

    def sign(self, ref: AssignmentRef) -> str:
        """Make the token of one attempt; the token of a next attempt expires with the first one."""
        at = ref.issued_at
        signer = self._signer if at is None else _Timestamps(self._secret, lambda: at)
        content = f"{ref.topic_id}-{ref.number}-{ref.attempt}"
        if ref.worker_id is not None:
            content += f"-{ref.worker_id}"
        return PREFIX + signer.sign(content).decode()

    def read(self, token: str) -> AssignmentRef:
        """Return what a token is for."""
        try:
            signed, signed_at = self._signer.unsign(
                token.removeprefix(PREFIX), max_age=self._seconds, return_timestamp=True
            )
        except SignatureExpired:
            raise ExpiredToken() from None
        except BadData:
            raise BadToken() from None
        # Tokens that an earlier version has signed have no worker.
        topic_id, number, attempt, *worker = (int(part) for part in signed.split(b"-"))
        worker_id = worker[0] if worker else None
        return AssignmentRef(topic_id, number, attempt, worker_id, signed_at.timestamp())


@dataclass(frozen=True, slots=True)
class Session:
    """A worker's session in a study, and its limits.

    Parameters
    ----------
    topic
        The only topic they are asked about, if not all.
    count
        The most questions they answer, if that is limited.
    begun_at
        From when on answers count as given in it.
    submission
        The submission at the platform that has sent the worker, if one has.
    quarantine
        The same, while that platform has not confirmed it: never from a token, always looked up.
    """

    study: str
    worker: str
    topic: str | None
    count: int | None
    begun_at: float
    expires_at: float
    submission: int | None = None
    quarantine: int | None = None


class SessionSigner:
    """Signs sessions, and reads them back: they are stateless."""

    def __init__(self, secret: str) -> None:
        self._serializer = URLSafeSerializer(
            secret, salt="session", signer_kwargs={"digest_method": hashlib.sha256}
        )

    def sign(self, session: Session) -> str:
        """Make the token of a session."""
        return SESSION_PREFIX + str(self._serializer.dumps(list(asdict(session).values())))

    def read(self, token: str, now: float) -> Session:
        """Return the session that a token is for."""
        try:
            session = Session(*self._serializer.loads(token.removeprefix(SESSION_PREFIX)))
        except BadData:
            raise BadToken("the session is not one of this installation's") from None
        if session.expires_at <= now:
            raise ExpiredToken("the session has expired: open the page again from where you came")
        return session
