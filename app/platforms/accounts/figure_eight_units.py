"""Units of Figure Eight: made of questions or places, and read back with their judgments."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from html import escape
from typing import Any

from nextpair.app.platforms.accounts.payloads import JsonNode
from nextpair.app.platforms.messages import (
    Offer,
    PlatformEvent,
    Stage,
    Submission,
    Task,
    TaskAnswer,
)

TASK, OFFER, SLOT, CODE = "nextpair_task", "nextpair_offer", "slot", "code"
GOLDEN = "_golden"
MAX_CODE_LENGTH = 200


def units_of(offer: Offer) -> list[dict[str, Any]]:
    """Convert questions into units; gold questions become test questions."""
    return [_unit_of(task, offer.number) for task in offer.tasks]


def _unit_of(task: Task, number: int) -> dict[str, Any]:
    topic = task.topic["title"] or task.topic["description"] or task.topic["id"]
    left, right = (_markup(document) for document in task.documents)
    unit = {TASK: task.id, "topic": escape(topic), "text_a": left, "text_b": right}
    if task.gold_answer is None:
        return {**unit, OFFER: number}
    gold = {"preference_gold": task.gold_answer["preference"], GOLDEN: "true"}
    return {**unit, **gold, "preference_gold_reason": "The other document is not as good."}


def _markup(document: Mapping[str, str | None]) -> str:
    body = document["html"] or escape(document["text"] or document["url"] or "")
    title = document["title"]
    return f"<strong>{escape(title)}</strong><br/>{body}" if title else body


def slots_of(idempotency_key: str, places: int) -> dict[str, str]:
    """Name the places of an offer, each with a code prefix that cannot be guessed."""
    names = [f"{idempotency_key[:16]}-{place}" for place in range(1, places + 1)]
    return {name: _code_prefix(f"{idempotency_key}:{name}") for name in names}


def slot_units(offer: Offer, reference: str, idempotency_key: str) -> list[dict[str, Any]]:
    """Convert places into units."""
    return [
        {SLOT: name, CODE: code, "offer": reference, OFFER: offer.number}
        for name, code in slots_of(idempotency_key, offer.places).items()
    ]


def _code_prefix(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6].upper()


def events_in(payload: JsonNode) -> list[PlatformEvent]:
    """Read units as webhooks and reports have them: one, or a list."""
    units = payload.items() if isinstance(payload.value, list) else [payload]
    return [event for unit in units if (event := _event(unit)) is not None]


def _event(unit: JsonNode) -> PlatformEvent | None:
    judgments = judgments_of(unit)
    data = unit["data"]
    if not judgments:
        # Units without judgments are reported, too.
        return None
    pairs = [(judgment, judgment.mapping()) for judgment in judgments]
    valid = [node for node, values in pairs if not _is_void(values)]
    newest = max(judgment["id"].identifier() for judgment in judgments)
    name = f"unit:{unit['id'].identifier()}:{newest}:{len(valid)}"
    if TASK in data.mapping():
        withdrawn = TaskAnswer("", data[TASK].only().identifier(), "", None)
        return PlatformEvent(name, answers=[_answer(data, valid[-1]) if valid else withdrawn])
    if SLOT in data.mapping() and OFFER in data.mapping():
        return PlatformEvent(name, [_submission(data, judgment) for judgment in valid[-1:]])
    return None


def _is_void(judgment: Mapping[str, Any]) -> bool:
    return bool(judgment.get("tainted") or judgment.get("rejected"))


def judgments_of(unit: JsonNode) -> list[JsonNode]:
    """List a unit's judgments."""
    results = unit.get("results")
    nested = results.get("judgments") if results and isinstance(results.value, dict) else results
    return [] if nested is None else nested.items()


def worker_in(judgment: JsonNode) -> str:
    """Return the contributor's id."""
    return (judgment.get("worker_id") or judgment["contributor_id"]).identifier()


def _submission(data: JsonNode, judgment: JsonNode) -> Submission:
    # The frame does not know the worker: the place alone identifies the session.
    receipt = judgment["data"].get("receipt")
    entered = "" if receipt is None else receipt.text().strip()
    code = entered.removeprefix(f"{data[CODE].only().identifier()}-")
    offer = data["offer"].only().identifier()
    return Submission(
        data[SLOT].only().identifier(), None, Stage.SUBMITTED, offer, code=code[:MAX_CODE_LENGTH]
    )


def _answer(data: JsonNode, judgment: JsonNode) -> TaskAnswer:
    answer = {"preference": judgment["data"]["preference"].only().text(MAX_CODE_LENGTH)}
    worker = f"figure-eight:{worker_in(judgment)}"
    task = data[TASK].only().identifier()
    return TaskAnswer(judgment["id"].identifier(), task, worker, answer, _seconds(judgment))


def _seconds(judgment: JsonNode) -> float | None:
    """Return how long an answer took, if its times are valid."""
    values = judgment.mapping()
    try:
        began, ended = (datetime.fromisoformat(values[k]) for k in ("started_at", "created_at"))
        return max(0.0, (ended - began).total_seconds())
    except (KeyError, ValueError, TypeError):
        return None
