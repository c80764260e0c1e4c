"""A run at a live service is the run in this process, over SQLite and over PostgreSQL."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from installations import new_database, new_key, serving

from nextpair.app.cli import main
from nextpair.app.client import Client
from nextpair.app.schemas.exports import Format
from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.desk import LocalDesk
from nextpair.app.simulation.remote_desk import RemoteDesks
from nextpair.app.simulation.runs import Plan, judge_topic
from nextpair.app.simulation.studies import Run, Study
from nextpair.app.simulation.truths import Answer, Graded, Recorded, generated_truths
from nextpair.selectors.base import selector_names
from nextpair.selectors.errors import NextpairError
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Outcome, Pair
from nextpair.selectors.state.settings import ConflictPolicy

NOISY = CrowdSettings(40, 0.25, 0.1, 0.1)
BAD = replace(NOISY, left=0.3, reversers=0.2)
At = tuple[str, str]
"""A service's address, and a key to it."""


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[At]:
    if request.param == "sqlite":
        yield from serve(f"sqlite:///{tmp_path_factory.mktemp('remote') / 'nextpair.db'}")
    else:
        with new_database(request.getfixturevalue("postgresql_server")) as url:
            yield from serve(url)


def serve(url: str) -> Iterator[At]:
    key = new_key(url)
    with serving(url) as (address, _):
        yield address, key


@pytest.fixture
def client(service: At) -> Iterator[Client]:
    with Client(*service) as client:
        yield client


def truths(count: int = 2, size: int = 9) -> list[Graded]:
    rng = np.random.default_rng(0)
    return [
        replace(
            truth,
            documents=[
                # Names in no order: a database may give an object's fields back in its own.
                Document(one.id, {"z": rng.normal(), "a": rng.normal(), "long": None}, place / 7)
                for place, one in enumerate(truth.documents)
            ],
        )
        for truth in generated_truths(count, size, [5, 3, 2], rng)
    ]


def without_cost(study: Study, plans: Sequence[Plan]) -> list[list[Run]]:
    return [
        [
            replace(run, topics=[replace(topic, seconds=0, peak_mb=0) for topic in run.topics])
            for run in study.runs(plan)
        ]
        for plan in plans
    ]


def in_process(plans: Sequence[Plan]) -> list[list[Run]]:
    study = Study(truths(), plans, seed=3)
    assert len([*study.play()]) == len(study)
    return without_cost(study, plans)


def at_service(client: Client, plans: Sequence[Plan], jobs: int) -> list[list[Run]]:
    desks = RemoteDesks(client)
    names = desks.prepare(plans, [3])
    study = Study(truths(), plans, seed=3, desks=desks)
    assert len([*study.play(jobs)]) == len(study)
    log = [
        (one.first, one.second, one.worker, one.outcome)
        for one in client.judgments(names[-1], "t1")
    ]
    assert log == log_in_process(plans[-1])
    return without_cost(study, plans)


def log_in_process(plan: Plan) -> list[tuple[str, str, str, Outcome]]:
    log: list[tuple[str, str, str, Outcome]] = []

    class Noting(LocalDesk):
        def answer(self, pair: Pair, worker: str, answer: Answer) -> None:
            first, second = (truth.documents[place].id for place in pair)
            log.append((first, second, worker, answer.outcome))
            super().answer(pair, worker, answer)

    truth = truths()[0]
    judge_topic(truth, plan, [3, 0], Noting)
    return log


def plans_for(selector: str) -> list[Plan]:
    plans = [
        Plan(selector),
        Plan(selector, crowd=NOISY, budget=4),
        Plan(selector, crowd=NOISY, workers=6, on_conflict=ConflictPolicy.REOPEN, budget=4),
        Plan(selector, crowd=NOISY, workers=6, votes=3, budget=5),
        Plan(selector, crowd=BAD, workers=6, votes=3, budget=5),
    ]
    # To who fits anew after each answer, and does so for long, votes and conflicts are nothing.
    return plans[1::3] if selector == "information-gain" else plans


@cache
def expected(selector: str) -> list[list[Run]]:
    return in_process(plans_for(selector))


@pytest.mark.parametrize("selector", selector_names())
def test_a_run_at_a_service_is_the_run_in_process(client: Client, selector: str) -> None:
    found = at_service(client, plans_for(selector), jobs=4)
    assert found == expected(selector)
    assert sum(run.judgments for runs in found for run in runs) > 100


