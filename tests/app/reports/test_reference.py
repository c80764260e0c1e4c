"""A study against a reference and by systems: numbers that can be checked by hand."""

from pathlib import Path

import pytest

from nextpair.app.formats.files import BadFile
from nextpair.app.reports.reference import compare_with_reference, list_some
from nextpair.app.reports.systems import compare_runs, read_runs
from nextpair.selectors.errors import BadInput

SCORES = {"1": {"a": 3.0, "b": 2.0, "c": 1.0, "x": 9.0}, "2": {"d": 1.0, "e": 0.0}, "3": {"f": 0.0}}
GRADES = {"1": {"a": 1, "b": 0, "c": 0, "y": 1}, "2": {"d": 0, "e": 1}, "9": {"z": 1}}


def test_pairs_are_counted_over_documents_that_have_both() -> None:
    found = compare_with_reference(GRADES, SCORES, "ref")
    one, two = found.topics
    assert (one.documents, one.pairs.agree, one.pairs.disagree, one.pairs.unknown) == (3, 2, 0, 1)
    assert (two.documents, two.pairs.agree, two.pairs.disagree, two.pairs.unknown) == (2, 0, 1, 0)
    assert one.agreement == pytest.approx(2 / 3)
    assert (one.ordered_agreement, one.auc) == (1.0, 1.0)
    assert (two.agreement, two.ordered_agreement, two.auc, two.tau) == (0.0, 0.0, 0.0, -1.0)
    # Two pairs alike, none opposite; three pairs that the scores order, two that the grades do.
    assert one.tau == pytest.approx(2 / (3 * 2) ** 0.5)
    assert (found.documents, found.pairs.agree, found.auc) == (5, 2, 0.5)
    assert (found.only_in_study, found.only_in_reference) == (["3"], ["9"])


def test_where_the_reference_orders_nothing_there_is_nothing_to_tell() -> None:
    found = compare_with_reference({"1": {"a": 1, "b": 1}}, SCORES, "ref")
    assert (found.tau, found.auc, found.ordered_agreement) == (None, None, None)
    assert found.agreement == 0.0


def test_a_reference_of_other_topics_or_documents_is_refused() -> None:
    with pytest.raises(BadInput, match=r"qrels: no topic .* the study has 1, 2, 3, the file 401"):
        compare_with_reference({"401": {"a": 1}}, SCORES, "x.qrels")
    with pytest.raises(BadInput, match="no document of the study has a grade"):
        compare_with_reference({"1": {"q": 1}}, SCORES, "x.qrels")
    assert list_some([str(n) for n in range(7)]) == "0, 1, 2, 3, 4 and 2 more"


RUNS = {"good": {"1": ["a", "b", "c"], "2": ["e"]}, "bad": {"1": ["c", "b", "a"]}}


def test_systems_get_the_sums_of_their_gains() -> None:
    found = compare_runs(RUNS, GRADES, SCORES)
    assert found.topics == ["1", "2"]
    good, bad = found.systems
    assert (good.system, bad.system) == ("good", "bad")
    # By the reference: one document, at the first and at the third place; and e first, or nowhere.
    assert good.rbp_reference == pytest.approx((0.1 + 0.1) / 2)
    assert bad.rbp_reference == pytest.approx((0.1 * 0.9**2 + 0) / 2)
    # By the study: a, b and c are worth 2/8, 1/8 and 0, with x at 1; e is the worst of its topic.
    assert good.rbp_study == pytest.approx((0.1 * (0.25 + 0.125 * 0.9) + 0) / 2)
    assert bad.rbp_study == pytest.approx(0.1 * (0.125 * 0.9 + 0.25 * 0.9**2) / 2)
    assert [one.measure for one in found.measures] == ["RBP 0.9", "nDCG@10"]
    by_rbp = found.measures[0]
    assert by_rbp.tau == pytest.approx(1.0)
    assert by_rbp.pairs.agree == 1
    assert by_rbp.discrimination is not None
    assert sum(dict(by_rbp.discrimination).values()) == 1


def test_scores_on_a_bounded_scale_keep_its_ends_in_every_topic() -> None:
    # The one finds the only document of a topic without a good one, the other half of the good.
    runs = {"one": {"1": ["poor"], "2": []}, "other": {"1": [], "2": ["half"]}}
    scores = {"1": {"poor": 10.0, "none": 0.0}, "2": {"half": 50.0, "full": 100.0}}
    grades = {"1": {"poor": 0, "none": 0}, "2": {"half": 1, "full": 2}}
    bounded = {
        one.system: one.rbp_study for one in compare_runs(runs, grades, scores, (0, 100)).systems
    }
    assert bounded["one"] == pytest.approx(0.1 * 0.1 / 2)
    assert bounded["other"] == pytest.approx(0.1 * 0.5 / 2)
    # Stretched from the worst to the best of each topic, systems would change places.
    stretched = {one.system: one.rbp_study for one in compare_runs(runs, grades, scores).systems}
    assert stretched["one"] > stretched["other"] == 0


def test_differences_are_told_apart_by_both_one_or_none() -> None:
    topics = [str(n) for n in range(12)]
    grades = {topic: {"good": 1, "bad": 0} for topic in topics}
    # The study says the same of good and bad, and nothing of a third, which is as bad.
    scores = {topic: {"good": 1.0, "bad": 0.0} for topic in topics}
    runs = {
        "first": {topic: ["good"] for topic in topics},
        "last": {topic: ["bad"] for topic in topics},
        "never": {topic: ["other"] for topic in topics},
    }
    told = compare_runs(runs, grades, scores).measures[0].discrimination
    assert told is not None
    assert (told.true_positive, told.false_positive) == (2, 0)
    assert (told.false_negative, told.true_negative) == (0, 1)


def test_one_topic_has_no_differences_to_test() -> None:
    found = compare_runs(RUNS, {"1": GRADES["1"]}, SCORES)
    assert [one.discrimination for one in found.measures] == [None, None]
    assert found.measures[0].tau == pytest.approx(1.0)


def test_runs_of_other_topics_are_refused() -> None:
    with pytest.raises(BadInput, match="the runs have no topic"):
        compare_runs({"s": {"77": ["a"]}, "t": {}}, GRADES, SCORES)


def run(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")


def test_a_folder_of_runs_is_read_by_tags(tmp_path: Path) -> None:
    run(tmp_path, "one.txt", "1 Q0 b 2 1.0 one\n1 Q0 a 1 2.0 one\n")
    run(tmp_path, "two.txt", "1 Q0 c 1 1.0 two\n")
    run(tmp_path, ".DS_Store", "no run")
    (tmp_path / "more").mkdir()
    assert read_runs(tmp_path) == {"one": {"1": ["a", "b"]}, "two": {"1": ["c"]}}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "it has 0"),
        ({"a": "1 Q0 x 1 1.0 a\n"}, "it has 1"),
        ({"a": "1 Q0 x 1 1.0 a\n", "b": "garbage\n"}, r"b:1: a run has six fields"),
        ({"a": "1 Q0 x 1 1.0 a\n", "b": "1 Q0 x 1 high b\n"}, "b:1: a score must be a number"),
        ({"a": "1 Q0 x 1 1.0 a\n", "b": "1 Q0 x 1 1.0 a\n"}, "b: another run .* the tag 'a'"),
    ],
)
def test_a_folder_that_cannot_be_is_refused(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    for name, text in files.items():
        run(tmp_path, name, text)
    with pytest.raises(BadFile, match=message):
        read_runs(tmp_path)
    with pytest.raises(BadFile, match="there is no such folder"):
        read_runs(tmp_path / "none")
