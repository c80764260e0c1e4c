"""Studies for reports: small enough to be checked by hand."""

from collections.abc import Callable
from typing import Any

from in_process import AT, STUDY, InProcess, Json, by_number

Answer = Callable[[Json, str], str | Json]


def study(service: InProcess, size: int, **settings: object) -> None:
    """Add a study with a topic of so many documents, d1 the best."""
    service.post("/v1/studies", {"id": STUDY, **settings}, status=201)
    service.make_topic(size)


def answer_all(service: InProcess, answer: Answer, *workers: str, **more: Any) -> None:
    """Let workers answer in turn until nobody gets a question."""
    answered = -1
    while answered:
        answered = 0
        for worker in workers:
            for asked in service.next(worker)["assignments"]:
                response = service.judge(asked, answer(asked, worker), **more)
                assert response.status_code == 201, response.text
                answered += 1


def answer_correctly(asked: Json, worker: str) -> str:
    """Prefer the smaller number."""
    return by_number(asked)


def answer_wrongly(asked: Json) -> str:
    """Prefer the larger number."""
    return "left" if by_number(asked) == "right" else "right"


def numbers(asked: Json) -> set[int]:
    """Return which documents a question is about."""
    return {int(asked[side]["id"][1:]) for side in ("left", "right")}


def bob_errs(*pair: int) -> Answer:
    """Return answers in which only bob is wrong, about one pair."""

    def answer(asked: Json, worker: str) -> str:
        wrong = worker == "bob" and numbers(asked) == set(pair)
        return answer_wrongly(asked) if wrong else by_number(asked)

    return answer


def report(service: InProcess, **query: Any) -> Json:
    """Fetch the report."""
    content: Json = service.get(f"{AT}/report", **query)
    return content


def workers(content: Json) -> dict[str, Json]:
    """Return the workers of a report by name."""
    return {worker["worker"]: worker for worker in content["workers"]}
