"""The words of `nextpair simulate`, and those it refuses."""

import argparse
from pathlib import Path

import pytest

from nextpair.app.formats.files import BadFile
from nextpair.app.simulation.arguments import add_arguments
from nextpair.app.simulation.crowd import CrowdSettings
from nextpair.app.simulation.inputs import baseline_plan, make_plans, read_truths
from nextpair.app.simulation.runs import Plan
from nextpair.app.simulation.truths import Graded, Recorded
from nextpair.selectors.errors import BadInput, BadOption, UnknownOption
from nextpair.selectors.state.settings import DEFAULT_SELECTOR, ConflictPolicy

QRELS = "7 0 a 1\n7 0 b 0\n9 0 a 2\n2 0 c 0\n"


def parse(*words: str | Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args([str(word) for word in words])


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    path = tmp_path / "qrels"
    path.write_text(QRELS, encoding="utf-8")
    return path


def topics(*words: str | Path) -> list[str]:
    return [truth.topic for truth in read_truths(parse(*words))]


def test_qrels_give_the_topics(qrels: Path) -> None:
    assert topics("--qrels", qrels) == ["7", "9", "2"]


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ("9", ["9"]),
        ("2,7", ["2", "7"]),
        ("1", ["7"]),
        ("3", ["7", "9", "2"]),
    ],
)
def test_topics_are_chosen_by_their_ids_or_as_the_first_so_many(
    qrels: Path, wanted: str, chosen: list[str]
) -> None:
    assert topics("--qrels", qrels, "--topics", wanted) == chosen


@pytest.mark.parametrize(
    ("wanted", "unknown"), [("7,8", "8"), ("x", "x"), ("-1", "-1"), ("²", "²")]
)
def test_a_topic_that_does_not_exist_is_named(qrels: Path, wanted: str, unknown: str) -> None:
    with pytest.raises(BadOption, match=f"^--topics: there is no topic {unknown}$"):
        topics("--qrels", qrels, f"--topics={wanted}")


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("0", "--topics 0: there are 3 topics"),
        ("50", "--topics 50: there are 3 topics"),
        ("7,7", "--topics 7,7 names a topic twice"),
    ],
)
def test_topics_that_cannot_be_chosen_are_refused(qrels: Path, wanted: str, message: str) -> None:
    with pytest.raises(BadOption, match=message):
        topics("--qrels", qrels, "--topics", wanted)


