"""Information gain over HTTP: scores with intervals, chances, workers, and when it is enough."""

import pytest
from in_process import AT, ON_TOPIC, TOPIC, InProcess, Json, by_number

WORKERS = tuple(f"w{number}" for number in range(6))


def judge(service: InProcess, most: int, options: dict[str, object]) -> int:
    """Let workers who know the order judge until it is enough, and return how often they did."""
    service.make_study(selector="information-gain", options=options)
    service.make_topic(8)
    for judged in range(most):
        told = service.next(WORKERS[judged % len(WORKERS)], topic=TOPIC)
        if told["reason"] == "done":
            return judged
        for assignment in told["assignments"]:
            service.judge(assignment, by_number(assignment))
    return most


def ranked(service: InProcess, rating: str) -> list[Json]:
    found: list[Json] = service.get(f"{ON_TOPIC}/ranking", rating=rating)["documents"]
    return found


def test_scores_have_intervals_and_other_ratings_stand_beside_them(light: InProcess) -> None:
    judge(light, 40, {"budget": 0, "risk": 0})
    for rating in ("order", "bradley-terry", "elo"):
        found = ranked(light, rating)
        assert {found[0]["document"], found[1]["document"]} & {"d1", "d2"}
    for rating in ("order", "bradley-terry"):
        for one in ranked(light, rating):
            low, high = one["interval"]
            assert low < one["score"] < high
            assert high - low == pytest.approx(2 * 1.6449 * one["uncertainty"], rel=0.01)
    told = light.get(f"{ON_TOPIC}/explain", first="d1", second="d8")
    assert told["chance"] > 0.95
    workers = light.get(f"{ON_TOPIC}/reliability")["workers"]
    assert {one["worker"] for one in workers} == set(WORKERS)


def test_any_selector_tells_how_likely_one_is_better(light: InProcess) -> None:
    light.make_study(selector="uniform")
    light.make_topic(4)
    for worker in WORKERS:
        for assignment in light.next(worker, topic=TOPIC)["assignments"]:
            light.judge(assignment, by_number(assignment))
    assert light.get(f"{ON_TOPIC}/explain", first="d1", second="d4")["chance"] > 0.5
    assert all(one["interval"] for one in ranked(light, "bradley-terry"))


@pytest.mark.parametrize(
    "options", [{"budget": 2, "risk": 0}, {"risk": 0.2}, {"width": 6.0}, {"top": 1, "risk": 0.3}]
)
def test_it_says_when_it_is_enough(light: InProcess, options: dict[str, object]) -> None:
    judged = judge(light, 80, {"budget": 0, **options})
    assert 0 < judged < 80
    assert light.get(f"{ON_TOPIC}/progress")["finished"]


def test_prior_scores_are_where_it_starts(light: InProcess) -> None:
    light.make_study(selector="information-gain")
    documents = [{"id": f"d{n}", "text": f"text {n}", "prior": -float(n)} for n in range(1, 6)]
    light.post(f"{AT}/topics", {"id": TOPIC, "documents": documents}, status=201)
    assert [one["document"] for one in ranked(light, "order")] == ["d1", "d2", "d3", "d4", "d5"]
