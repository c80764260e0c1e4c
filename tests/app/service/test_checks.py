"""Checking workers over HTTP: traps, quizzes, repeats, audits, and what follows from failing."""

from collections import Counter
from typing import Any

import pytest
from in_process import AT, ON_TOPIC, STUDY, TOPIC, InProcess, Json, by_number, installed, refusal

TRAPS = 6


def study(service: InProcess, quality: Json, size: int = 12, **settings: object) -> None:
    """Add a study with checks and a topic of documents d1, d2 ..., the smaller the better."""
    settings = {"selector": "uniform", "quality": quality, **settings}
    service.post("/v1/studies", {"id": STUDY, **settings}, status=201)
    service.make_topic(size)


def add_traps(service: InProcess, *, quiz: bool = False, count: int = TRAPS) -> Json:
    """Add traps t1 against t2 and so on, of which the smaller is better."""
    documents = [{"id": f"t{n}", "text": f"text {n}"} for n in range(1, 2 * count + 1)]
    golds = [
        {
            "documents": [f"t{2 * n - 1}", f"t{2 * n}"],
            "answer": {"preference": "left"},
            "quiz": quiz,
        }
        for n in range(1, count + 1)
    ]
    made: Json = service.post(f"{ON_TOPIC}/golds", {"documents": documents, "golds": golds})
    return made


def is_trap(asked: Json) -> bool:
    return bool(asked["left"]["id"].startswith("t"))


def wrong(asked: Json) -> str:
    return "left" if by_number(asked) == "right" else "right"


def work(
    service: InProcess, worker: str, count: int, *, trapped: bool = False, **more: Any
) -> list[Json]:
    """Answer so many questions rightly, but the traps wrongly if the worker falls for them."""
    given = []
    for _ in range(count):
        asked = service.one(worker)
        answer = wrong(asked) if trapped and is_trap(asked) else by_number(asked)
        told = service.judge(asked, answer, **more)
        assert told.status_code == 201, told.text
        given.append(told.json())
    return given


def log(service: InProcess) -> list[Json]:
    items: list[Json] = service.get(f"{ON_TOPIC}/judgments", limit=1000)["items"]
    return items


def status(service: InProcess, worker: str) -> str:
    (found,) = [one for one in service.get(f"{AT}/workers")["items"] if one["id"] == worker]
    return str(found["status"])


def verdicts(service: InProcess, worker: str) -> list[Json]:
    items: list[Json] = service.get(f"{AT}/workers/{worker}/verdicts")["items"]
    return items


def test_every_batch_has_its_traps_and_they_do_not_count_for_the_order(
    service: InProcess,
) -> None:
    study(service, {"batch": 5, "traps": 2, "traps_pass": 1})
    assert add_traps(service) == {"traps": TRAPS, "quiz": 0, "not_shown": []}
    given = work(service, "ann", 15)
    for start in (0, 5, 10):
        traps = [one for one in given[start : start + 5] if one["first"].startswith("t")]
        assert len(traps) == 2
    purposes = Counter(one["purpose"] for one in log(service))
    assert purposes == {"work": 9, "trap": 6}
    assert all(one["correct"] for one in log(service) if one["purpose"] == "trap")
    assert service.get(f"{ON_TOPIC}/progress")["judgments"] == 9
    ranked = service.get(f"{ON_TOPIC}/ranking", rating="win-share")["documents"]
    assert {one["document"] for one in ranked} == {f"d{n}" for n in range(1, 13)}
    assert [one["verdict"] is not None for one in given] == [n % 5 == 4 for n in range(15)]
    assert [one["passed"] for one in verdicts(service, "ann")] == [True] * 3


