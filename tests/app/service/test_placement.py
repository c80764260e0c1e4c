"""The default selector over HTTP: workers who are weighed, places that are only likely."""

import pytest
from in_process import AT, ON_TOPIC, TOPIC, InProcess, by_number

from nextpair.selectors.state.settings import DEFAULT_SELECTOR


def judge_some(service: InProcess, size: int = 12, **options: object) -> int:
    """Let eight workers judge, the last of whom says the contrary of what is true."""
    service.make_study(selector=DEFAULT_SELECTOR, options=options)
    service.make_topic(size)
    workers = [f"w{number}" for number in range(8)]
    judged, idle = 0, 0
    while idle < len(workers):
        worker = workers[judged % len(workers)]
        told = service.next(worker, topic=TOPIC)
        if told["reason"] == "done":
            break
        idle = 0 if told["assignments"] else idle + 1
        for assignment in told["assignments"]:
            right = by_number(assignment)
            wrong = "left" if right == "right" else "right"
            service.judge(assignment, wrong if worker == "w7" else right)
            judged += 1
    return judged


def test_it_is_the_default(light: InProcess) -> None:
    assert light.post("/v1/studies", {}, status=201)["selector"] == DEFAULT_SELECTOR


def test_the_ranking_says_how_likely_it_is_and_progress_when_it_will_end(
    service: InProcess,
) -> None:
    service.make_study(selector=DEFAULT_SELECTOR)
    service.make_topic(12)
    for worker in ("ann", "bob", "cat"):
        service.judge(service.one(worker, topic=TOPIC), "left")
    begun = service.get(f"{ON_TOPIC}/progress")
    assert 0 < begun["forecast"]["low"] < begun["forecast"]["expected"] < begun["forecast"]["high"]
    assert not begun["finished"]
    ranked = service.get(f"{ON_TOPIC}/ranking")["documents"]
    assert len(ranked) == 12
    for one in ranked:
        unjudged = one["status"] == "unjudged"
        assert one["certainty"] is None if unjudged else 0 < one["certainty"] < 1


@pytest.mark.statistical
def test_it_finds_the_order_and_whom_not_to_rely_on(service: InProcess) -> None:
    judged = judge_some(service, budget=6.0)
    assert service.get(f"{ON_TOPIC}/progress")["judgments"] == judged
    ranking = service.get(f"{ON_TOPIC}/ranking")
    order = [int(one["document"][1:]) for one in ranking["documents"]]
    assert sum(order[:6]) < sum(order[6:])
    workers = service.get(f"{ON_TOPIC}/reliability")["workers"]
    assert [one["worker"] for one in workers if one["right"] < 0.5] == ["w7"]
    assert sum(one["answers"] for one in workers) == judged


def test_what_it_would_change_to_take_a_worker_back_can_be_seen(service: InProcess) -> None:
    judge_some(service, budget=4.0)
    told = service.post(f"{AT}/retractions", {"worker": "w7", "dry_run": True})
    assert told["judgments"] > 0
    assert "w7" in {one["worker"] for one in service.get(f"{ON_TOPIC}/reliability")["workers"]}
    service.post(f"{AT}/retractions", {"worker": "w7"})
    assert "w7" not in {one["worker"] for one in service.get(f"{ON_TOPIC}/reliability")["workers"]}
