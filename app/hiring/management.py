"""Management of hiring: start, pause and stop it, its status, and a plan with its costs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nextpair.app.errors import NotHiring
from nextpair.app.hiring.offers import (
    ON_OFFER,
    Demand,
    budget_use,
    check_can_hire,
    draft_offer,
    place_prices,
    places_to_offer,
    remaining_demand,
    sessions_for,
    split_places,
)
from nextpair.app.hiring.outbox import ActivityEvent, record_activity
from nextpair.app.runtime.service_context import ServiceContext
from nextpair.app.studies.study import Study, read_settings
from nextpair.storage import hirings, offers, studies
from nextpair.storage.hiring_rows import (
    AT_WORK,
    UNDECIDED,
    BudgetUse,
    HiringRow,
    HiringState,
    OfferRow,
    SubmissionRow,
)

BY_HAND = "paused by hand"
UNCONFIRMED = "unconfirmed"
"""How a session at work is counted that the platform has not confirmed."""
_ACTIVITY = {
    HiringState.RUNNING: ActivityEvent.START,
    HiringState.PAUSED: ActivityEvent.PAUSE,
    HiringState.STOPPED: ActivityEvent.STOP,
}


@dataclass(frozen=True, slots=True)
class HiringPlan:
    """What would be published now, and what the whole study may cost.

    Parameters
    ----------
    places
        The sessions of each offer.
    calls
        What would be sent to the platform for the first offer.
    each, bonus
        What a session costs, and its bonus, both with fees.
    sessions
        How many the whole study is forecast to need: low, expected, high; None where its selector
        gives no forecast.
    """

    places: Sequence[int]
    calls: Sequence[tuple[str, Mapping[str, Any]]]
    each: int
    bonus: int
    sessions: tuple[int, int, int] | None
    free: int


def plan_hiring(
    service: ServiceContext, name: str, changes: Mapping[str, Any]
) -> tuple[Study, HiringPlan]:
    """Plan what hiring would create and cost, perhaps with other settings; nothing is changed."""
    study_id = service.study_id(name)
    with service.database.read() as connection:
        study = service.study(connection, study_id)
        all_offers = offers.list_offers(connection, study_id)
        submissions = offers.confirmed_submissions(connection, study_id)
        committed = budget_use(connection, study_id).committed
    if changes:
        settings = study.settings.model_dump(mode="json")
        study = replace(study, settings=read_settings({**settings, **changes}))
    check_can_hire(service, study)
    demand = remaining_demand(service, study_id)
    each, bonus = place_prices(study, draft_offer(service, study, 1, 1))
    unreserved = study.settings.hiring.budget - committed
    wanted = places_to_offer(
        study, demand, all_offers, submissions, unreserved // (each + bonus or 1)
    )
    places = split_places(wanted, study.platform.max_places)
    number = max((offer.number for offer in all_offers), default=0) + 1
    first = draft_offer(service, study, number, places[0]) if places else None
    calls = study.platform.plan(first) if first else ()
    return study, HiringPlan(
        places, calls, each, bonus, _forecast_sessions(study, demand), unreserved
    )


def _forecast_sessions(study: Study, demand: Demand) -> tuple[int, int, int] | None:
    if demand.low is None or demand.expected is None or demand.high is None:
        return (0, 0, 0) if demand.finished else None
    low, expected, high = (
        sessions_for(study, n) for n in (demand.low, demand.expected, demand.high)
    )
    return low, expected, high


def set_state(service: ServiceContext, name: str, state: HiringState, now: float) -> None:
    """Start, pause or stop the hiring of a study; idempotent."""
    study_id = service.study_id(name)
    with service.database.write() as connection:
        studies.lock_study(connection, name)
        study = service.study(connection, study_id)
        row = hirings.find_hiring(connection, study_id)
        if state is HiringState.RUNNING:
            check_can_hire(service, study)
        if row is None:
            if state is not HiringState.RUNNING:
                raise NotHiring("the study has never hired anyone")
            row = HiringRow(study_id, study.settings.platform, state, "", None, {}, now)
            hirings.add_hiring(connection, row)
        elif row.platform != study.settings.platform:
            _check_can_move(
                offers.list_offers(connection, study_id),
                offers.confirmed_submissions(connection, study_id, UNDECIDED),
            )
            row = replace(row, platform=study.settings.platform)
            hirings.change_platform(connection, study_id, row.platform)
        elif row.state == state and row.retry_at is None:
            return
        message = BY_HAND if state is HiringState.PAUSED else ""
        hirings.set_hiring_state(connection, study_id, state, now, message=message)
        record_activity(connection, row, _ACTIVITY[state], repr(now), message, now)


def _check_can_move(all_offers: Sequence[OfferRow], undecided: Sequence[SubmissionRow]) -> None:
    if undecided or any(offer.state in ON_OFFER for offer in all_offers):
        raise NotHiring("the study still has offers or submissions on the platform it had before")


@dataclass(frozen=True, slots=True)
class HiringStatus:
    """The status of a study's hiring."""

    hiring: HiringRow | None
    study: Study
    budget_use: BudgetUse
    offers: Mapping[str, int]
    submissions: Mapping[str, int]
    warnings: Sequence[str]


def hiring_status(service: ServiceContext, name: str) -> HiringStatus:
    """Return the status of a study's hiring."""
    study_id = service.study_id(name)
    with service.database.read() as connection:
        study = service.study(connection, study_id)
        hiring = hirings.find_hiring(connection, study_id)
        all_offers = offers.list_offers(connection, study_id)
        submissions = offers.submissions_of(connection, study_id)
        money = budget_use(connection, study_id)
        warnings = hiring_warnings(hiring, hirings.count_dead_letters(connection, study_id))
    counts = _count(offer.state for offer in all_offers), _count(map(_shown_state, submissions))
    return HiringStatus(hiring, study, money, *counts, warnings)


_HEADLINES = {
    HiringState.RUNNING: "Hiring goes on, and waits for somebody at the platform",
    HiringState.PAUSED: "Hiring is paused until someone starts it again",
    HiringState.STOPPED: "Hiring has stopped",
}


def hiring_warnings(hiring: HiringRow | None, dead_letters: int) -> list[str]:
    """List what the owner of a study should look at, in full sentences."""
    warnings = []
    if hiring is not None and hiring.retry_at is not None:
        warnings.append(f"Hiring waits, and tries again by itself: {hiring.message}")
    elif hiring is not None and hiring.message not in ("", BY_HAND):
        warnings.append(f"{_HEADLINES[HiringState(hiring.state)]}: {hiring.message}")
    if dead_letters:
        what = "message" if dead_letters == 1 else "messages"
        warnings.append(
            f"{dead_letters} {what} of the platform could not be taken in. Compare the sessions "
            "that the platform lists with those that are listed here, and pay by hand what is "
            "missing."
        )
    return warnings


def _shown_state(row: SubmissionRow) -> str:
    unconfirmed = row.state in AT_WORK and row.confirmed_at is None
    return UNCONFIRMED if unconfirmed else row.state


def _count(states: Iterable[str]) -> dict[str, int]:
    return dict(Counter(states))