def test_traps_tell_the_mind_whom_to_believe_also_after_a_restart(service: InProcess) -> None:
    study(service, {"batch": 5, "traps": 3, "on_failure": "ignore"}, selector="placement")
    add_traps(service, count=12)
    for worker, trapped in (("ann", False), ("bob", True)):
        # Too little for a verdict, and so all of it stays.
        work(service, worker, 4, trapped=trapped)
    first = service.get(f"{ON_TOPIC}/reliability")["workers"]
    with installed(service.url) as other:
        assert other.get(f"{ON_TOPIC}/reliability")["workers"] == first
    right = {one["worker"]: one["right"] for one in first}
    assert right["bob"] < right["ann"] - 0.05
    traps = [
        one["number"] for one in log(service) if one["purpose"] == "trap" and one["worker"] == "bob"
    ]
    assert traps
    gone = [{"topic": TOPIC, "numbers": traps}]
    service.post(f"{AT}/retractions", {"judgments": gone, "reason": "a bad trap"})
    after = {
        one["worker"]: one["right"] for one in service.get(f"{ON_TOPIC}/reliability")["workers"]
    }
    assert after["bob"] > right["bob"] + 0.05


def test_a_trap_looks_like_any_other_question(light: InProcess) -> None:
    study(light, {"batch": 6, "traps": 3}, size=40)
    add_traps(light)
    asked = light.next("ann", count=6)["assignments"]
    traps = [one for one in asked if is_trap(one)]
    others = [one for one in asked if not is_trap(one)]
    assert (len(traps), len(others)) == (3, 3)
    assert {frozenset(one) for one in traps} == {frozenset(one) for one in others}
    assert all(one["kind"] == "pair" for one in asked)
    told = [light.judge(one, by_number(one)).json() for one in (traps[0], others[0])]
    assert set(told[0]) == set(told[1])
    assert not {"purpose", "correct"} & set(told[0])
    places = set()
    for n in range(20):
        batch = light.next(f"worker-{n}", count=6)["assignments"]
        places |= {place for place, one in enumerate(batch) if is_trap(one)}
    assert places == set(range(6))


def test_who_fails_is_stopped_and_told_so_and_what_they_said_stays(service: InProcess) -> None:
    study(service, {"batch": 4, "traps": 2, "traps_pass": 0.5, "on_failure": "stop"})
    add_traps(service)
    given = work(service, "ann", 4, trapped=True)
    verdict = given[-1]["verdict"]
    assert (verdict["passed"], verdict["effect"]) == (False, "stop")
    assert verdict["findings"] == [{"check": "traps", "found": 0, "of": 2, "needed": 1}]
    assert service.next("ann") == {"assignments": [], "reason": "stopped"}
    assert service.next("ann", topic="coffee") == {"assignments": [], "reason": "stopped"}
    assert status(service, "ann") == "stopped"
    assert service.get(f"{ON_TOPIC}/progress")["judgments"] == 2
    assert work(service, "bob", 4)[-1]["verdict"]["passed"]
    service.send("PATCH", f"{AT}/workers/ann", {"status": "active"})
    assert service.next("ann")["assignments"]


def test_what_failed_is_ignored_where_the_study_says_so(service: InProcess) -> None:
    study(service, {"batch": 4, "traps": 2, "traps_pass": 1, "on_failure": "ignore"})
    add_traps(service)
    given = work(service, "ann", 4, trapped=True)
    assert given[-1]["verdict"]["effect"] == "ignore"
    assert service.get(f"{ON_TOPIC}/progress")["judgments"] == 0
    assert [one["retracted"] for one in log(service)] == ["batch 1 not passed"] * 4
    assert status(service, "ann") == "active"
    assert work(service, "ann", 4)[-1]["verdict"]["passed"]
    assert service.get(f"{ON_TOPIC}/progress")["judgments"] == 2


