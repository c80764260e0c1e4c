"""The chance of a question belongs to its topic and its number, and to nothing else."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nextpair.selectors.state.settings import Settings

numbers = st.integers(0, 2**64)


def drawn(rng: np.random.Generator) -> tuple[int, ...]:
    return tuple(rng.integers(2**63, size=4).tolist())


@given(numbers, numbers)
def test_a_question_has_the_same_chance_wherever_it_is_asked(seed: int, asked: int) -> None:
    one, other = (drawn(Settings(seed=seed).question_rng(asked)) for _ in range(2))
    assert one == other


@given(st.sets(st.tuples(numbers, numbers), min_size=2, max_size=10))
def test_no_two_questions_have_the_same_chance(questions: set[tuple[int, int]]) -> None:
    chances = {drawn(Settings(seed=seed).question_rng(asked)) for seed, asked in questions}
    assert len(chances) == len(questions)


@given(numbers, st.integers(0, 9))
def test_no_question_has_the_chance_its_topic_was_drawn_by(seed: int, asked: int) -> None:
    assert drawn(Settings(seed=seed).question_rng(asked)) != drawn(np.random.default_rng(seed))
