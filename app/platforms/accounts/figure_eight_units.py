"""Units of Figure Eight: how questions and places are put as such, and what judgments say."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from html import escape
from typing import Any

from nextpair.app.platforms.accounts.payloads import Node
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
LONGEST_CODE = 200


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


def news_in(payload: Node) -> list[News]:
    """Read units as webhooks and reports tell them: alone or in a list."""
    units = payload.items() if isinstance(payload.value, list) else [payload]
    return [found for unit in units if (found := _news(unit)) is not None]


def _news(unit: Node) -> News | None:
    given = judgments_of(unit)
    data = unit["data"]
    if not given:
        # Such units are told, too.
        return None
    told = [(one, one.mapping()) for one in given]
    good = [one for one, of in told if not of.get("tainted") and not of.get("rejected")]
    newest = max(one["id"].identifier() for one in given)
    name = f"unit:{unit['id'].identifier()}:{newest}:{len(good)}"
    if TASK in data.mapping():
        withdrawn = TaskAnswer("", data[TASK].only().identifier(), "", None)
        return News(name, answers=[_answer(data, good[-1]) if good else withdrawn])
    if SLOT in data.mapping() and OFFER in data.mapping():
        return News(name, [_submission(data, one) for one in good[-1:]])
    return None


def judgments_of(unit: Node) -> list[Node]:
    """List a unit's judgments."""
    results = unit.get("results")
    found = results.get("judgments") if results and isinstance(results.value, dict) else results
    return [] if found is None else found.items()


def worker_in(judgment: Node) -> str:
    """Return the contributor's id."""
    return (judgment.get("worker_id") or judgment["contributor_id"]).identifier()


def _submission(data: Node, judgment: Node) -> Submission:
    # The frame was not told who came: the place alone says whose session it is.
    receipt = judgment["data"].get("receipt")
    brought = "" if receipt is None else receipt.text().strip()
    code = brought.removeprefix(f"{data[CODE].only().identifier()}-")
    offer = data["offer"].only().identifier()
    return Submission(
        data[SLOT].only().identifier(), None, Stage.SUBMITTED, offer, code=code[:LONGEST_CODE]
    )


def _answer(data: Node, judgment: Node) -> TaskAnswer:
    said = {"preference": judgment["data"]["preference"].only().text(LONGEST_CODE)}
    worker = f"figure-eight:{worker_in(judgment)}"
    task = data[TASK].only().identifier()
    return TaskAnswer(judgment["id"].identifier(), task, worker, said, _seconds(judgment))


def _seconds(judgment: Node) -> float | None:
    """Say how long an answer took, if its times are times."""
    told = judgment.mapping()
    try:
        began, ended = (datetime.fromisoformat(told[k]) for k in ("started_at", "created_at"))
        return max(0.0, (ended - began).total_seconds())
    except (KeyError, ValueError, TypeError):
        return None