def test_what_failed_is_asked_again_and_after_the_last_attempt_the_worker_is_stopped(
    service: InProcess,
) -> None:
    quality = {"batch": 4, "traps": 2, "traps_pass": 1, "on_failure": "ask_again", "attempts": 3}
    study(service, quality)
    add_traps(service)
    first = work(service, "ann", 4, trapped=True)
    assert first[-1]["verdict"]["effect"] == "ask_again"
    assert service.get(f"{ON_TOPIC}/progress")["judgments"] == 0
    again = service.next("ann", count=10)
    assert again["reason"] == "held"
    assert {one["id"] for one in again["assignments"]} == {one["assignment"] for one in first}
    for asked in again["assignments"]:
        told = service.judge(asked, wrong(asked) if is_trap(asked) else by_number(asked))
        assert told.status_code == 201
    assert told.json()["verdict"]["attempt"] == 2
    last = work(service, "ann", 4, trapped=True)
    assert last[-1]["verdict"]["effect"] == "stop_and_ignore"
    assert service.next("ann") == {"assignments": [], "reason": "stopped"}
    assert service.get(f"{ON_TOPIC}/progress")["judgments"] == 0
    assert [one["attempt"] for one in verdicts(service, "ann")] == [1, 2, 3]


def test_a_batch_that_passes_at_the_second_attempt_counts(service: InProcess) -> None:
    quality = {"batch": 4, "traps": 2, "traps_pass": 1, "on_failure": "ask_again", "attempts": 2}
    study(service, quality)
    add_traps(service)
    work(service, "ann", 4, trapped=True)
    assert work(service, "ann", 4)[-1]["verdict"]["passed"]
    assert service.get(f"{ON_TOPIC}/progress")["judgments"] == 2
    assert service.one("ann")["attempt"] == 1


def test_a_repeated_answer_that_completed_a_batch_concludes_it_once(service: InProcess) -> None:
    study(service, {"batch": 2, "traps": 1, "traps_pass": 1})
    add_traps(service)
    work(service, "ann", 1)
    asked = service.one("ann")
    assert service.judge(asked, by_number(asked)).status_code == 201
    assert service.judge(asked, by_number(asked)).status_code == 200
    assert len(verdicts(service, "ann")) == 1


def test_nobody_gets_more_than_a_batch_before_it_is_answered(light: InProcess) -> None:
    study(light, {"batch": 3, "traps": 1})
    add_traps(light)
    asked = light.next("ann", count=10)["assignments"]
    assert len(asked) == 3
    again = light.next("ann", count=10)
    assert again["reason"] == "held"
    assert [one["id"] for one in again["assignments"]] == [one["id"] for one in asked]
    light.judge(asked[0], by_number(asked[0]))
    assert len(light.next("ann", count=10)["assignments"]) == 2


def test_what_is_given_back_is_replaced_in_the_batch(light: InProcess) -> None:
    study(light, {"batch": 3, "traps": 1})
    add_traps(light)
    asked = light.next("ann", count=3)["assignments"]
    assert light.skip(asked[0]).status_code == 200
    for one in asked[1:]:
        assert light.judge(one, by_number(one)).json()["verdict"] is None
    last = light.one("ann")
    assert last["id"] not in {one["id"] for one in asked}
    verdict = light.judge(last, by_number(last)).json()["verdict"]
    assert verdict["findings"][0]["of"] == 1


def test_too_fast_is_found(light: InProcess) -> None:
    quality = {"batch": 4, "seconds_per_document": 5, "seconds_pass": 0.75}
    study(light, quality)
    work(light, "ann", 1, seconds=1)
    assert work(light, "ann", 3, seconds=10)[-1]["verdict"]["passed"]
    work(light, "bob", 2, seconds=9.9)
    verdict = work(light, "bob", 2, seconds=100)[-1]["verdict"]
    assert verdict["findings"] == [{"check": "seconds", "found": 2, "of": 4, "needed": 3}]
    assert not verdict["passed"]


