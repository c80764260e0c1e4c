"""Retraction: judgments or a whole worker, foreseen exactly, and nothing done by halves."""

import pytest
from in_process import AT, ON_TOPIC, InProcess, Json, pair_of, refusal

WAY = f"{AT}/retractions"


@pytest.fixture
def judged(service: InProcess) -> InProcess:
    """A service with two topics that two workers have judged to the end."""
    service.make_study()
    service.make_topic(6)
    service.make_topic(4, "tea")
    service.judge_all("ann", "bob")
    return service


def everything(service: InProcess) -> list[Json]:
    paths = [f"{AT}/topics/{topic}" for topic in ("coffee", "tea")]
    views = ("ranking", "progress", "judgments", "conflicts")
    return [service.get(f"{path}/{view}") for path in paths for view in views] + [
        service.get(f"{AT}/topics"),
        service.get(f"{AT}/workers"),
    ]


def log_of(service: InProcess) -> list[Json]:
    logs = [service.get(f"{AT}/topics/{topic}/judgments") for topic in ("coffee", "tea")]
    return [entry for log in logs for entry in log["items"]]


def ranks(service: InProcess, topic: str) -> dict[str, list[int]]:
    ranking = service.get(f"{AT}/topics/{topic}/ranking")["documents"]
    return {one["document"]: one["ranks"] for one in ranking}


@pytest.mark.parametrize(
    "what",
    [
        {"worker": "ann"},
        {"judgments": [{"topic": "coffee", "numbers": [1, 3, 3]}]},
        {
            "judgments": [
                {"topic": "tea", "numbers": [2]},
                {"topic": "coffee", "numbers": [1]},
            ]
        },
    ],
    ids=["worker", "one topic", "two topics"],
)
def test_a_dry_run_changes_nothing_and_foretells_what_the_real_one_does(
    judged: InProcess, what: Json
) -> None:
    before, old = everything(judged), {topic: ranks(judged, topic) for topic in ("coffee", "tea")}
    foretold = judged.post(WAY, {**what, "dry_run": True})
    assert everything(judged) == before
    done = judged.post(WAY, what)
    assert {**foretold, "dry_run": False} == done
    assert done["judgments"] == sum(len(topic["judgments"]) for topic in done["topics"]) > 0
    for effect in done["topics"]:
        progress = judged.get(f"{AT}/topics/{effect['topic']}/progress")
        assert progress["judgments"] == effect["after"]["judgments"]
        assert progress["classes"] == effect["after"]["classes"]
        assert progress["settled"] == effect["after"]["settled"]
        known = progress["documents"] * (progress["documents"] - 1) // 2
        assert known - progress["unknown_pairs"] == effect["after"]["known_pairs"]
        was, is_now = old[effect["topic"]], ranks(judged, effect["topic"])
        assert {one["document"]: (one["before"], one["after"]) for one in effect["moved"]} == {
            name: (was[name], is_now[name]) for name in was if was[name] != is_now[name]
        }
        assert effect["moved_documents"] == len(effect["moved"])


def test_a_retracted_worker_is_gone_from_every_topic_but_stays_in_the_log(
    judged: InProcess,
) -> None:
    log = log_of(judged)
    mine = {(one["topic"], one["number"]) for one in log if one["worker"] == "ann"}
    done = judged.post(WAY, {"worker": "ann", "reason": "a robot"})
    assert {
        (topic["topic"], number) for topic in done["topics"] for number in topic["judgments"]
    } == mine
    after = log_of(judged)
    assert len(after) == len(log)
    assert {(one["topic"], one["number"]) for one in after if one["retracted"]} == mine
    assert {one["retracted"] for one in after} == {None, "a robot"}
    (ann, bob) = judged.get(f"{AT}/workers")["items"]
    assert (ann["answered"], ann["retracted"]) == (0, len(mine))
    assert bob["answered"] == len(log) - len(mine)


def test_what_is_retracted_twice_is_retracted_once(judged: InProcess) -> None:
    what = {"judgments": [{"topic": "coffee", "numbers": [1, 2]}]}
    assert judged.post(WAY, what)["judgments"] == 2
    before = everything(judged)
    again = judged.post(WAY, what)
    assert again["judgments"] == 0
    assert again["topics"][0]["before"] == again["topics"][0]["after"]
    assert everything(judged) == before
    assert judged.post(WAY, {"worker": "ann"})["judgments"] > 0
    assert judged.post(WAY, {"worker": "ann"}) == {"dry_run": False, "judgments": 0, "topics": []}


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ({"judgments": [{"topic": "tea", "numbers": [1]}, {"topic": "coffee", "numbers": [999]}]},
         "unknown-judgment"),
        ({"judgments": [{"topic": "tea", "numbers": [1]}, {"topic": "milk", "numbers": [1]}]},
         "unknown-topic"),
        ({"worker": "zoe"}, "unknown-worker"),
    ],
    ids=["number", "topic", "worker"],
)  # fmt: skip
def test_an_unknown_part_leaves_the_whole_undone(judged: InProcess, what: Json, kind: str) -> None:
    before = everything(judged)
    refusal(judged.send("POST", WAY, what), 404, kind)
    assert everything(judged) == before


@pytest.mark.parametrize(
    "what",
    [
        {},
        {"worker": "ann", "judgments": [{"topic": "coffee", "numbers": [1]}]},
        {"judgments": [{"topic": "coffee", "numbers": []}]},
        {"judgments": [{"topic": "coffee", "numbers": [0]}]},
        {"judgments": [{"topic": "coffee", "numbers": [10**30]}]},
        {"judgments": [{"topic": "coffee", "numbers": [1]}] * 2},
    ],
)
def test_a_retraction_that_cannot_be_meant_is_refused(light: InProcess, what: Json) -> None:
    light.make_study()
    refusal(light.send("POST", WAY, what), 422, "invalid")


def test_a_retracted_pair_is_asked_again_but_not_of_its_worker(service: InProcess) -> None:
    service.make_study()
    service.make_topic(2)
    asked = service.one("ann")
    service.judge(asked)
    assert service.next("bob")["reason"] == "done"
    service.post(WAY, {"worker": "ann"})
    assert service.next("ann")["assignments"] == []
    assert pair_of(service.one("bob")) == pair_of(asked)


def test_a_retraction_equals_never_having_happened(judged: InProcess) -> None:
    judged.post(WAY, {"judgments": [{"topic": "coffee", "numbers": [1, 2, 3, 4]}]})
    warm = judged.get(f"{ON_TOPIC}/ranking")
    judged.app.state.service.topics._slots.clear()
    assert judged.get(f"{ON_TOPIC}/ranking") == warm
    judged.judge_all("cid", topic="coffee")
    best_first = [[f"d{number}"] for number in range(1, 7)]
    assert judged.get(f"{ON_TOPIC}/ranking")["classes"] == best_first