def test_features_may_bring_the_grades(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("topic,doc,grade,f\n1,a,1,3\n1,b,0,4\n", encoding="utf-8")
    (truth,) = read_truths(parse("--features", path))
    assert truth.scores.tolist() == [1, 0]
    assert [dict(document.features) for document in truth.documents] == [{"f": 3}, {"f": 4}]


def test_features_and_runs_stand_beside_qrels(tmp_path: Path, qrels: Path) -> None:
    table, run = tmp_path / "f.csv", tmp_path / "run"
    table.write_text("topic,doc,f\n7,a,3\n", encoding="utf-8")
    run.write_text("7 Q0 b 1 5.0 tag\n", encoding="utf-8")
    first, *_ = read_truths(parse("--qrels", qrels, "--features", table, "--features", run))
    assert [dict(document.features) for document in first.documents] == [
        {"f": 3, "tag": None},
        {"f": None, "tag": 1},
    ]


def test_recorded_answers_are_replayed_with_the_columns_and_words_named(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("q,x,y,who,says\n1,a,b,anna,left\n", encoding="utf-8")
    words = ["--columns", "q,x,y,who,says", "--answers", "left,right,same"]
    (truth,) = read_truths(parse("--replay", path, *words))
    assert isinstance(truth, Recorded)
    assert truth.scores.tolist() == [1, 0]


def test_topics_can_be_drawn() -> None:
    truths = read_truths(parse("--generate", "topics=2,documents=5,grades=0/1/0,seed=3"))
    assert [truth.scores.tolist() for truth in truths] == [[1] * 5] * 2


def test_drawing_depends_on_its_own_seed_only() -> None:
    specs = ["documents=50,seed=1", "documents=50,seed=1", "documents=50,seed=2"]
    one, again, other = (
        [truth.grades for truth in read_truths(parse("--generate", spec)) if type(truth) is Graded]
        for spec in specs
    )
    assert one == again != other


@pytest.mark.parametrize("spec", ["sizes=3", "topics=1,,", "", "3"])
def test_a_part_of_a_drawing_nobody_knows_is_refused(spec: str) -> None:
    with pytest.raises(UnknownOption, match=r"^--generate has no .*it has topics, documents"):
        topics("--generate", spec)


@pytest.mark.parametrize(
    "spec",
    [
        *["topics=0", "topics=x", "documents=0", "documents=1.5", "seed=-1", "topics="],
        *["grades=0/0", "grades=-1/2", "grades=a/b", "grades=nan/1", "grades=inf/1", "grades="],
    ],
)
def test_a_drawing_that_cannot_be_made_is_refused(spec: str) -> None:
    with pytest.raises(BadOption, match=f"^--generate {spec}: "):
        topics("--generate", spec)


def test_something_must_say_what_is_true(tmp_path: Path) -> None:
    ungraded = tmp_path / "f.csv"
    ungraded.write_text("topic,doc,f\n1,a,3\n", encoding="utf-8")
    needed = r"^give --qrels, --generate, --replay, or --features"
    with pytest.raises(BadOption, match=needed):
        topics()
    with pytest.raises(BadOption, match=needed):
        topics("--features", ungraded)


@pytest.mark.parametrize("other", ["--generate", "--replay"])
def test_only_one_may_say_what_is_true(qrels: Path, other: str) -> None:
    with pytest.raises(BadOption, match=f"^--qrels and {other} cannot both say what is true$"):
        topics("--qrels", qrels, other, "topics=1")


@pytest.mark.parametrize("words", [["--columns", "a,b"], ["--answers", "yes,no"]])
def test_a_replay_says_what_it_needs(tmp_path: Path, words: list[str]) -> None:
    with pytest.raises(BadOption, match=r"needs (five|three) different"):
        topics("--replay", tmp_path / "r.csv", *words)


@pytest.mark.parametrize(
    ("source", "text"), [("--qrels", ""), ("--replay", "topic,first,second,worker,answer\n")]
)
def test_a_file_without_any_topic_is_refused(tmp_path: Path, source: str, text: str) -> None:
    path = tmp_path / "empty"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput):
        topics(source, path)


def test_a_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    for source in ("--qrels", "--replay", "--features"):
        with pytest.raises(BadFile, match=str(tmp_path / "nowhere")):
            topics(source, tmp_path / "nowhere")


def test_every_word_reaches_the_plan() -> None:
    words = "--selector uniform --votes 3 --on-conflict reopen --workers 4 --budget 2.5 "
    words += "--max-documents 30 --crowd 40 --error 0.2 --error-spread 0.1 --spammers 0.05 "
    words += "--left 0.15 --reversers 0.25"
    crowd = CrowdSettings(40, 0.2, 0.1, spammers=0.05, left=0.15, reversers=0.25)
    expected = Plan("uniform", {}, crowd, 3, ConflictPolicy.REOPEN, 4, 2.5, 30)
    assert make_plans(parse(*words.split())) == [expected]


def test_placement_is_simulated_beside_quick_sort_unless_said_otherwise() -> None:
    assert make_plans(parse()) == [Plan(DEFAULT_SELECTOR)]
    assert baseline_plan(parse("--selector", "merge-tie", "--option", "pool=3")) == Plan(
        "quick-sort"
    )


def test_the_crowd_grows_with_those_who_answer_at_once() -> None:
    (plan,) = make_plans(parse("--workers", "150"))
    assert plan.crowd.size == 150


def test_an_option_goes_to_every_selector_that_has_it() -> None:
    given = parse(*"--selector merge-tie --selector uniform --option pool=3".split())
    assert [(plan.selector, len(plan.options)) for plan in make_plans(given)] == [
        ("merge-tie", 1),
        ("uniform", 0),
    ]


def test_a_selector_named_twice_is_simulated_once() -> None:
    assert len(make_plans(parse("--selector", "uniform", "--selector", "uniform"))) == 1
