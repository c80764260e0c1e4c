"""Checks cannot be got around: what is given back counts as wrong, and no evidence is no pass."""

from collections.abc import Callable

import pytest
from in_process import AT, ON_TOPIC, STUDY, InProcess, Json, by_number

TRAPS = 10


def study(service: InProcess, quality: Json, size: int = 12, **settings: object) -> None:
    """Add a study with checks, and a topic with traps and a quiz: the smaller is better."""
    settings = {"selector": "uniform", "quality": quality, **settings}
    service.post("/v1/studies", {"id": STUDY, **settings}, status=201)
    service.make_topic(size)
    for letter, quiz in (("t", False), ("q", True)):
        documents = [{"id": f"{letter}{n}", "text": f"text {n}"} for n in range(1, 2 * TRAPS + 1)]
        golds = [
            {
                "documents": [f"{letter}{n}", f"{letter}{n + 1}"],
                "answer": {"preference": "left"},
                "quiz": quiz,
            }
            for n in range(1, 2 * TRAPS, 2)
        ]
        service.post(f"{ON_TOPIC}/golds", {"documents": documents, "golds": golds})


def is_check(asked: Json) -> bool:
    return str(asked["left"]["id"])[0] in "tq"


def work(
    service: InProcess, worker: str, give_back: Callable[[Json], bool], most: int = 60
) -> None:
    """Answer rightly until a verdict comes, but give some questions back."""
    for _ in range(most):
        got = service.next(worker)["assignments"]
        if not got:
            return
        if give_back(got[0]):
            told = service.skip(got[0], bearer=got[0]["token"])
        else:
            told = service.judge(got[0], by_number(got[0]), bearer=got[0]["token"])
        assert told.status_code in (200, 201), told.text
        if told.json()["verdict"] is not None:
            return


def verdicts(service: InProcess, worker: str) -> list[Json]:
    items: list[Json] = service.get(f"{AT}/workers/{worker}/verdicts")["items"]
    return items


def purposes(service: InProcess) -> list[str]:
    items = service.get(f"{ON_TOPIC}/judgments", limit=1000)["items"]
    return [one["purpose"] for one in items]


def test_a_quiz_is_not_passed_by_answering_only_what_one_knows(service: InProcess) -> None:
    study(service, {"quiz": 10, "quiz_pass": 0.9})
    quiz = service.next("ann", count=10)["assignments"]
    assert service.judge(quiz[0], by_number(quiz[0])).json()["verdict"] is None
    told = [service.skip(one, bearer=one["token"]).json() for one in quiz[1:]]
    assert [one["verdict"] is None for one in told] == [True] * 8 + [False]
    verdict = told[-1]["verdict"]
    assert (verdict["passed"], verdict["effect"]) == (False, "stop_and_ignore")
    assert verdict["findings"] == [{"check": "quiz", "found": 1, "of": 10, "needed": 9}]
    assert service.next("ann") == {"assignments": [], "reason": "stopped"}
    twice = service.skip(quiz[-1]).json()
    assert (twice["state"], twice["verdict"]) == ("skipped", None), "twice is once"


def test_one_question_of_a_quiz_may_be_given_back_where_the_mark_allows_it(
    service: InProcess,
) -> None:
    study(service, {"quiz": 10, "quiz_pass": 0.9})
    quiz = service.next("ann", count=10)["assignments"]
    service.skip(quiz[3])
    told = [service.judge(one, by_number(one)).json() for one in quiz if one != quiz[3]]
    assert told[-1]["verdict"]["passed"]
    assert told[-1]["verdict"]["findings"][0] == {
        "check": "quiz",
        "found": 9,
        "of": 10,
        "needed": 9,
    }
    assert not is_check(service.one("ann"))


