"""Hypothesis strategies: weak orders, consistent answers about them, arbitrary answers."""

from hypothesis import strategies as st

from nextpair.selectors.state.judgments import Outcome, Pair

Answer = tuple[int, int, Outcome]


def truth(first: int, second: int, grades: list[int]) -> Outcome:
    """Return how two documents compare by their grades."""
    if grades[first] == grades[second]:
        return Outcome.TIE
    return Outcome.BETTER if grades[first] > grades[second] else Outcome.WORSE


def grades(least: int = 2, most: int = 12) -> st.SearchStrategy[list[int]]:
    """Draw a weak order: the grades of documents, which may be equal."""
    return st.lists(st.integers(0, 4), min_size=least, max_size=most)


def pairs(size: int) -> st.SearchStrategy[Pair]:
    """Draw two different documents."""
    places = st.integers(0, size - 1)
    return st.tuples(places, places).filter(lambda pair: pair[0] != pair[1])


@st.composite
def consistent(draw: st.DrawFn, most: int = 40) -> tuple[int, list[Answer]]:
    """Draw the size of a pool, and answers that agree with a weak order of it, with repetitions."""
    drawn = draw(grades())
    asked = draw(st.lists(pairs(len(drawn)), max_size=most))
    return len(drawn), [(first, second, truth(first, second, drawn)) for first, second in asked]


@st.composite
def arbitrary(draw: st.DrawFn, most: int = 40) -> tuple[int, list[Answer]]:
    """Draw the size of a pool, and answers that may contradict each other."""
    size = draw(st.integers(2, 10))
    answer = st.tuples(pairs(size), st.sampled_from(Outcome))
    drawn = draw(st.lists(answer, max_size=most))
    return size, [(first, second, outcome) for (first, second), outcome in drawn]
