"""An answer of every design, and ways to answer about pairs: truly, equal, in a circle."""

from collections.abc import Callable, Mapping

from in_process import AT, STUDY, InProcess, Json, by_number

Answer = Callable[[Json], str | Mapping[str, object]]

SENTENCE = "The water is hot enough for coffee."


def against_the_first(asked: Json) -> str:
    """Contradict oneself: of three documents each beats the next in a circle."""
    left, right = (int(asked[side]["id"][1:]) for side in ("left", "right"))
    return "left" if (right - left) % 3 == 1 else "right"


STYLES: Mapping[str, Answer] = {
    "truly": by_number,
    "equal": lambda asked: "equal",
    "in a circle": against_the_first,
}
DESIGNS: Mapping[str, Answer] = {
    "preference": by_number,
    "three-questions": lambda asked: {
        "preference": by_number(asked),
        "relevant": "both",
        "left_score": 5,
        "right_score": 5,
    },
    "graded": lambda asked: {"grade": "Probably relevant"},
    "s100": lambda asked: {"score": 50},
    "magnitude": lambda asked: {"magnitude": 5},
    "rationale": lambda asked: {"grade": "Probably relevant", "excerpt": SENTENCE},
    "review": lambda asked: {"grade": "Probably relevant", "excerpt": SENTENCE},
}


def make(service: InProcess, size: int, **settings: object) -> None:
    """Add a study and a topic of documents d0, d1 and so on, which all say the same."""
    service.post("/v1/studies", {"id": STUDY, **settings}, status=201)
    documents = [{"id": f"d{n}", "text": SENTENCE, "prior": n} for n in range(size)]
    service.post(f"{AT}/topics", {"id": "coffee", "documents": documents}, status=201)
