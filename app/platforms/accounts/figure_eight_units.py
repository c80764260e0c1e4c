"""Units of Figure Eight: how questions and places are put as such, and what judgments say."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

from nextpair.app.platforms.facts import (
    News,
    Offer,
    Stage,
    Submission,
    Task,
    TaskAnswer,
)

TASK, OFFER, SLOT, CODE = "nextpair_task", "nextpair_offer", "slot", "code"
GOLDEN = "_golden"


def units_of(offer: Offer) -> list[dict[str, Any]]:
    """Put questions as units; those whose answers are known are test questions."""
    return [_unit_of(one, offer.number) for one in offer.tasks]


def _unit_of(task: Task, number: int) -> dict[str, Any]:
    topic = task.topic["title"] or task.topic["description"] or task.topic["id"]
    left, right = (_markup(one) for one in task.documents)
    unit = {TASK: task.id, "topic": escape(topic), "text_a": left, "text_b": right}
    if task.known is None:
        return {**unit, OFFER: number}
    known = {"preference_gold": task.known["preference"], GOLDEN: "true"}
    return {**unit, **known, "preference_gold_reason": "The other document is not as good."}


def _markup(document: Mapping[str, str | None]) -> str:
    body = document["html"] or escape(document["text"] or document["url"] or "")
    title = document["title"]
    return f"<strong>{escape(title)}</strong><br/>{body}" if title else body


def slots_of(token: str, places: int) -> dict[str, str]:
    """Name places, each with a beginning of its code that nobody can guess."""
    names = [f"{token[:16]}-{place}" for place in range(1, places + 1)]
    return {name: _word(f"{token}:{name}") for name in names}


def slot_units(offer: Offer, reference: str, token: str) -> list[dict[str, Any]]:
    """Put places as units."""
    return [
        {SLOT: name, CODE: code, "offer": reference, OFFER: offer.number}
        for name, code in slots_of(token, offer.places).items()
    ]


def _word(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6].upper()


def news_in(payload: Any) -> list[News]:
    """Read units as webhooks and reports tell them: alone or in a list."""
    units = payload if isinstance(payload, list) else [payload]
    return [found for unit in units if (found := _news(unit)) is not None]


def _news(unit: Mapping[str, Any]) -> News | None:
    given = list(_judgments(unit))
    data = unit["data"]
    if not given:
        # Such units are told, too.
        return None
    good = [one for one in given if not one.get("tainted") and not one.get("rejected")]
    name = f"unit:{unit['id']}:{max(str(one['id']) for one in given)}:{len(good)}"
    if TASK in data:
        withdrawn = TaskAnswer("", str(data[TASK]), "", None)
        return News(name, answers=[_answer(data, good[-1]) if good else withdrawn])
    if SLOT in data and OFFER in data:
        return News(name, [_submission(data, one) for one in good[-1:]])
    return None


def _judgments(unit: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    results = unit.get("results") or {}
    found = results.get("judgments") if isinstance(results, Mapping) else results
    yield from found or ()


def worker_in(judgment: Mapping[str, Any]) -> str:
    """Return the contributor's id."""
    return str(judgment.get("worker_id") or judgment["contributor_id"])


def judgments_of(unit: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """List a unit's judgments."""
    return list(_judgments(unit))


def _submission(data: Mapping[str, Any], judgment: Mapping[str, Any]) -> Submission:
    # The frame was not told who came: the place alone says whose session it is.
    brought = str(judgment["data"].get("receipt") or "").strip()
    code = brought.removeprefix(f"{_one(data[CODE])}-")
    offer = str(_one(data["offer"]))
    return Submission(str(_one(data[SLOT])), None, Stage.SUBMITTED, offer, code=code)


def _answer(data: Mapping[str, Any], judgment: Mapping[str, Any]) -> TaskAnswer:
    said = {"preference": _one(judgment["data"]["preference"])}
    worker = f"figure-eight:{worker_in(judgment)}"
    return TaskAnswer(str(judgment["id"]), str(data[TASK]), worker, said, _seconds(judgment))


def _one(value: Any) -> Any:
    """Read a value that may be told as a list of one."""
    return value[0] if isinstance(value, list) and value else value


def _seconds(judgment: Mapping[str, Any]) -> float | None:
    try:
        began, ended = (datetime.fromisoformat(judgment[k]) for k in ("started_at", "created_at"))
    except (KeyError, ValueError, TypeError):
        return None
    return max(0.0, (ended - began).total_seconds())
