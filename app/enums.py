"""Enumerations that are part of the API."""

from collections.abc import Mapping
from enum import StrEnum

from nextpair.selectors.base import End

END_DESCRIPTIONS: Mapping[End, str] = {
    End.KNOWN: "every document is settled",
    End.PLAN: "everything planned is answered",
    End.BUDGET: "stopped by the budget",
    End.EXHAUSTED: "every pair was asked, and documents are open",
}
"""Descriptions for people of why a topic has no questions left."""


class Scope(StrEnum):
    """What a key opens."""

    ADMIN = "admin"
    """Everything."""
    PLATFORM = "platform"
    """Ask and answer."""
    READ = "read"
    """Look at everything but the keys."""


class Reason(StrEnum):
    """Why a worker did not get as many questions as were asked for."""

    WAIT = "wait"
    """Others hold questions; there may be more for this worker once they have answered."""
    DONE = "done"
    """Nothing is left to ask."""
    SEEN = "seen"
    """This worker has been asked everything there is; others are still to be."""
    CAP = "cap"
    """The worker has had as many as the study allows."""
    PAUSED = "paused"
    """Nothing is handed out at the moment."""
    HELD = "held"
    """The worker holds questions that are to be answered first."""
    UNDERSTANDING = "understanding"
    """The worker has not shown yet that they understand the topic."""
    QUIZ = "quiz"
    """These are the quiz: what comes after it depends on the answers."""
    STOPPED = "stopped"
    """The worker did not pass the study's checks."""


class RankChangeCause(StrEnum):
    """Why a document's status or rank bounds change when judgments are retracted."""

    OWN = "own"
    """Judgments of it are retracted."""
    INFERRED = "inferred"
    """Its relation to others was inferred from judgments that are retracted."""
    GOAL = "goal"
    """The topic's stopping rule was met, which settles every document, and no longer is."""
    NEIGHBOURS = "neighbours"
    """It was compared with documents whose judgments are retracted."""
    WORKERS = "workers"
    """The posterior error rates of its judges are other than before."""
    OTHERS = "others"
    """It is settled as before, but documents around it are not, so its rank bounds may change."""
    MODEL = "model"
    """All answers are fitted jointly, and the fit differs without these."""
