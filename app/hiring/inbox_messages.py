"""Messages of the inbox: each is processed by itself, and after some failures a dead letter."""

import logging
from collections.abc import Callable

from nextpair.app.errors import LeadershipLost, PlatformDenied, PlatformUnreachable
from nextpair.app.hiring.outbox import ActivityEvent, record_activity
from nextpair.app.hiring.platform_events import parse_event
from nextpair.app.hiring.redaction import redacted_trace
from nextpair.app.platforms.messages import PlatformEvent
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.storage import hirings
from nextpair.storage.errors import Unavailable
from nextpair.storage.hiring_rows import HiringRow, InboxMessage

log = logging.getLogger("nextpair")

DEAD_LETTER = "a message of the platform could not be taken in, and was set aside"
_NOT_THE_MESSAGES_FAULT = (LeadershipLost, PlatformDenied, PlatformUnreachable, Unavailable)


def process_messages(
    service: ServiceContext, hiring: HiringRow, process: Callable[[PlatformEvent], None], now: float
) -> None:
    """Process the pending messages of a study; one that fails several times is set aside."""
    with service.database.read() as connection:
        messages = hirings.pending_messages(connection, hiring.study_id)
    for message in messages:
        try:
            process(parse_event(message.content))
        except _NOT_THE_MESSAGES_FAULT:
            raise
        except Exception as error:
            # Whatever it is: other messages, and other studies, must not suffer from it.
            _record_failure(service, hiring, message, error, now)
            continue
        with service.database.write() as connection:
            hirings.mark_processed(connection, hiring.study_id, message.name, now)


def record_processed(service: ServiceContext, study_id: int, name: str, now: float) -> None:
    """Store that an event was processed, so that a second delivery of it is ignored."""
    with service.database.write() as connection:
        hirings.add_message(connection, InboxMessage(study_id, name, {}, now, now))


def _record_failure(
    service: ServiceContext, hiring: HiringRow, message: InboxMessage, error: Exception, now: float
) -> None:
    with service.database.write() as connection:
        if not hirings.record_failure(connection, hiring.study_id, message.name):
            return
        record_activity(connection, hiring, ActivityEvent.SET_ASIDE, message.name, DEAD_LETTER, now)
    extra = {"study": hiring.study_id, "platform": hiring.platform, "error": redacted_trace(error)}
    log.error(DEAD_LETTER, extra=extra)
