"""Pools from runs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.app.formats.files import BadFile
from nextpair.app.formats.pools import Pool, PoolDocument
from nextpair.app.formats.run_pools import pool_runs
from nextpair.app.formats.trec import run_lines
from nextpair.selectors.errors import BadInput

Scores = dict[str, dict[str, float]]


def write(folder: Path, tag: str, scores: Scores) -> Path:
    path = folder / f"{tag}.run"
    path.write_text(
        "".join(line for topic, of in scores.items() for line in run_lines(topic, of, tag)),
        encoding="utf-8",
    )
    return path


def test_a_pool_is_what_any_run_ranks_within_the_depth(tmp_path: Path) -> None:
    one = write(tmp_path, "one", {"7": {"d": 9, "a": 8, "b": 7, "c": 6}})
    two = write(tmp_path, "two", {"7": {"c": 9, "d": 8, "e": 7, "a": 6}, "3": {"x": 1}})
    assert pool_runs([one, two], 2) == [
        Pool(
            "7",
            documents=[
                PoolDocument("a", features={"one": 2, "two": 4}),
                PoolDocument("c", features={"one": 4, "two": 1}),
                PoolDocument("d", features={"one": 1, "two": 2}),
            ],
        ),
        Pool("3", documents=[PoolDocument("x", features={"one": None, "two": 1})]),
    ]


def test_ranks_that_are_none_give_way_to_scores(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("1 Q0 a 0 1.5 t\n1 Q0 b 0 9 t\n1 Q0 c 0 3 t\n", encoding="utf-8")
    (pool,) = pool_runs([path], 2)
    assert [(one.id, one.features) for one in pool.documents] == [("b", {"t": 1}), ("c", {"t": 2})]


def test_a_depth_counts_ranks_not_lines(tmp_path: Path) -> None:
    path = tmp_path / "cut"
    path.write_text("1 Q0 a 2 9 t\n1 Q0 b 40 8 t\n2 Q0 a 30 9 t\n", encoding="utf-8")
    pools = pool_runs([path], 10)
    assert [(pool.topic, [one.id for one in pool.documents]) for pool in pools] == [
        ("1", ["a"]),
        ("2", []),
    ]


def test_two_runs_of_one_tag_are_refused(tmp_path: Path) -> None:
    run = write(tmp_path, "bm25", {"1": {"a": 1}})
    with pytest.raises(BadFile, match=f"^{run}: an earlier run has the tag 'bm25' too"):
        pool_runs([run, run], 1)


@pytest.mark.parametrize("depth", [0, -1])
def test_a_pool_has_some_depth(tmp_path: Path, depth: int) -> None:
    with pytest.raises(BadInput, match="at least 1"):
        pool_runs([], depth)


def test_no_run_gives_no_pool() -> None:
    assert pool_runs([], 10) == []


OF_TOPIC = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3).map(float), min_size=1)
RUNS = st.lists(st.dictionaries(st.sampled_from("123"), OF_TOPIC, min_size=1), max_size=4)


@given(runs=RUNS, depth=st.integers(1, 5))
def test_a_pool_does_not_depend_on_the_order_of_the_runs(
    tmp_path_factory: pytest.TempPathFactory, runs: list[Scores], depth: int
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    paths = [write(folder, f"t{place}", scores) for place, scores in enumerate(runs)]
    pools = {pool.topic: pool for pool in pool_runs(paths, depth)}
    assert pools == {pool.topic: pool for pool in pool_runs(paths[::-1], depth)}
    for topic in "123":
        found = {
            document
            for scores in runs
            for document in sorted(
                scores.get(topic, {}), key=lambda name: (scores[topic][name], name), reverse=True
            )[:depth]
        }
        listed = [one.id for one in pools[topic].documents] if topic in pools else []
        assert listed == sorted(found)
