"""What to offer: as much as the work needs, and no more than the budget bears."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from nextpair.app.errors import NotHiring, NotOffered
from nextpair.app.hiring.outbox import Kind, intend
from nextpair.app.platforms.base import Shows
from nextpair.app.platforms.facts import Offer
from nextpair.app.runtime.service import Service
from nextpair.app.studies.study import Study
from nextpair.storage import offers, outbox, topics
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import (
    HiringRow,
    Money,
    OfferRow,
    OfferState,
    SubmissionRow,
    SubmissionState,
)

ON_OFFER = (OfferState.INTENDED, OfferState.OPEN)


@dataclass(frozen=True, slots=True)
class Work:
    """What a study still needs of its workers, in questions.

    Parameters
    ----------
    low, expected, high
        None where the study's selector cannot tell.
    """

    finished: bool
    low: float | None = None
    expected: float | None = None
    high: float | None = None


def work_left(service: Service, study_id: int) -> Work:
    """Say what is left to be asked in a study."""
    with service.database.read() as connection:
        found = topics.topic_versions(connection, study_id)
    finished, known = True, True
    low = expected = high = 0.0
    for topic_id, _ in found:
        with service.look(topic_id) as live:
            if live.state.finished:
                continue
            finished = False
            forecast = live.state.forecast()
        if forecast is None:
            known = False
        else:
            low, high = low + forecast.low, high + forecast.high
            expected += forecast.expected
    return Work(finished, low, expected, high) if known else Work(finished)


def sessions_for(study: Study, questions: float) -> int:
    """Say how many sessions so many questions are: a session has some that check the worker."""
    quality, size = study.settings.quality, study.settings.hiring.questions or 1
    checks = (quality.traps + quality.repeats) / quality.batch if quality.checks else 0.0
    useful = size * max(0.05, (1 - checks) * (1 - quality.audits))
    return math.ceil(questions / useful - 1e-9)


def check_hires(service: Service, study: Study) -> None:
    """Raise unless a study's settings say all that is needed to hire."""
    rules = study.settings.hiring
    if not study.platform.hires:
        raise NotOffered(f"platform {study.settings.platform!r} only sends people; it hires nobody")
    if not service.settings.public_url:
        raise NotHiring("NEXTPAIR_PUBLIC_URL must say where workers reach this service")
    if study.platform.shows is Shows.PAGE and rules.questions is None:
        raise NotHiring("hiring.questions must say how many questions a session has")
    tasks = study.platform.shows is Shows.TASKS
    if not rules.budget and (rules.reward or not tasks):
        raise NotHiring("hiring.budget must say what may be spent, in cents")
    if tasks and (study.settings.design != "preference" or study.settings.quality.checks):
        raise NotHiring(
            f"platform {study.settings.platform!r} shows the questions itself: the design must be "
            "'preference', and checks are the platform's own"
        )


def draft(service: Service, study: Study, number: int, places: int) -> Offer:
    """Say what an offer of so many sessions is."""
    settings = study.settings
    address, name = service.settings.public_url.rstrip("/"), quote(study.name, safe="")
    return Offer(
        study.name,
        number,
        settings.title or study.name,
        settings.instructions,
        f"{address}/judge/{name}/enter",
        places,
        settings.hiring.questions or 1,
        settings.hiring.reward,
        settings.hiring.currency,
        news_url=f"{address}/v1/studies/{name}/news/{service.receipts.hook_word(study.id)}",
        ties=settings.ties,
    )


def money(connection: Connection, study_id: int) -> Money:
    """Say what a study has spent, and may still have to."""
    return Money(outbox.spent(connection, study_id), offers.reserved(connection, study_id))


