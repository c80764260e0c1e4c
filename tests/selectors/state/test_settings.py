"""The random numbers of a question depend on its topic and its number, and on nothing else."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nextpair.selectors.state.settings import Settings

numbers = st.integers(0, 2**64)


def drawn(rng: np.random.Generator) -> tuple[int, ...]:
    return tuple(rng.integers(2**63, size=4).tolist())


@given(numbers, numbers)
def test_a_question_draws_the_same_numbers_wherever_it_is_asked(seed: int, asked: int) -> None:
    first, second = (drawn(Settings(seed=seed).question_rng(asked)) for _ in range(2))
    assert first == second


@given(st.sets(st.tuples(numbers, numbers), min_size=2, max_size=10))
def test_no_two_questions_draw_the_same_numbers(questions: set[tuple[int, int]]) -> None:
    draws = {drawn(Settings(seed=seed).question_rng(asked)) for seed, asked in questions}
    assert len(draws) == len(questions)


@given(numbers, st.integers(0, 9))
def test_no_question_draws_the_numbers_of_its_topic(seed: int, asked: int) -> None:
    assert drawn(Settings(seed=seed).question_rng(asked)) != drawn(np.random.default_rng(seed))
