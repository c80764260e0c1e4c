"""Domain errors, and the problem document (RFC 9457) each becomes: one table, looked up by MRO.

ServiceError
├── Unauthorized     ├── UnknownStudy       ├── StudyClosed      ├── BadToken
├── Forbidden        ├── UnknownTopic       ├── TopicClosed      │   ├── ExpiredToken
├── RateLimited      ├── UnknownAssignment  ├── WorkerBlocked    │   └── SpentToken
│   ├── TooManyHeavyCalls                   ├── NotYours         ├── AnswerConflict
│   └── TooManyStreams                      ├── TooLateToUndo    └── ContentConflict
├── Overloaded       ├── UnknownWorker      ├── AlreadySkipped
├── HelperLost       └── UnknownKey         └── UndoneTooOften
├── ClientGone
├── TooLarge
├── BadAnswer
├── NoPairs
├── UnknownAggregation
├── BadArrival       ├── BadNotice          ├── NotOffered       ├── PlatformError
│   └── Uninvited    ├── Unfinished         └── LeadershipLost   │   ├── PlatformDenied
├── NotHiring        └── BadSignIn                               │   │
                                                                 │   ├── PlatformUnreachable
                                                                 │   │   ├── KeysUnavailable
                                                                 │   │   └── PlatformMalformed
                                                                 │   └── PlatformRefused
                                                                 │       └── PlatformUncertain
"""

from dataclasses import dataclass

from nextpair.selectors.errors import (
    BadInput,
    NextpairError,
    UnknownDocument,
    UnknownJudgment,
)
from nextpair.storage.errors import (
    AlreadyThere,
    StorageError,
    StorageFull,
    Unavailable,
    WrongSchema,
)


class ServiceError(NextpairError):
    """The service cannot do this."""

    code = "service-error"


class Unauthorized(ServiceError):
    """The call needs a key: send `Authorization: Bearer KEY`."""

    code = "unauthorized"


class Forbidden(ServiceError):
    """The key's scope does not allow this call."""

    code = "forbidden"


class RateLimited(ServiceError):
    """Too many calls were made; try again in a moment.

    Parameters
    ----------
    seconds
        After how long there is room for the next one.
    """

    code = "rate-limited"

    def __init__(self, detail: str = "", seconds: float = 1) -> None:
        super().__init__(*filter(None, (detail,)))
        self.seconds = seconds


class TooManyHeavyCalls(RateLimited):
    """The key has too many reports, rankings or files under way; wait for one to end."""

    code = "too-many-heavy-calls"


class TooManyStreams(RateLimited):
    """The key has too many event streams open; close one first."""

    code = "too-many-streams"


class Overloaded(ServiceError):
    """Too many reports, rankings or files are under way; try again in a few seconds."""

    code = "overloaded"


class HelperLost(ServiceError):
    """The process that computed this has ended; nothing was changed, try again."""

    code = "helper-lost"


class ClientGone(ServiceError):
    """The client has closed the connection; what it asked for is not computed any more."""

    code = "client-gone"


class TooLarge(ServiceError):
    """The request is larger than this installation allows."""

    code = "too-large"


class BadAnswer(ServiceError, BadInput):
    """The answer is not one of the design's."""

    code = "bad-answer"


class NoPairs(ServiceError, BadInput):
    """The study's design shows one document at a time: its documents are not compared."""

    code = "no-pairs"


class UnknownAggregation(ServiceError, BadInput):
    """The design has no such aggregation of answers into scores."""

    code = "unknown-aggregation"


class UnknownStudy(ServiceError):
    """There is no such study."""

    code = "unknown-study"


class UnknownTopic(ServiceError):
    """The study has no such topic."""

    code = "unknown-topic"


class UnknownAssignment(ServiceError):
    """There is no such assignment."""

    code = "unknown-assignment"


class UnknownWorker(ServiceError):
    """The study has no such worker."""

    code = "unknown-worker"


class UnknownKey(ServiceError):
    """There is no such key."""

    code = "unknown-key"


class StudyClosed(ServiceError):
    """The study is closed: it takes no topics, questions or answers."""

    code = "study-closed"


class TopicClosed(ServiceError):
    """The topic is closed: it takes no answers."""

    code = "topic-closed"


class WorkerBlocked(ServiceError):
    """The worker is blocked in this study and gets no questions."""

    code = "worker-blocked"


class NotYours(ServiceError):
    """The assignment is another worker's."""

    code = "not-yours"


class TooLateToUndo(ServiceError):
    """Only the worker's last answer can be taken back, and only for a short while."""

    code = "too-late-to-undo"


