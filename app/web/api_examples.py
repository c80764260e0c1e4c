"""An example of every body that is sent, for the description of the API."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from nextpair.app.schemas.hiring import HiringIn, PlanIn
from nextpair.app.schemas.judging import JudgmentIn, NextIn, SkipIn, UnderstandingIn, WorkerIn
from nextpair.app.schemas.keys import KeyIn, SignInUse
from nextpair.app.schemas.retractions import RetractionIn
from nextpair.app.schemas.sessions import (
    SessionBeginIn,
    SessionIn,
    SessionNextIn,
    SessionUnderstandingIn,
)
from nextpair.app.schemas.studies import StudyChange, StudyIn, WorkerChange
from nextpair.app.schemas.topics import GoldsIn, TopicChange, TopicIn

EXAMPLES: Mapping[type[BaseModel], Mapping[str, Any]] = {
    KeyIn: {"scope": "platform", "label": "the judging page"},
    SignInUse: {"code": "b2Zm-a_one-time_code-of-43-characters_0x9QvT"},
    StudyIn: {"id": "answers", "title": "Good answers", "selector": "placement", "votes": 1},
    StudyChange: {"lease_seconds": 120, "status": "paused"},
    WorkerChange: {"status": "blocked"},
    TopicIn: {
        "id": "coffee",
        "title": "How do I make better coffee?",
        "documents": [
            {"id": "a", "text": "Weigh it.", "features": {"bm25": 7.2}},
            {"id": "b", "text": "Buy a cup."},
        ],
    },
    TopicChange: {"status": "closed"},
    GoldsIn: {
        "documents": [
            {"id": "good", "text": "Weigh it."},
            {"id": "bad", "text": "Tigers eat meat."},
        ],
        "golds": [{"documents": ["good", "bad"], "answer": {"preference": "left"}}],
    },
    NextIn: {"worker": "ann", "count": 1},
    JudgmentIn: {"worker": "ann", "answer": {"preference": "left"}, "seconds": 4.2},
    SkipIn: {"worker": "ann", "reason": "it is in Finnish"},
    WorkerIn: {"worker": "ann"},
    UnderstandingIn: {"worker": "ann", "choice": "Coffee"},
    RetractionIn: {
        "judgments": [{"topic": "coffee", "numbers": [3]}],
        "reason": "mis-click",
        "dry_run": True,
    },
    SessionIn: {"worker": "eve", "count": 20},
    SessionBeginIn: {"count": 1},
    SessionNextIn: {"count": 1, "held": ["1-7"]},
    SessionUnderstandingIn: {"topic": "coffee", "choice": "Coffee"},
    HiringIn: {"state": "running"},
    PlanIn: {"platform": "generic", "hiring": {"questions": 10}},
}
