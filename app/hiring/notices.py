"""Notices of platforms: each is taken in by itself, and set aside if that fails again and again."""

import logging
from collections.abc import Callable

from nextpair.app.errors import Overtaken, PlatformDenied, PlatformUnreachable
from nextpair.app.hiring.fault_descriptions import describe
from nextpair.app.hiring.outbox import Note, note
from nextpair.app.hiring.platform_events import read_news
from nextpair.app.platforms.facts import News
from nextpair.app.runtime.service import Service
from nextpair.storage import hirings
from nextpair.storage.errors import Unavailable
from nextpair.storage.hiring_rows import HiringRow, NoticeRow

log = logging.getLogger("nextpair")

SET_ASIDE = "a message of the platform could not be taken in, and was set aside"
_NOT_ITS_FAULT = (Overtaken, PlatformDenied, PlatformUnreachable, Unavailable)


def take_notices(
    service: Service, hiring: HiringRow, take: Callable[[News], None], now: float
) -> None:
    """Take in what was told in between; what cannot be is tried some times, and then set aside."""
    with service.database.read() as connection:
        rows = hirings.open_notices(connection, hiring.study_id)
    for row in rows:
        try:
            take(read_news(row.content))
        except _NOT_ITS_FAULT:
            raise
        except Exception as error:
            # Whatever it is: other notices, and other studies, must not suffer from it.
            _failed(service, hiring, row, error, now)
            continue
        with service.database.write() as connection:
            hirings.close_notice(connection, hiring.study_id, row.name, now)


def keep_heard(service: Service, study_id: int, name: str, now: float) -> None:
    """Keep in mind that something was taken in which the platform may tell again."""
    with service.database.write() as connection:
        hirings.add_notice(connection, NoticeRow(study_id, name, {}, now, now))


def _failed(
    service: Service, hiring: HiringRow, row: NoticeRow, error: Exception, now: float
) -> None:
    with service.database.write() as connection:
        if not hirings.fail_notice(connection, hiring.study_id, row.name):
            return
        note(connection, hiring, Note.SET_ASIDE, row.name, SET_ASIDE, now)
    extra = {"study": hiring.study_id, "platform": hiring.platform, "error": describe(error)}
    log.error(SET_ASIDE, extra=extra)
