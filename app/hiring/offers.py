"""Offers: as many places as the demand needs and the budget reservation allows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from nextpair.app.errors import NotHiring, NotOffered
from nextpair.app.hiring.outbox import CommandKind, enqueue
from nextpair.app.platforms.base import QuestionDisplay
from nextpair.app.platforms.messages import Offer
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.studies.study import Study
from nextpair.storage import offers, outbox, topics
from nextpair.storage.database import Connection
from nextpair.storage.hiring_rows import (
    BudgetUse,
    HiringRow,
    OfferRow,
    OfferState,
    SubmissionRow,
    SubmissionState,
)

ON_OFFER = (OfferState.INTENDED, OfferState.OPEN)


@dataclass(frozen=True, slots=True)
class Demand:
    """A forecast of the questions that a study still needs answered.

    Parameters
    ----------
    low, expected, high
        None where the study's selector gives no forecast.
    """

    finished: bool
    low: float | None = None
    expected: float | None = None
    high: float | None = None


def remaining_demand(service: ServiceContext, study_id: int) -> Demand:
    """Forecast what is left to be asked in a study."""
    with service.database.read() as connection:
        versions = topics.topic_versions(connection, study_id)
    finished, complete = True, True
    low = expected = high = 0.0
    for topic_id, _ in versions:
        with service.projection_of(topic_id) as projection:
            if projection.state.finished:
                continue
            finished = False
            forecast = projection.state.forecast()
        if forecast is None:
            complete = False
        else:
            low, high = low + forecast.low, high + forecast.high
            expected += forecast.expected
    return Demand(finished, low, expected, high) if complete else Demand(finished)


def sessions_for(study: Study, questions: float) -> int:
    """Convert questions into sessions; some questions of a session only check the worker."""
    quality, size = study.settings.quality, study.settings.hiring.questions or 1
    checks = (quality.traps + quality.repeats) / quality.batch if quality.checks else 0.0
    useful = size * max(0.05, (1 - checks) * (1 - quality.audits))
    return math.ceil(questions / useful - 1e-9)


def check_can_hire(service: ServiceContext, study: Study) -> None:
    """Raise unless a study's settings have everything that hiring needs."""
    rules = study.settings.hiring
    if not study.platform.hires:
        raise NotOffered(f"platform {study.settings.platform!r} only sends people; it hires nobody")
    if not service.settings.public_url:
        raise NotHiring("NEXTPAIR_PUBLIC_URL must say where workers reach this service")
    if study.platform.question_display is QuestionDisplay.PAGE and rules.questions is None:
        raise NotHiring("hiring.questions must say how many questions a session has")
    tasks = study.platform.question_display is QuestionDisplay.TASKS
    if not rules.budget and (rules.reward or not tasks):
        raise NotHiring("hiring.budget must say what may be spent, in cents")
    if tasks and (study.settings.design != "preference" or study.settings.quality.checks):
        raise NotHiring(
            f"platform {study.settings.platform!r} shows the questions itself: the design must be "
            "'preference', and checks are the platform's own"
        )


def draft_offer(service: ServiceContext, study: Study, number: int, places: int) -> Offer:
    """Make an offer of a number of sessions from the study's settings."""
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
        webhook_url=f"{address}/v1/studies/{name}/news/{service.receipts.webhook_secret(study.id)}",
        ties_allowed=settings.ties,
    )


def budget_use(connection: Connection, study_id: int) -> BudgetUse:
    """Return how much of its budget a study has spent and has reserved."""
    return BudgetUse(
        outbox.spent(connection, study_id), offers.reserved_budget(connection, study_id)
    )


