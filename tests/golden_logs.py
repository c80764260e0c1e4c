"""Recorded studies: what was asked and answered, and all that left the service on the way.

Each is played over HTTP with seeded workers on a clock that only the play moves. What comes out is
kept in `tests/data/golden/`, and must be the same after any change that is not meant to change
results: `python tests/golden_logs.py` records anew. Numbers are compared within the rounding of
other processors; with NEXTPAIR_GOLDEN=exact, bit for bit.
"""

import gzip
import itertools
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from in_process import InProcess, Json, installed

from nextpair.selectors.base import selector_names

FOLDER = Path(__file__).parent / "data" / "golden"
STUDY, TOPIC = "golden", "coffee"
AT = f"/v1/studies/{STUDY}"
ON_TOPIC = f"{AT}/topics/{TOPIC}"
GRADES = (0, 3, 1, 0, 2, 3, 1, 0, 2, 0, 1, 3)
"""The true grade of each document."""
ERRORS = {"ann": 0.05, "bob": 0.2, "cho": 0.35}
"""How often each worker errs."""
SECONDS = 7.0
"""Between one question and the next."""
LEVELS = (
    "Definitely not relevant",
    "Probably not relevant",
    "Probably relevant",
    "Definitely relevant",
)
RATINGS = ("order", "elo", "elo-variance", "win-share", "bradley-terry")
TEXT = "The water is hot enough for coffee."


@dataclass(frozen=True, slots=True)
class Case:
    """One recorded study.

    Parameters
    ----------
    half, count
        After how many answers everything is read, and how many there are in all.
    retracted
        Judgments that are retracted at the end, before everything is read once more.
    golds
        Whether there are questions with known answers.
    """

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    half: int = 12
    count: int = 40
    retracted: Sequence[int] = (3, 8)
    golds: bool = False

    @property
    def file(self) -> Path:
        """Where it is kept."""
        return FOLDER / f"{self.name}.json.gz"

    @property
    def is_single(self) -> bool:
        """Whether workers see one document at a time."""
        design = self.settings.get("design", "preference")
        on = self.settings.get("design_options", {}).get("on")
        return "preference" not in (design, on) and design != "three-questions"


def cases() -> list[Case]:
    """List every case: each selector, each design, and options that change a model."""
    selectors = [Case(name, {"selector": name}) for name in selector_names()]
    designs = [
        Case(f"design-{name}", {"design": name, "votes": 3})
        for name in ("three-questions", "graded", "s100", "magnitude", "rationale", "review")
    ]
    preferred = {"design": "rationale", "design_options": {"on": "preference"}}
    options: dict[str, Json] = {
        "placement-exact": {"selector": "placement", "options": {"risk": 0.0}},
        "placement-top": {"selector": "placement", "options": {"top": 3}},
        "placement-few": {"selector": "placement", "judges": "few"},
        "information-gain-top": {"selector": "information-gain", "options": {"top": 3}},
        "information-gain-strict": {"selector": "information-gain", "design": "three-questions"},
        "merge-tie-votes": {"selector": "merge-tie", "votes": 3},
    }
    return [
        *selectors,
        *designs,
        Case("design-rationale-pairs", preferred),
        *(Case(name, settings) for name, settings in options.items()),
        Case(
            "placement-traps",
            {"selector": "placement", "quality": {"batch": 5, "traps": 1, "audits": 0.1}},
            golds=True,
        ),
    ]


def play(case: Case, url: str) -> Json:
    """Play a study in a new database; return its log, and all that was read on the way."""
    with installed(url) as service:
        return _Player(case, service).play()