def test_who_gives_back_all_of_a_quiz_is_asked_again_and_then_stopped_but_never_stuck(
    service: InProcess,
) -> None:
    study(service, {"quiz": 3, "attempts": 2})
    first = service.next("ann", count=3)["assignments"]
    told = [service.skip(one, attempt=1).json() for one in first]
    assert told[-1]["verdict"]["effect"] == "ask_again"
    assert service.skip(first[-1], attempt=1).status_code == 200, "its answer may have got lost"
    again = service.next("ann", count=3)["assignments"]
    assert {one["id"] for one in again} == {one["id"] for one in first}
    assert {one["attempt"] for one in again} == {2}
    told = [service.skip(one).json() for one in again]
    assert told[-1]["verdict"]["effect"] == "stop_and_ignore"
    assert service.next("ann")["reason"] == "stopped"
    service.send("PATCH", f"{AT}/workers/ann", {"status": "active"})
    assert not is_check(service.one("ann")), "who is let in again has the quiz behind them"


def test_what_was_given_back_can_be_answered_where_a_quiz_comes_again(light: InProcess) -> None:
    study(light, {"quiz": 3, "quiz_pass": 1, "attempts": 2})
    for one in light.next("ann", count=3)["assignments"]:
        light.skip(one)
    again = light.next("ann", count=3)["assignments"]
    told = [light.judge(one, by_number(one)).json() for one in again]
    assert told[-1]["verdict"]["passed"]


def test_a_batch_does_not_pass_by_giving_its_traps_back(service: InProcess) -> None:
    study(service, {"batch": 4, "traps": 2, "traps_pass": 0.5})
    work(service, "ann", is_check)
    (verdict,) = verdicts(service, "ann")
    assert (verdict["passed"], verdict["effect"]) == (False, "stop")
    assert verdict["findings"] == [{"check": "traps", "found": 0, "of": 2, "needed": 1}]
    assert purposes(service) == ["work"] * 4, "nothing says by its number that it was a check"


def test_a_trap_that_is_given_back_is_one_wrong_answer(light: InProcess) -> None:
    study(light, {"batch": 4, "traps": 2, "traps_pass": 0.5})
    given_back: list[str] = []

    def first_trap(asked: Json) -> bool:
        if is_check(asked) and not given_back:
            given_back.append(asked["id"])
            return True
        return False

    work(light, "ann", first_trap)
    (verdict,) = verdicts(light, "ann")
    assert verdict["passed"]
    assert verdict["findings"] == [{"check": "traps", "found": 1, "of": 2, "needed": 1}]


def test_a_trap_on_a_scale_is_one_wrong_answer_too(light: InProcess) -> None:
    quality = {"batch": 4, "traps": 2, "traps_pass": 1}
    light.post("/v1/studies", {"id": STUDY, "design": "s100", "quality": quality}, status=201)
    light.make_topic(8)
    golds = [{"documents": [f"g{n}"], "answer": {"score": 10 * n}} for n in (1, 9)]
    documents = [{"id": "g1"}, {"id": "g9"}]
    light.post(f"{ON_TOPIC}/golds", {"documents": documents, "golds": golds})
    for _ in range(6):
        asked = light.one("ann")
        trap = asked["document"]["id"].startswith("g")
        told = (light.skip(asked) if trap else light.judge(asked, {"score": 50})).json()
    assert told["verdict"]["findings"] == [{"check": "traps", "found": 0, "of": 2, "needed": 2}]
    assert told["verdict"]["effect"] == "stop"


def test_a_batch_whose_traps_ran_out_has_not_passed_and_nobody_pays_for_that(
    light: InProcess,
) -> None:
    study(light, {"batch": 10, "traps": 5, "traps_pass": 1}, size=20)
    for _ in range(3):
        work(light, "ann", lambda asked: False)
    first, second, third = verdicts(light, "ann")
    assert first["passed"] and second["passed"]
    assert (third["passed"], third["effect"]) == (False, "none")
    assert third["findings"] == [{"check": "traps", "found": 0, "of": 0, "needed": 0}]
    assert light.next("ann")["assignments"], "the worker goes on"