def test_repeats_measure_whether_a_worker_agrees_with_themselves(service: InProcess) -> None:
    study(service, {"batch": 6, "repeats": 2, "repeats_pass": 1, "on_failure": "ignore"})
    work(service, "ann", 6)
    given = work(service, "ann", 6)
    assert given[-1]["verdict"]["passed"]
    repeated = [one for one in log(service) if one["purpose"] == "repeat"]
    assert repeated
    works = {(one["first"], one["second"]) for one in log(service) if one["purpose"] == "work"}
    assert {(one["first"], one["second"]) for one in repeated} <= works
    # Who answers repeats the other way round than the first time is found.
    seen: dict[frozenset[str], str] = {}
    for _ in range(12):
        asked = service.one("bob")
        pair = frozenset((asked["left"]["id"], asked["right"]["id"]))
        better = by_number(asked) if pair not in seen else wrong(asked)
        seen[pair] = better
        told = service.judge(asked, better).json()
    assert not told["verdict"]["passed"]
    assert {one["check"] for one in told["verdict"]["findings"]} == {"repeats"}


def test_audit_pairs_are_kept_out_of_the_fit(light: InProcess) -> None:
    study(light, {"audits": 0.5}, selector="merge-tie-random")
    work(light, "ann", 12)
    purposes = Counter(one["purpose"] for one in log(light))
    assert purposes["audit"] >= 2
    assert light.get(f"{ON_TOPIC}/progress")["judgments"] == purposes["work"]


def test_a_quiz_comes_before_all_work_and_is_the_way_to_it(service: InProcess) -> None:
    study(service, {"quiz": 5, "quiz_pass": 0.6})
    add_traps(service, quiz=True)
    quiz = service.next("ann", count=10)
    assert quiz["reason"] == "quiz"
    assert len(quiz["assignments"]) == 5 and all(map(is_trap, quiz["assignments"]))
    for place, asked in enumerate(quiz["assignments"]):
        told = service.judge(asked, by_number(asked) if place < 3 else wrong(asked)).json()
    assert told["verdict"]["findings"] == [{"check": "quiz", "found": 3, "of": 5, "needed": 3}]
    assert told["verdict"]["passed"]
    assert not is_trap(service.one("ann"))
    assert service.get(f"{ON_TOPIC}/progress")["judgments"] == 0


def test_who_fails_the_quiz_gets_as_many_attempts_as_there_are(service: InProcess) -> None:
    study(service, {"quiz": 3, "quiz_pass": 0.84, "attempts": 2})
    add_traps(service, quiz=True)
    for effect in ("ask_again", "stop_and_ignore"):
        for _ in range(3):
            asked = service.one("ann")
            told = service.judge(asked, wrong(asked)).json()
        assert told["verdict"]["effect"] == effect
    assert service.next("ann") == {"assignments": [], "reason": "stopped"}


def understanding(service: InProcess, attempts: int) -> None:
    service.post(
        "/v1/studies",
        {"id": STUDY, "design": "s100", "quality": {"attempts": attempts}},
        status=201,
    )
    topic = {
        "id": "coffee",
        "documents": [{"id": "d1"}, {"id": "d2"}],
        "understanding": {
            "question": "What is asked for?",
            "choices": ["Tea", "Coffee", "Milk"],
            "right": "Coffee",
        },
    }
    service.post(f"{AT}/topics", topic, status=201)


def test_who_shows_that_they_understand_gets_to_work(service: InProcess) -> None:
    understanding(service, attempts=2)
    told = service.next("ann")
    assert (told["assignments"], told["reason"]) == ([], "understanding")
    assert told["understanding"] == {
        "topic": "coffee",
        "question": "What is asked for?",
        "choices": ["Tea", "Coffee", "Milk"],
    }
    path = f"{ON_TOPIC}/understanding"
    refusal(service.send("POST", path, {"worker": "ann", "choice": "Beer"}), 422, "bad-answer")
    assert service.post(path, {"worker": "ann", "choice": "Tea"})["effect"] == "ask_again"
    assert service.post(path, {"worker": "ann", "choice": "Coffee"})["passed"]
    assert service.post(path, {"worker": "ann", "choice": "Tea"})["passed"]
    assert service.one("ann")["kind"] == "single"
    for effect in ("ask_again", "stop"):
        assert service.post(path, {"worker": "bob", "choice": "Milk"})["effect"] == effect
    assert service.next("bob")["reason"] == "stopped"