class _Player:
    def __init__(self, case: Case, service: InProcess) -> None:
        self._case, self._service = case, service
        self._rng = np.random.default_rng(11)
        self._log: list[Any] = []

    def play(self) -> Json:
        self._make()
        self._judge_until(self._case.half)
        half = self._read()
        self._judge_until(self._case.count)
        numbers = [number for number in self._case.retracted if number < len(self._log)]
        body = {"judgments": [{"topic": TOPIC, "numbers": numbers}], "reason": "golden"}
        retraction = self._service.post(f"{AT}/retractions", body)
        return {"log": self._log, "half": half, "retraction": retraction, "end": self._read()}

    def _make(self) -> None:
        self._service.post(
            "/v1/studies", {"id": STUDY, "seed": 5, **self._case.settings}, status=201
        )
        documents = [
            {
                "id": f"d{place}",
                "text": TEXT,
                "prior": float((7 * place) % 12),
                "features": {"length": float(grade + place % 3), "links": float(place % 4)},
            }
            for place, grade in enumerate(GRADES)
        ]
        self._service.post(f"{AT}/topics", {"id": TOPIC, "documents": documents}, status=201)
        if self._case.golds:
            golds = [
                {"documents": ["d1", "d0"], "answer": {"preference": "left"}},
                {"documents": ["d3", "d5"], "answer": {"preference": "right"}},
            ]
            self._service.post(f"{ON_TOPIC}/golds", {"golds": golds})

    def _judge_until(self, count: int) -> None:
        turns = itertools.cycle(ERRORS)
        idle = 0
        while len(self._log) < count and idle < len(ERRORS):
            worker = next(turns)
            self._service.clock.move(SECONDS)
            questions = self._service.next(worker, STUDY)["assignments"]
            idle = 0 if questions else idle + 1
            for asked in questions:
                self._answer(worker, asked)

    def _answer(self, worker: str, asked: Json) -> None:
        self._service.clock.move(SECONDS)
        answer = self._draw(worker, asked)
        response = self._service.judge(asked, answer)
        assert response.status_code == 201, response.text
        shown = [asked[side]["id"] for side in ("left", "right", "document") if asked[side]]
        self._log.append([worker, asked["kind"], *shown, answer])

    def _draw(self, worker: str, asked: Json) -> Json:
        errs = bool(self._rng.random() < ERRORS[worker])
        if asked["document"]:
            level = GRADES[int(asked["document"]["id"][1:])]
            return self._of_one(int(self._rng.integers(4)) if errs else level, asked)
        left, right = (GRADES[int(asked[side]["id"][1:])] for side in ("left", "right"))
        words = ["left", "right"]
        if self._case.settings.get("design") != "three-questions":
            words.append("equal")
        said = "left" if left > right else "right" if right > left else words[-1]
        told: Json = {"preference": str(self._rng.choice(words)) if errs else said}
        if self._case.settings.get("design") == "three-questions":
            return told | {"relevant": "both", "left_score": 2, "right_score": 2}
        return told | ({"excerpt": TEXT} if "design" in self._case.settings else {})

    def _of_one(self, level: int, asked: Json) -> Json:
        design = self._case.settings["design"]
        if design == "s100":
            return {"score": 30 * level + 3, "moved": True}
        if design == "magnitude":
            return {"magnitude": 2.0**level}
        told = {"grade": LEVELS[level]}
        if design == "review" and asked["kind"] == "review":
            return told | {"why": "It says so."}
        return told if design == "graded" else told | {"excerpt": TEXT}

    def _read(self) -> Json:
        return dict(self._reads())

    def _reads(self) -> Iterator[tuple[str, Any]]:
        get = self._service.get
        for form in ("qrels", "qrels-real", "run", "pairs"):
            told = self._service.send("GET", f"{AT}/export/{form}")
            yield form, told.text.splitlines() if told.status_code == 200 else told.json()["type"]
        yield "progress", get(f"{ON_TOPIC}/progress")
        yield "workers", get(f"{AT}/workers")
        yield "report", get(f"{AT}/report")
        if self._case.is_single:
            yield "ranking", get(f"{ON_TOPIC}/ranking")
            return
        for rating in RATINGS:
            yield f"ranking by {rating}", get(f"{ON_TOPIC}/ranking", rating=rating)
        for name in ("reliability", "classes", "matrix", "conflicts"):
            yield name, get(f"{ON_TOPIC}/{name}")
        yield (
            "explanations",
            [
                get(f"{ON_TOPIC}/explain", first=f"d{one}", second=f"d{one + 1}")
                for one in range(0, len(GRADES) - 1, 2)
            ],
        )


def stored(case: Case) -> Json:
    """Read what a case came to when it was recorded."""
    found: Json = json.loads(gzip.decompress(case.file.read_bytes()))
    return found


def canonical(played: Json) -> Json:
    """Return what was played as a file has it."""
    found: Json = json.loads(json.dumps(played))
    return found


def main(names: Sequence[str]) -> None:
    """Record the cases of these names, or all."""
    FOLDER.mkdir(exist_ok=True)
    for case in cases():
        if not names or case.name in names:
            with tempfile.TemporaryDirectory() as folder:
                played = play(case, f"sqlite:///{folder}/golden.db")
            content = json.dumps(played, separators=(",", ":")).encode()
            # Without a time, so that the same content is the same file.
            case.file.write_bytes(gzip.compress(content, mtime=0))
            print(case.name, len(played["log"]), len(content), case.file.stat().st_size)


if __name__ == "__main__":
    main(sys.argv[1:])