def test_who_says_left_means_what_the_service_shows_there(client: Client) -> None:
    plan, desks = Plan("uniform", crowd=CrowdSettings(9, left=1), workers=3), RemoteDesks(client)
    (name,) = desks.prepare([plan], [3])
    (run,) = Study(truths(1), [plan], seed=3, desks=desks).play()
    told = [(one.answer["preference"], one.outcome) for one in client.judgments(name, "t1")]
    assert set(told) == {("left", Outcome.BETTER), ("left", Outcome.WORSE)}
    assert len(told) == run.judgments


def test_the_options_of_a_plan_reach_the_service(client: Client) -> None:
    plans = [Plan("merge-tie", {"svm_judgments": 3, "pool": 8}), Plan("merge-tie")]
    assert at_service(client, plans, jobs=1) == in_process(plans)


def test_a_recorded_answer_is_filed_under_the_worker_who_was_asked(client: Client) -> None:
    answers = {
        (first, second): [Answer(Outcome.BETTER, "recorded")]
        for second in range(4)
        for first in range(second)
    }
    truth = Recorded("a topic", [Document(f"d{place}") for place in range(4)], answers)
    plan, desks = Plan("quick-sort"), RemoteDesks(client)
    (name,) = desks.prepare([plan], [0])
    study = Study([truth], [plan], desks=desks)
    (run,) = study.play()
    assert (run.tau_b, run.exact) == (1, True)
    (topic,) = client.topics(name)
    assert (topic.title, topic.documents) == ("a topic", 4)
    workers = {entry.worker for entry in client.judgments(name, topic.id)}
    assert all(worker.startswith("simulated-") for worker in workers)


def test_a_simulation_that_ends_sends_the_threads_away(client: Client) -> None:
    plan, desks = Plan("uniform"), RemoteDesks(client)
    desks.prepare([plan], [0])
    study = Study(truths(4, 30), [plan], desks=desks)
    playing = study.play(jobs=2)
    desks.stop()
    with pytest.raises(NextpairError, match="stopped"):
        next(playing)


def test_a_paused_study_is_not_waited_for(client: Client) -> None:
    plan, desks = Plan("uniform"), RemoteDesks(client)
    (name,) = desks.prepare([plan], [0])
    client.change_study(name, status="paused")
    with pytest.raises(NextpairError, match="paused"):
        [*Study(truths(), [plan], desks=desks).play()]


def test_the_command_finds_the_same_at_a_service(
    service: At, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url, key = service
    words = ["--generate", "topics=3,documents=7,grades=3/2/1", "--error", "0.2", "--workers", "4"]
    words += ["--repeat", "2"]

    def results(*more: str) -> list[dict[str, object]]:
        out = tmp_path / "out.json"
        assert main(["simulate", *words, *more, "--json", str(out)]) == 0
        found = json.loads(out.read_text(encoding="utf-8"))
        return [{**one, "seconds": 0, "peak_mb": 0} for one in found]

    here = results("--jobs", "1")
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("NEXTPAIR_KEY", key)
    assert results("--url", url, "--jobs", "3") == here
    names = [line.removeprefix("study ") for line in capsys.readouterr().err.splitlines()]
    assert len(names) == 4
    with Client(url, key) as client:
        assert set(names) <= {study.id for study in client.studies()}
        qrels = b"".join(client.export(names[0], Format.QRELS)).decode()
        assert {line.split()[0] for line in qrels.splitlines()} == {"t1", "t2", "t3"}


DRAWN = ["simulate", "--generate", "topics=1,documents=3,grades=1/1"]
NOBODY = "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--key", "np_x"], "--key has no effect without --url"),
        (["--url", NOBODY], "NEXTPAIR_KEY"),
        (["--url", NOBODY, "--key", "np_x"], "does not answer"),
        (["--url", "localhost:8000", "--key", "np_x"], "must begin with http://"),
        (["--url", NOBODY, "--key", "np_\N{BULLET}"], "no key has"),
    ],
)
def test_a_service_that_cannot_be_called_is_one_line(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    message: str,
) -> None:
    monkeypatch.delenv("NEXTPAIR_KEY", raising=False)
    assert main([*DRAWN, *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("nextpair: ")
    assert message in line


def test_what_the_service_refuses_is_one_line(
    service: At, capsys: pytest.CaptureFixture[str]
) -> None:
    url, key = service
    assert main([*DRAWN, "--url", url, "--key", "np_none_x"]) == 2
    assert main([*DRAWN, "--url", url, "--key", key, "--votes", "100"]) == 2
    wrong_key, many_votes = capsys.readouterr().err.splitlines()
    assert "not one of this installation's" in wrong_key
    assert many_votes.startswith("nextpair: votes: ")