def test_on_a_scale_the_known_order_is_what_is_checked(light: InProcess) -> None:
    quality = {"batch": 4, "traps": 2, "traps_pass": 1}
    light.post("/v1/studies", {"id": STUDY, "design": "s100", "quality": quality}, status=201)
    light.make_topic(8)
    golds = [
        {"documents": ["g1"], "answer": {"score": 90}},
        {"documents": ["g2"], "answer": {"score": 10}},
    ]
    documents = [{"id": "g1"}, {"id": "g2"}]
    light.post(f"{ON_TOPIC}/golds", {"documents": documents, "golds": golds})
    for worker, given, passed in (("ann", {"g1": 60, "g2": 40}, True), ("bob", {}, False)):
        for _ in range(4):
            asked = light.one(worker)
            score = given.get(asked["document"]["id"], 50)
            told = light.judge(asked, {"score": score}).json()
        assert told["verdict"]["passed"] is passed
        assert told["verdict"]["findings"] == [
            {"check": "traps", "found": int(passed), "of": 1, "needed": 1}
        ]


def test_a_batch_that_cannot_become_full_is_concluded_when_there_is_nothing_left(
    service: InProcess,
) -> None:
    quality = {"batch": 20, "traps": 20, "traps_pass": 1, "on_failure": "ignore"}
    study(service, quality, size=3)
    add_traps(service)
    while asked := service.next("ann")["assignments"]:
        assert service.judge(asked[0], wrong(asked[0])).status_code == 201
    (verdict,) = verdicts(service, "ann")
    assert verdict["findings"] == [{"check": "traps", "found": 0, "of": TRAPS, "needed": TRAPS}]
    assert {one["retracted"] for one in log(service)} == {"batch 1 not passed"}
    assert not service.get(f"{ON_TOPIC}/progress")["finished"]


BAD_GOLDS: list[tuple[Json, int]] = [
    ({"golds": []}, 422),
    ({"golds": [{"documents": ["d1", "d2"], "answer": {"preference": "best"}}]}, 422),
    ({"golds": [{"documents": ["d1"], "answer": {"preference": "left"}}]}, 422),
    ({"golds": [{"documents": ["d1", "d1"], "answer": {"preference": "left"}}]}, 422),
    ({"golds": [{"documents": ["d1", "x"], "answer": {"preference": "left"}}]}, 404),
    ({"golds": [{"documents": ["d1", "d2"], "answer": {"preference": "left"}}], "x": 1}, 422),
    (
        {
            "documents": [{"id": "d1", "text": "other"}],
            "golds": [{"documents": ["d1", "d2"], "answer": {"preference": "left"}}],
        },
        409,
    ),
]


@pytest.mark.parametrize(("body", "code"), BAD_GOLDS)
def test_known_answers_that_cannot_be_are_refused(
    service: InProcess, body: Json, code: int
) -> None:
    study(service, {"traps": 1})
    refusal(service.send("POST", f"{ON_TOPIC}/golds", body), code)
    good = {"golds": [{"documents": ["d2", "d1"], "answer": {"preference": "left"}}]}
    assert service.post(f"{ON_TOPIC}/golds", good) == {"traps": 1, "quiz": 0, "not_shown": []}
    assert service.post(f"{ON_TOPIC}/golds", good) == {"traps": 1, "quiz": 0, "not_shown": []}
    mirrored = {"golds": [{"documents": ["d1", "d2"], "answer": {"preference": "right"}}]}
    assert service.post(f"{ON_TOPIC}/golds", mirrored) == {"traps": 1, "quiz": 0, "not_shown": []}
    other = {"golds": [{"documents": ["d1", "d2"], "answer": {"preference": "left"}}]}
    refusal(service.send("POST", f"{ON_TOPIC}/golds", other), 409, "content-conflict")