def place_prices(study: Study, offer: Offer) -> tuple[int, int]:
    """Return the price of one place of an offer, and of its bonus, both with fees."""
    total = study.platform.price(offer).total
    bonus = study.settings.hiring.bonus
    each = -(-total // offer.places)
    return each, study.platform.bonus_price(bonus).total if bonus else 0


def places_to_offer(
    study: Study,
    demand: Demand,
    all_offers: Sequence[OfferRow],
    submissions: Sequence[SubmissionRow],
    affordable: int,
) -> int:
    """Return how many more sessions to offer now.

    Parameters
    ----------
    all_offers, submissions
        The study's offers, and its submissions that their platform has confirmed.
    affordable
        How many sessions the budget still allows.
    """
    rules = study.settings.hiring
    wanted = rules.at_once
    if demand.expected is not None:
        wanted = min(wanted, max(1, sessions_for(study, demand.expected)))
    waiting = _waiting_places(all_offers, submissions)
    # To fill up one place at a time would make many offers of one place each.
    if demand.finished or waiting > wanted // 2:
        return 0
    if rules.sessions is not None:
        affordable = min(affordable, rules.sessions - _used_places(all_offers, submissions))
    return max(0, min(wanted - waiting, affordable))


def _waiting_places(all_offers: Sequence[OfferRow], submissions: Sequence[SubmissionRow]) -> int:
    """Count the open places: not taken yet, or not handed in yet."""
    on_offer = {offer.id for offer in all_offers if offer.state in ON_OFFER}
    still_open = (SubmissionState.WORKING, SubmissionState.RETURNED, SubmissionState.LAPSED)
    filled = sum(
        submission.offer_id in on_offer and submission.state not in still_open
        for submission in submissions
    )
    return sum(offer.places for offer in all_offers if offer.id in on_offer) - filled


def _used_places(all_offers: Sequence[OfferRow], submissions: Sequence[SubmissionRow]) -> int:
    """Count the sessions of ended offers, and all places of those on offer."""
    on_offer = {offer.id for offer in all_offers if offer.state in ON_OFFER}
    earlier = sum(
        submission.offer_id is not None
        and submission.offer_id not in on_offer
        and submission.state not in (SubmissionState.RETURNED, SubmissionState.LAPSED)
        for submission in submissions
    )
    return earlier + sum(offer.places for offer in all_offers if offer.id in on_offer)


def affordable_places(
    service: ServiceContext, connection: Connection, study: Study, demand: Demand
) -> int:
    """Return how many more sessions to offer now within the budget."""
    all_offers = offers.list_offers(connection, study.id)
    submissions = offers.confirmed_submissions(connection, study.id)
    each = sum(place_prices(study, draft_offer(service, study, 1, 1)))
    unreserved = study.settings.hiring.budget - budget_use(connection, study.id).committed
    return places_to_offer(
        study, demand, all_offers, submissions, unreserved // each if each else 10**6
    )


def next_number(connection: Connection, study_id: int) -> int:
    """Return the number of a study's next offer."""
    all_offers = offers.list_offers(connection, study_id)
    return max((offer.number for offer in all_offers), default=0) + 1


def enqueue_offers(
    service: ServiceContext,
    connection: Connection,
    hiring: HiringRow,
    study: Study,
    demand: Demand,
    now: float,
    *,
    max_places: int = 10**6,
) -> int:
    """Enqueue the offers that are needed now, within the budget; return how many sessions."""
    wanted = min(max_places, affordable_places(service, connection, study, demand))
    number = next_number(connection, study.id)
    for index, places in enumerate(split_places(wanted, study.platform.max_places)):
        offer = draft_offer(service, study, number + index, places)
        _enqueue_offer(connection, hiring, study, offer, now)
    return wanted


def split_places(places: int, max_places: int) -> list[int]:
    """Split a number of places into offers of at most `max_places`.

    >>> split_places(20, 9)
    [9, 9, 2]
    """
    return [min(max_places, places - done) for done in range(0, places, max_places)]


def _enqueue_offer(
    connection: Connection, hiring: HiringRow, study: Study, offer: Offer, now: float
) -> None:
    price, bonus_price = place_prices(study, offer)
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
    enqueue(connection, hiring, CommandKind.PUBLISH, offer.number, now, offer_id=row.id)


def enqueue_expiries(connection: Connection, hiring: HiringRow, now: float) -> None:
    """Enqueue the end of every open offer."""
    for row in offers.list_offers(connection, hiring.study_id):
        if row.state == OfferState.OPEN:
            enqueue(connection, hiring, CommandKind.EXPIRE, row.number, now, offer_id=row.id)
