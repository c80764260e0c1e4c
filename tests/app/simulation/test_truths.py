"""What simulated workers know: grades, or recorded answers."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.app.formats.features import FeatureTable, read_features
from nextpair.app.formats.files import BadFile
from nextpair.app.simulation.crowd import SimulatedWorker
from nextpair.app.simulation.truths import (
    Answer,
    Graded,
    NoRecordedAnswer,
    Question,
    Recorded,
    generated_truths,
    graded_truths,
    recorded_truths,
)
from nextpair.selectors.errors import BadInput, BadOption
from nextpair.selectors.state.documents import Document
from nextpair.selectors.state.judgments import Outcome

B, W, T = Outcome.BETTER, Outcome.WORSE, Outcome.TIE
COLUMNS = ["topic", "first", "second", "worker", "answer"]
ANSWERS = ["better", "worse", "tie"]
HEADER = ",".join(COLUMNS) + "\n"
SOMEONE = SimulatedWorker("w1")


def documents(ids: str) -> list[Document]:
    return [Document(one) for one in ids]


def recorded(folder: Path, text: str) -> list[Recorded]:
    path = folder / "recorded.csv"
    path.write_text(HEADER + text, encoding="utf-8")
    return recorded_truths(path, COLUMNS, ANSWERS)


@pytest.mark.parametrize(
    ("pair", "outcome"), [((0, 1), W), ((1, 0), B), ((0, 2), T), ((1, 2), B), ((2, 1), W)]
)
def test_the_higher_grade_is_better(pair: tuple[int, int], outcome: Outcome) -> None:
    judge = Graded("1", documents("abc"), [0, 2, 0]).judge()
    assert judge.answer(Question(pair), SOMEONE, np.random.default_rng(0)) == Answer(outcome, "w1")


def test_grades_are_answered_as_the_worker_who_is_asked_would() -> None:
    judge = Graded("1", documents("ab"), [1, 1]).judge()
    wrong = SimulatedWorker("w2", error=1.0)
    assert judge.answer(Question((0, 1)), wrong, np.random.default_rng(0)).outcome is not T


def test_a_sample_of_graded_documents_keeps_their_grades() -> None:
    sample = Graded("1", documents("abc"), [0, 2, 1]).sample([2, 1])
    assert [document.id for document in sample.documents] == ["c", "b"]
    assert sample.scores.tolist() == [1, 2]


def test_graded_truths_have_the_features_of_their_documents(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("topic,doc,f\n1,a,5\n2,a,6\n", encoding="utf-8")
    one, two = graded_truths({"1": {"a": 1, "b": 0}, "2": {"a": 2}}, read_features([path]))
    assert one.documents == [Document("a", {"f": 5}), Document("b", {"f": None})]
    assert two.documents == [Document("a", {"f": 6})]
    assert (one.topic, one.grades, two.topic, two.grades) == ("1", [1, 0], "2", [2])


def test_without_grades_there_is_no_topic() -> None:
    assert graded_truths({}, FeatureTable()) == []


def test_recorded_answers_are_read_by_topic(tmp_path: Path) -> None:
    one, two = recorded(tmp_path, "1,a,b,anna,better\n2,a,c,ben,tie\n1,b,c,ben,worse\n")
    assert ([d.id for d in one.documents], [d.id for d in two.documents]) == (
        ["a", "b", "c"],
        ["a", "c"],
    )
    assert one.answers == {(0, 1): [Answer(B, "anna")], (1, 2): [Answer(W, "ben")]}
    assert two.answers == {(0, 1): [Answer(T, "ben")]}


def test_other_columns_and_words_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("v,who,x,y,t,rest\na2,anna,a,b,1,!\n", encoding="utf-8")
    (truth,) = recorded_truths(path, ["t", "x", "y", "who", "v"], ["a1", "a2", "equal"])
    assert truth.answers == {(0, 1): [Answer(W, "anna")]}


def test_an_answer_recorded_with_sides_reversed_is_turned(tmp_path: Path) -> None:
    text = "1,a,b,anna,better\n1,b,a,ben,better\n1,b,a,eva,tie\n"
    (truth,) = recorded(tmp_path, text)
    assert truth.answers == {(0, 1): [Answer(B, "anna"), Answer(W, "ben"), Answer(T, "eva")]}


def test_the_truth_of_a_replay_is_the_mean_outcome(tmp_path: Path) -> None:
    text = "1,a,b,x,better\n1,b,a,y,worse\n1,a,b,z,tie\n1,c,b,x,worse\n"
    (truth,) = recorded(tmp_path, text)
    assert truth.scores == pytest.approx([2.5 / 3, 1.5 / 4, 0])


def test_a_document_nobody_was_asked_about_stands_in_the_middle() -> None:
    truth = Recorded("1", documents("abc"), {(0, 1): [Answer(B, "x")]})
    assert truth.scores.tolist() == [1, 0, 0.5]


def test_a_replay_turns_an_answer_when_the_pair_is_asked_the_other_way_round() -> None:
    truth = Recorded("1", documents("ab"), {(0, 1): [Answer(B, "anna")]})
    rng = np.random.default_rng(0)
    assert truth.judge().answer(Question((0, 1)), SOMEONE, rng) == Answer(B, "anna")
    assert truth.judge().answer(Question((1, 0)), SOMEONE, rng) == Answer(W, "anna")


@given(
    given_answers=st.lists(st.sampled_from(Outcome), min_size=1, max_size=6),
    rounds=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_each_recorded_answer_is_used_once_before_any_is_used_again(
    given_answers: list[Outcome], rounds: int, seed: int
) -> None:
    answers = [Answer(outcome, f"p{place}") for place, outcome in enumerate(given_answers)]
    judge = Recorded("1", documents("ab"), {(0, 1): answers}).judge()
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        drawn = [judge.answer(Question((0, 1)), SOMEONE, rng) for _ in answers]
        assert Counter(drawn) == Counter(answers)


def test_a_new_run_of_a_replay_begins_with_no_answer_used() -> None:
    answers = [Answer(B, "anna"), Answer(W, "ben")]
    truth = Recorded("1", documents("ab"), {(0, 1): answers})
    drawn = [
        truth.judge().answer(Question((0, 1)), SOMEONE, np.random.default_rng(0)) for _ in range(5)
    ]
    assert len(set(drawn)) == 1
    assert truth.answers == {(0, 1): answers}


def test_a_pair_without_recorded_answers_is_bad_input_that_names_it() -> None:
    truth = Recorded("7", documents("abc"), {(0, 1): [Answer(B, "anna")]})
    with pytest.raises(NoRecordedAnswer, match="topic '7' has no recorded answer to 'a' against"):
        truth.judge().answer(Question((2, 0)), SOMEONE, np.random.default_rng(0))
    assert issubclass(NoRecordedAnswer, BadInput)


def test_a_sample_of_a_replay_keeps_the_answers_about_its_documents() -> None:
    answers = {(0, 1): [Answer(B, "x")], (0, 2): [Answer(B, "y")], (1, 2): [Answer(T, "z")]}
    sample = Recorded("1", documents("abc"), answers).sample([2, 0])
    assert [document.id for document in sample.documents] == ["c", "a"]
    assert sample.answers == {(0, 1): [Answer(W, "y")]}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,a,c,anna,maybe", "'maybe' is none of the answers better, worse, tie"),
        ("1,a,a,anna,tie", "'a' is compared with itself"),
        ("1,a,c,anna", "the row does not have as many fields as the header"),
    ],
)
def test_a_bad_recorded_answer_is_refused_with_its_place(
    tmp_path: Path, row: str, message: str
) -> None:
    with pytest.raises(BadFile) as raised:
        recorded(tmp_path, f"1,a,b,anna,tie\n{row}\n")
    assert str(raised.value) == f"{tmp_path / 'recorded.csv'}:3: {message}"


@pytest.mark.parametrize(
    ("columns", "answers"),
    [(COLUMNS[:4], ANSWERS), (COLUMNS, ANSWERS[:2]), (COLUMNS, ["better", "better", "tie"])],
)
def test_a_replay_needs_five_columns_and_three_different_answers(
    tmp_path: Path, columns: list[str], answers: list[str]
) -> None:
    path = tmp_path / "recorded.csv"
    path.write_text(HEADER, encoding="utf-8")
    with pytest.raises(BadOption):
        recorded_truths(path, columns, answers)


def test_drawn_topics_have_the_shares_asked_for() -> None:
    truths = generated_truths(3, 4000, [6, 3, 1], np.random.default_rng(0))
    assert len({d.id for truth in truths for d in truth.documents}) == 12_000
    for truth in truths:
        assert np.bincount(truth.grades) / 4000 == pytest.approx([0.6, 0.3, 0.1], abs=0.05)