def prices(study: Study, offer: Offer) -> tuple[int, int]:
    """Return what one place of an offer costs, and its bonus, both with fees."""
    total = study.platform.price(offer).total
    bonus = study.settings.hiring.bonus
    each = -(-total // offer.places)
    return each, study.platform.bonus_price(bonus).total if bonus else 0


def places_wanted(
    study: Study, work: Work, made: Sequence[OfferRow], came: Sequence[SubmissionRow], left: int
) -> int:
    """Say how many more sessions to offer now.

    Parameters
    ----------
    made, came
        The study's offers, and the submissions of them that their platform has confirmed.
    left
        How many sessions the budget still bears.
    """
    rules = study.settings.hiring
    wanted = rules.at_once
    if work.expected is not None:
        wanted = min(wanted, max(1, sessions_for(study, work.expected)))
    waiting = _waiting(made, came)
    # A few at a time would be many offers of one place each.
    if work.finished or waiting > wanted // 2:
        return 0
    if rules.sessions is not None:
        left = min(left, rules.sessions - _taken(made, came))
    return max(0, min(wanted - waiting, left))


def _waiting(made: Sequence[OfferRow], came: Sequence[SubmissionRow]) -> int:
    """Count the places that wait for someone, or for someone to end."""
    on_offer = {one.id for one in made if one.state in ON_OFFER}
    ended = (SubmissionState.WORKING, SubmissionState.RETURNED, SubmissionState.LAPSED)
    over = sum(one.offer_id in on_offer and one.state not in ended for one in came)
    return sum(one.places for one in made if one.id in on_offer) - over


def _taken(made: Sequence[OfferRow], came: Sequence[SubmissionRow]) -> int:
    """Count the sessions there were, are, or may still be."""
    on_offer = {one.id for one in made if one.state in ON_OFFER}
    gone = sum(
        one.offer_id is not None
        and one.offer_id not in on_offer
        and one.state not in (SubmissionState.RETURNED, SubmissionState.LAPSED)
        for one in came
    )
    return gone + sum(one.places for one in made if one.id in on_offer)


def places_now(service: Service, connection: Connection, study: Study, work: Work) -> int:
    """Say how many more sessions to offer now, and can be paid for."""
    made = offers.list_offers(connection, study.id)
    came = offers.confirmed_of(connection, study.id)
    each = sum(prices(study, draft(service, study, 1, 1)))
    free = study.settings.hiring.budget - money(connection, study.id).committed
    return places_wanted(study, work, made, came, free // each if each else 10**6)


def next_number(connection: Connection, study_id: int) -> int:
    """Return the number of a study's next offer."""
    made = offers.list_offers(connection, study_id)
    return max((one.number for one in made), default=0) + 1


def offer_more(
    service: Service,
    connection: Connection,
    hiring: HiringRow,
    study: Study,
    work: Work,
    now: float,
    *,
    most: int = 10**6,
) -> int:
    """Write down the offers that are needed now, within the budget; say how many sessions."""
    wanted = min(most, places_now(service, connection, study, work))
    number = next_number(connection, study.id)
    for more, places in enumerate(split(wanted, study.platform.most_places)):
        offer = draft(service, study, number + more, places)
        _add(connection, hiring, study, offer, now)
    return wanted


def split(places: int, most: int) -> list[int]:
    """Cut a number into parts of at most so many.

    >>> split(20, 9)
    [9, 9, 2]
    """
    return [min(most, places - done) for done in range(0, places, most)]


def _add(connection: Connection, hiring: HiringRow, study: Study, offer: Offer, now: float) -> None:
    price, bonus_price = prices(study, offer)
    row = offers.add_offer(
        connection,
        {
            "study_id": study.id,
            "platform": hiring.platform,
            "number": offer.number,
            "places": offer.places,
            "questions": offer.questions,
            "reward": offer.reward,
            "bonus": study.settings.hiring.bonus,
            "price": price,
            "bonus_price": bonus_price,
            "state": OfferState.INTENDED,
            "reference": None,
            "created_at": now,
        },
    )
    intend(connection, hiring, Kind.PUBLISH, offer.number, now, offer_id=row.id)


def withdraw(connection: Connection, hiring: HiringRow, now: float) -> None:
    """Write down that everything on offer is to end."""
    for row in offers.list_offers(connection, hiring.study_id):
        if row.state == OfferState.OPEN:
            intend(connection, hiring, Kind.EXPIRE, row.number, now, offer_id=row.id)