def test_without_a_mark_nothing_follows_but_traps_that_are_given_back_do_not_pass(
    light: InProcess,
) -> None:
    study(light, {"batch": 4, "traps": 2})
    work(light, "ann", is_check)
    (verdict,) = verdicts(light, "ann")
    assert (verdict["passed"], verdict["effect"]) == (False, "none")


def test_a_check_cannot_be_got_rid_of_by_letting_its_lease_run_out(light: InProcess) -> None:
    quality = {"batch": 20, "traps": 5, "traps_pass": 1}
    study(light, quality, size=3, lease_seconds=100)
    left_open: set[str] = set()
    for _ in range(60):
        got = light.next("ann")["assignments"]
        if not got:
            break
        if is_check(got[0]) and got[0]["id"] not in left_open:
            left_open.add(got[0]["id"])
            light.clock.move(101)
        else:
            light.judge(got[0], by_number(got[0]))
    assert left_open
    (verdict,) = verdicts(light, "ann")
    assert verdict["passed"]
    assert verdict["findings"][0]["of"] == len(left_open)


def test_a_batch_that_ends_early_gets_a_trap_before_it_ends(light: InProcess) -> None:
    study(light, {"batch": 20, "traps": 1, "traps_pass": 1}, size=2, votes=5)
    workers = ["ann", "bob", "eve"]
    for worker in workers:
        (asked,) = light.next(worker)["assignments"]
        light.judge(asked, by_number(asked))
    for worker in workers:
        # Also whoever comes after another was told that nothing is left.
        while got := light.next(worker)["assignments"]:
            light.judge(got[0], by_number(got[0]))
        (verdict,) = verdicts(light, worker)
        assert verdict["findings"] == [{"check": "traps", "found": 1, "of": 1, "needed": 1}]


def test_who_asks_for_a_whole_batch_at_once_still_gets_the_repeats(light: InProcess) -> None:
    study(light, {"batch": 6, "repeats": 2, "repeats_pass": 1})
    got = light.next("ann", count=6)
    assert (len(got["assignments"]), got["reason"]) == (4, "held")
    for one in got["assignments"]:
        light.judge(one, by_number(one))
    work(light, "ann", lambda asked: False)
    (verdict,) = verdicts(light, "ann")
    assert verdict["findings"] == [{"check": "repeats", "found": 2, "of": 2, "needed": 2}]


def test_repeats_that_are_given_back_are_not_answered_alike(light: InProcess) -> None:
    study(light, {"batch": 6, "repeats": 2, "repeats_pass": 1})
    seen: set[frozenset[str]] = set()

    def again(asked: Json) -> bool:
        pair = frozenset((asked["left"]["id"], asked["right"]["id"]))
        repeated = pair in seen
        seen.add(pair)
        return repeated

    work(light, "ann", again)
    (verdict,) = verdicts(light, "ann")
    assert verdict["findings"] == [{"check": "repeats", "found": 0, "of": 2, "needed": 2}]
    assert verdict["effect"] == "stop"


def test_audits_check_no_worker_and_end_in_no_verdict(light: InProcess) -> None:
    study(light, {"batch": 3, "audits": 0.5})
    for _ in range(9):
        asked = light.one("ann")
        assert light.judge(asked, by_number(asked)).json()["verdict"] is None
    assert verdicts(light, "ann") == []


@pytest.mark.parametrize("status", ["stop", "ask_again"])
def test_checks_that_come_again_come_with_those_given_back(light: InProcess, status: str) -> None:
    attempts = 2 if status == "ask_again" else 1
    quality = {"batch": 4, "traps": 2, "traps_pass": 1, "attempts": attempts}
    study(light, {**quality, "on_failure": status})
    work(light, "ann", is_check)
    assert verdicts(light, "ann")[-1]["effect"] == status
    if status == "stop":
        assert light.next("ann")["reason"] == "stopped"
        return
    again = light.next("ann", count=10)["assignments"]
    assert (len(again), sum(map(is_check, again))) == (6, 2)
    told = [light.judge(one, by_number(one)).json()["verdict"] for one in again]
    assert [one is None for one in told] == [True] * 5 + [False]
    assert told[-1]["passed"]
