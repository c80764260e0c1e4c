"""Starting and stopping to hire, and seeing beforehand what it would create and cost."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nextpair.app.errors import NotHiring
from nextpair.app.hiring.offers import (
    Work,
    check_hires,
    draft,
    money,
    places_wanted,
    prices,
    sessions_for,
    split,
    work_left,
)
from nextpair.app.hiring.outbox import Note, note
from nextpair.app.runtime.service import Service
from nextpair.app.studies.study import Study, read_settings
from nextpair.storage import hirings, offers, studies
from nextpair.storage.hiring_rows import (
    AT_WORK,
    UNDECIDED,
    HiringRow,
    HiringState,
    Money,
    OfferRow,
    OfferState,
    SubmissionRow,
)

BY_HAND = "paused by hand"
UNCONFIRMED = "unconfirmed"
"""What a session is called that is being worked on, as somebody says whom no platform has sent."""
_NOTES = {
    HiringState.RUNNING: Note.START,
    HiringState.PAUSED: Note.PAUSE,
    HiringState.STOPPED: Note.STOP,
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be published now, and what the study may come to.

    Parameters
    ----------
    places
        The sessions of each offer.
    calls
        What would be sent to the platform for the first one.
    each, bonus
        What a session costs, and its bonus, both with fees.
    sessions
        How many the whole study is expected to need, between a low and a high number; None where
        its selector cannot tell.
    """

    places: Sequence[int]
    calls: Sequence[tuple[str, Mapping[str, Any]]]
    each: int
    bonus: int
    sessions: tuple[int, int, int] | None
    free: int


def plan(service: Service, name: str, changes: Mapping[str, Any]) -> tuple[Study, Plan]:
    """Say what hiring would create and cost, perhaps with other settings; nothing is changed."""
    study_id = service.study_id(name)
    with service.database.read() as connection:
        study = service.study(connection, study_id)
        made = offers.list_offers(connection, study_id)
        came = offers.confirmed_of(connection, study_id)
        committed = money(connection, study_id).committed
    if changes:
        kept = study.settings.model_dump(mode="json")
        study = replace(study, settings=read_settings({**kept, **changes}))
    check_hires(service, study)
    work = work_left(service, study_id)
    each, bonus = prices(study, draft(service, study, 1, 1))
    free = study.settings.hiring.budget - committed
    wanted = places_wanted(study, work, made, came, free // (each + bonus or 1))
    places = split(wanted, study.platform.most_places)
    number = max((one.number for one in made), default=0) + 1
    first = draft(service, study, number, places[0]) if places else None
    calls = study.platform.plan(first) if first else ()
    return study, Plan(places, calls, each, bonus, _sessions(study, work), free)


def _sessions(study: Study, work: Work) -> tuple[int, int, int] | None:
    if work.low is None or work.expected is None or work.high is None:
        return (0, 0, 0) if work.finished else None
    low, expected, high = (sessions_for(study, n) for n in (work.low, work.expected, work.high))
    return low, expected, high


def set_state(service: Service, name: str, state: HiringState, now: float) -> None:
    """Let a study hire, pause or stop; the same once more changes nothing."""
    study_id = service.study_id(name)
    with service.database.write() as connection:
        studies.lock_study(connection, name)
        study = service.study(connection, study_id)
        row = hirings.find_hiring(connection, study_id)
        if state is HiringState.RUNNING:
            check_hires(service, study)
        if row is None:
            if state is not HiringState.RUNNING:
                raise NotHiring("the study has never hired anyone")
            row = HiringRow(study_id, study.settings.platform, state, "", None, {}, now)
            hirings.add_hiring(connection, row)
        elif row.platform != study.settings.platform:
            _check_moves(
                offers.list_offers(connection, study_id),
                offers.confirmed_of(connection, study_id, UNDECIDED),
            )
            row = replace(row, platform=study.settings.platform)
            hirings.move_hiring(connection, study_id, row.platform)
        elif row.state == state and row.retry_at is None:
            return
        message = BY_HAND if state is HiringState.PAUSED else ""
        hirings.set_hiring_state(connection, study_id, state, now, message=message)
        note(connection, row, _NOTES[state], repr(now), message, now)


def _check_moves(made: Sequence[OfferRow], undecided: Sequence[SubmissionRow]) -> None:
    if undecided or any(one.state in (OfferState.INTENDED, OfferState.OPEN) for one in made):
        raise NotHiring("the study still has offers or submissions on the platform it had before")


@dataclass(frozen=True, slots=True)
class Situation:
    """How a study's hiring stands."""

    hiring: HiringRow | None
    study: Study
    money: Money
    offers: Mapping[str, int]
    submissions: Mapping[str, int]
    warnings: Sequence[str]


def look(service: Service, name: str) -> Situation:
    """Say how a study's hiring stands."""
    study_id = service.study_id(name)
    with service.database.read() as connection:
        study = service.study(connection, study_id)
        hiring = hirings.find_hiring(connection, study_id)
        made = offers.list_offers(connection, study_id)
        came = offers.submissions_of(connection, study_id)
        spent = money(connection, study_id)
        told = warnings(hiring, hirings.count_set_aside(connection, study_id))
    counted = _count(one.state for one in made), _count(_state(one) for one in came)
    return Situation(hiring, study, spent, *counted, told)


_SAID_OF = {
    HiringState.RUNNING: "Hiring goes on, and waits for somebody at the platform",
    HiringState.PAUSED: "Hiring is paused until someone starts it again",
    HiringState.STOPPED: "Hiring has stopped",
}


def warnings(hiring: HiringRow | None, set_aside: int) -> list[str]:
    """Say what the owner of a study should look at, in plain sentences."""
    found = []
    if hiring is not None and hiring.retry_at is not None:
        found.append(f"Hiring waits, and tries again by itself: {hiring.message}")
    elif hiring is not None and hiring.message not in ("", BY_HAND):
        found.append(f"{_SAID_OF[HiringState(hiring.state)]}: {hiring.message}")
    if set_aside:
        what = "message" if set_aside == 1 else "messages"
        found.append(
            f"{set_aside} {what} of the platform could not be taken in. Compare the sessions that "
            "the platform lists with those that are listed here, and pay by hand what is missing."
        )
    return found


def _state(row: SubmissionRow) -> str:
    unknown = row.state in AT_WORK and row.confirmed_at is None
    return UNCONFIRMED if unknown else row.state


def _count(states: Iterable[str]) -> dict[str, int]:
    return dict(Counter(states))
