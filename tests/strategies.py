"""What Hypothesis draws: preorders, judgments about them, judgments that contradict each other."""

from hypothesis import strategies as st

from nextpair.selectors.state.judgments import Outcome, Pair

Answer = tuple[int, int, Outcome]


def truth(first: int, second: int, grades: list[int]) -> Outcome:
    """Say how two documents compare by their grades."""
    if grades[first] == grades[second]:
        return Outcome.TIE
    return Outcome.BETTER if grades[first] > grades[second] else Outcome.WORSE


def grades(least: int = 2, most: int = 12) -> st.SearchStrategy[list[int]]:
    """Draw a preorder: documents with grades, of which any may be equal."""
    return st.lists(st.integers(0, 4), min_size=least, max_size=most)


def pairs(size: int) -> st.SearchStrategy[Pair]:
    """Draw two different documents."""
    places = st.integers(0, size - 1)
    return st.tuples(places, places).filter(lambda pair: pair[0] != pair[1])


@st.composite
def consistent(draw: st.DrawFn, most: int = 40) -> tuple[int, list[Answer]]:
    """Draw a preorder and answers that agree with it, in any order and with repetitions."""
    of = draw(grades())
    asked = draw(st.lists(pairs(len(of)), max_size=most))
    return len(of), [(first, second, truth(first, second, of)) for first, second in asked]


@st.composite
def arbitrary(draw: st.DrawFn, most: int = 40) -> tuple[int, list[Answer]]:
    """Draw answers that need not agree with each other."""
    size = draw(st.integers(2, 10))
    answer = st.tuples(pairs(size), st.sampled_from(Outcome))
    drawn = draw(st.lists(answer, max_size=most))
    return size, [(first, second, outcome) for (first, second), outcome in drawn]
