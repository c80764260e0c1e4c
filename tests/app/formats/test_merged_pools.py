"""Topics, runs and documents put together."""

from pathlib import Path

import pytest

from nextpair.app.formats.documents import Found, read_documents
from nextpair.app.formats.files import BadFile
from nextpair.app.formats.merged_pools import merge_pools
from nextpair.app.formats.pools import Pool, PoolDocument
from nextpair.app.formats.run_pools import pool_runs
from nextpair.app.formats.trec_topics import read_topics
from nextpair.selectors.state.documents import Document, Documents


def found(topic: str | None, name: str, text: str = "text", **features: float) -> Found:
    return f"file:{name}", topic, PoolDocument(name, text=text, features=features)


def ranked(topic: str, **ranks: float | None) -> Pool:
    return Pool(
        topic,
        documents=[PoolDocument(name, features={"run": rank}) for name, rank in ranks.items()],
    )


def test_three_kinds_of_files_become_pools(tmp_path: Path) -> None:
    texts = {
        "topics": "2\ttwo\n1\tone\n",
        "run": "1 Q0 a 1 9 bm25\n1 Q0 b 2 8 bm25\n1 Q0 c 3 7 bm25\n2 Q0 a 1 5 bm25\n",
        "documents": '{"id": "a", "text": "A", "prior": 1}\n{"id": "b", "topic": 1, "html": "B"}\n',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    pools, warnings = merge_pools(
        read_topics(tmp_path / "topics"),
        pool_runs([tmp_path / "run"], 2),
        read_documents(tmp_path / "documents"),
    )
    assert pools == [
        Pool("2", "two", documents=[PoolDocument("a", text="A", features={"bm25": 1}, prior=1)]),
        Pool(
            "1",
            "one",
            documents=[
                PoolDocument("a", text="A", features={"bm25": 1}, prior=1),
                PoolDocument("b", html="B", features={"bm25": 2}),
            ],
        ),
    ]
    assert warnings == []


def test_without_runs_the_documents_make_the_pools_in_their_order() -> None:
    pools, warnings = merge_pools(documents=[found("2", "z"), found("1", "b"), found("2", "a")])
    assert [(pool.topic, [one.id for one in pool.documents]) for pool in pools] == [
        ("2", ["z", "a"]),
        ("1", ["b"]),
    ]
    assert warnings == []


def test_all_documents_of_a_pool_have_the_same_features() -> None:
    (pool,), _ = merge_pools(documents=[found("1", "a", f=1.0), found("1", "b", g=2.0)])
    assert [one.features for one in pool.documents] == [{"f": 1, "g": None}, {"f": None, "g": 2}]
    Documents([Document(one.id, one.features, one.prior) for one in pool.documents])


def test_ranks_stand_beside_the_features_of_documents_that_have_text_or_not() -> None:
    (pool,), _ = merge_pools([], [ranked("1", a=1, b=2)], [found("1", "b", f=5.0)])
    assert [one.features for one in pool.documents] == [{"run": 1, "f": None}, {"run": 2, "f": 5}]


def test_documents_without_text_are_counted_and_the_first_few_are_named() -> None:
    pool = ranked("1", **dict.fromkeys("abcdefgh"))
    linked: Found = ("file:1", "1", PoolDocument("b", url="https://x.example"))
    _, warnings = merge_pools([], [pool], [found("1", "a"), found("1", "c", ""), linked])
    assert warnings == [
        "topic 1: 7 documents of 8 with neither text nor HTML (1 with a URL): b, c, d, e, f, ..."
    ]


def test_what_fits_nowhere_is_left_out_with_a_warning() -> None:
    pools, warnings = merge_pools(
        [Pool("1", "one"), Pool("2", "two")],
        [ranked("1", a=1), ranked("3", c=1), ranked("4")],
        [found(None, "a"), found("3", "a"), found("3", "c"), found("1", "x"), found(None, "y")],
    )
    assert [(pool.topic, pool.title, [one.id for one in pool.documents]) for pool in pools] == [
        ("1", "one", ["a"]),
        ("3", "", ["c"]),
    ]
    assert warnings == [
        "2 topics without documents, left out: 2, 4",
        "1 topic not in the topics file, without a title: 3",
        "3 documents in no pool, left out: a, x, y",
    ]


def test_a_document_that_names_no_topic_needs_runs_that_do() -> None:
    with pytest.raises(BadFile, match=r"^file:a: document a names no topic"):
        merge_pools(documents=[found(None, "a")])


@pytest.mark.parametrize("with_runs", [True, False])
def test_a_document_that_comes_twice_is_refused(with_runs: bool) -> None:
    pools = [ranked("1", a=1), ranked("2", a=1)] if with_runs else None
    twice = [found("1", "a"), found("2", "a"), found("1", "a")]
    with pytest.raises(BadFile, match=r"^file:a: topic 1 has document a twice"):
        merge_pools([], pools, twice)
    assert len(merge_pools([], pools, twice[:2])[0]) == 2


def test_a_text_for_all_topics_and_one_for_a_topic_are_one_too_many() -> None:
    with pytest.raises(BadFile, match=r"^file:a: topic 1 has document a twice"):
        merge_pools([], [ranked("1", a=1)], [found("1", "a"), found(None, "a")])


def test_a_feature_that_is_the_tag_of_a_run_too_is_refused() -> None:
    with pytest.raises(BadFile, match=r"^file:a: the feature 'run' is the tag of a run too"):
        merge_pools([], [ranked("1", a=1)], [found("1", "a", run=3.0)])


def test_nothing_gives_nothing() -> None:
    assert merge_pools() == ([], [])
