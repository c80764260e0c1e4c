"""Every mode computes with one thread, and so comes to the same result, bit for bit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import watched_threads
from installations import new_key, serving
from threadpoolctl import threadpool_info, threadpool_limits

from nextpair.app.client import Client
from nextpair.app.schemas.topics import DocumentIn, TopicIn
from nextpair.app.simulation.runs import Plan, TopicRun
from nextpair.app.simulation.studies import Study
from nextpair.app.simulation.truths import Graded
from nextpair.selectors.base import selector_names
from nextpair.selectors.state.documents import Document

STUDY = "--generate topics=3,documents=12 --error 0.15 --workers 3 --budget 3 --no-baseline".split()
LOUD = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
"""Several threads, wherever the environment is believed."""


def run(*words: object, **environment: object) -> None:
    subprocess.run(
        [sys.executable, *map(str, words)],
        env={**os.environ, **LOUD, **{name: str(value) for name, value in environment.items()}},
        capture_output=True,
        check=True,
    )


def notes(folder: Path) -> dict[str, dict[str, int]]:
    """Return the threads of each library, by the process and the thread that noted them."""
    return {
        path.stem: dict(json.loads(path.read_text(encoding="utf-8")))
        for path in folder.glob("*.json")
    }


def assert_single(folder: Path) -> None:
    found = notes(folder)
    assert found
    for threads in found.values():
        # Both kinds are loaded: the selectors bring them.
        assert threads == {"openblas": 1, "openmp": 1}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_simulation_computes_with_one_thread_in_every_process(jobs: int, tmp_path: Path) -> None:
    words = [*STUDY, "--selector", "merge-tie", "--jobs", jobs]
    run(watched_threads.__file__, "simulate", *words, WATCHED_THREADS=tmp_path)
    assert_single(tmp_path)


def test_a_simulation_at_a_service_computes_with_one_thread(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'nextpair.db'}"
    key, folder = new_key(url), tmp_path / "notes"
    folder.mkdir()
    with serving(url) as (address, _):
        words = [*STUDY, "--selector", "merge-tie", "--url", address, "--jobs", 2]
        run(
            *(watched_threads.__file__, "simulate", *words),
            WATCHED_THREADS=folder,
            NEXTPAIR_KEY=key,
        )
    assert_single(folder)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_service_computes_with_one_thread_in_every_process(
    processes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'nextpair.db'}"
    key, folder = new_key(url), tmp_path / "notes"
    folder.mkdir()
    for name, value in {**LOUD, watched_threads.NOTES: str(folder)}.items():
        monkeypatch.setenv(name, value)
    program = [sys.executable, watched_threads.__file__]
    with serving(url, processes, program=program) as (address, _), Client(address, key) as client:
        client.create_study("s", selector="merge-tie")
        documents = [DocumentIn(id=name, text=name) for name in "ab"]
        client.add_topic("s", TopicIn(id="t", documents=documents))
        client.ranking("s", "t")
    assert_single(folder)


def test_one_and_three_processes_come_to_the_same_bits(tmp_path: Path) -> None:
    found = []
    selectors = [word for name in selector_names() for word in ("--selector", name)]
    for jobs in (1, 3):
        file = tmp_path / f"{jobs}.json"
        words = [*STUDY, *selectors, "--jobs", jobs, "--json", file]
        run("-m", "nextpair.app.cli", "simulate", *words, PYTHONHASHSEED=jobs)
        found.append(json.loads(file.read_text(encoding="utf-8")))
    for one in (run for runs in found for run in runs):
        one.pop("seconds"), one.pop("peak_mb")
    assert found[0] == found[1]


def test_a_study_leaves_the_threads_of_its_process_as_they_were() -> None:
    truth = Graded("t", [Document(name) for name in "abc"], [0, 1, 2])
    study = Study([truth], [Plan("merge-tie")])
    list(study.play())  # now all libraries are loaded
    before = dict(os.environ)
    with threadpool_limits(2):
        assert [type(one) for one in study.play()] == [TopicRun]
        assert {one["num_threads"] for one in threadpool_info()} == {2}
    assert dict(os.environ) == before