class UndoneTooOften(ServiceError):
    """The answer to this question was taken back as often as it can be."""

    code = "undone-too-often"


class AlreadySkipped(ServiceError):
    """The assignment was skipped and is no longer this worker's."""

    code = "already-skipped"


class BadToken(ServiceError):
    """The assignment token was not issued by this service."""

    code = "bad-token"


class ExpiredToken(BadToken):
    """The assignment token has expired."""

    code = "expired-token"


class SpentToken(BadToken):
    """The assignment token has been used: the answer was taken back since, and has a new token."""

    code = "spent-token"


class AnswerConflict(ServiceError):
    """The assignment has been answered otherwise; take that answer back first."""

    code = "answer-conflict"


class ContentConflict(ServiceError):
    """This is there already with other content, or the Idempotency-Key was used before."""

    code = "content-conflict"


class BadArrival(ServiceError, BadInput):
    """The address does not identify the worker: open it from the platform."""

    code = "bad-arrival"


class Uninvited(BadArrival):
    """This study is judged by invitation: ask whoever runs it for a judging link of your own."""

    code = "uninvited"


class BadSignIn(ServiceError):
    """This sign-in address was used before, or is too old: each is good for one time, soon."""

    code = "bad-sign-in"


class BadNotice(ServiceError):
    """What was posted is not from the study's platform."""

    code = "bad-notice"


class Malformed(ServiceError, BadInput):
    """The platform's message does not have the documented form."""

    code = "malformed"


class NotOffered(ServiceError):
    """The study's platform does not support this."""

    code = "not-offered"


class NotHiring(ServiceError):
    """The study has nothing to hire with; its settings must say what is paid, up to what budget."""

    code = "not-hiring"


class Unfinished(ServiceError):
    """The session is not finished: there are questions left."""

    code = "unfinished"


class LeadershipLost(ServiceError):
    """Another process holds the leader lease now, and carries out what this one had begun."""

    code = "overtaken"


class PlatformError(ServiceError):
    """The platform did not do this."""

    code = "platform-error"


class PlatformDenied(PlatformError):
    """The platform does not accept this installation's key."""

    code = "platform-denied"


class PlatformUnreachable(PlatformError):
    """The platform cannot be reached, or is busy."""

    code = "platform-unreachable"


class KeysUnavailable(PlatformUnreachable):
    """The platform has not told the keys to its links yet: open the address again in a moment."""

    code = "keys-unavailable"


class PlatformMalformed(PlatformUnreachable):
    """The platform's response does not have the documented form."""

    code = "platform-malformed"


class PlatformRefused(PlatformError):
    """The platform refuses this one request."""

    code = "platform-refused"


class PlatformUncertain(PlatformRefused):
    """Nobody knows whether the platform has done this, and it is not asked to again."""

    code = "platform-uncertain"


STATUS: dict[type[NextpairError], int] = {
    NextpairError: 500,
    BadInput: 422,
    UnknownDocument: 404,
    UnknownJudgment: 404,
    StorageError: 500,
    Unavailable: 503,
    StorageFull: 507,
    WrongSchema: 503,
    AlreadyThere: 409,
    Unauthorized: 401,
    BadToken: 401,
    SpentToken: 409,
    Forbidden: 403,
    WorkerBlocked: 403,
    NotYours: 403,
    UnknownStudy: 404,
    UnknownTopic: 404,
    UnknownAssignment: 404,
    UnknownWorker: 404,
    UnknownKey: 404,
    StudyClosed: 409,
    TopicClosed: 409,
    TooLateToUndo: 409,
    UndoneTooOften: 409,
    AlreadySkipped: 409,
    AnswerConflict: 409,
    ContentConflict: 409,
    BadNotice: 401,
    BadSignIn: 401,
    Uninvited: 403,
    NotOffered: 409,
    NotHiring: 409,
    Unfinished: 409,
    PlatformError: 502,
    KeysUnavailable: 503,
    TooLarge: 413,
    RateLimited: 429,
    ClientGone: 499,
    Overloaded: 503,
    HelperLost: 503,
}
"""The HTTP status of each error; a subclass without an entry has its parent's."""


@dataclass(frozen=True, slots=True)
class Problem:
    """The fields of a problem document."""

    type: str
    title: str
    status: int
    detail: str


def problem_of(error: NextpairError) -> Problem:
    """Return the problem document of an error; its status is looked up along the MRO."""
    kind = type(error)
    status = next(STATUS[parent] for parent in kind.__mro__ if parent in STATUS)
    return Problem(
        f"urn:nextpair:{kind.code}",
        kind.code.replace("-", " ").capitalize(),
        status,
        str(error),
    )
